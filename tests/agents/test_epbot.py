"""EPBot: what needs no library always, what needs it where CUEBID_EPBOT says where it is."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cuebid.agents import Agent, epbot, epbot_worker, load_agent
from cuebid.agents.epbot import EPBot, EPBotError, card_path, read_card
from cuebid.agents.program import Fault
from cuebid.game import PASS, Auction, BridgeError, Call, Deal, Situation, Vulnerability

CARD = "System type = 1\r\n1D opening with 4 cards = 0\nJacoby 2NT = 1\n\nSystem type = 3\nOpponent type = 0\n"
SETTINGS = [("System type", 1), ("1D opening with 4 cards", 0), ("Jacoby 2NT", 1), ("Opponent type", 0)]

needs_library = pytest.mark.skipif(
    "CUEBID_EPBOT" not in os.environ, reason=f"needs EPBot (from {epbot.WHERE}): set CUEBID_EPBOT to its path"
)


class FakeLibrary:
    """Writes down what it is asked; bids by the list."""

    def __init__(self, *bids: int) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self._bids = list(bids)

    def __getattr__(self, name: str) -> Any:
        def function(*arguments: Any) -> Any:
            if name == "epbot_create":
                return 77
            if name == "epbot_get_last_error":
                return b"Index was outside"
            assert arguments[0] == 77
            self.asked.append((name.removeprefix("epbot_"), *arguments[1:]))
            return self._bids.pop(0) if name == "epbot_get_bid" else 0

        return function


def test_cards(tmp_path: Path) -> None:
    path = tmp_path / "Mine.bbsa"
    path.write_text("\ufeff" + CARD, encoding="utf-8")
    assert read_card(path) == SETTINGS
    library = tmp_path / "libEPBot.so"
    assert card_path("Mine", library) == card_path(str(path), library) == path
    with pytest.raises(EPBotError, match=r"'Yours'.*: Mine\)"):
        card_path("Yours", library)


@pytest.mark.parametrize(
    ("text", "problem"), [("A = 1\n", "System type"), ("System type = 1\nB = yes", ":2: expected")]
)
def test_wrong_cards(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "Mine.bbsa"
    path.write_text(text)
    with pytest.raises(EPBotError, match=problem):
        read_card(path)


def test_missing_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUEBID_EPBOT", raising=False)
    with pytest.raises(EPBotError, match=r"github.com/EdwardPiwowar.*CUEBID_EPBOT="):
        load_agent("epbot:Acol")
    monkeypatch.setenv("CUEBID_EPBOT", str(tmp_path / "libEPBot.so"))
    with pytest.raises(EPBotError, match="no file"):
        load_agent("epbot:Acol")
    (tmp_path / "libEPBot.so").write_text("not a library")
    with pytest.raises(EPBotError, match="no such EPBot card"):
        load_agent("epbot:Acol")
    (tmp_path / "Acol.bbsa").write_text(CARD)
    with pytest.raises(EPBotError, match="cannot be used as EPBot's library") as error:
        load_agent("epbot:Acol")
    assert "\n" not in str(error.value)


def test_order_of_questions() -> None:
    """The card for both sides; the whole auction anew, asked at each own turn."""
    library = FakeLibrary(5, 0, 9)
    engine = epbot_worker.Engine(library, SETTINGS)
    card = [(("set_system_type", side, 1) if name == "System type" else ("set_conventions", side, name.encode(), value))
            for side in (0, 1) for name, value in SETTINGS]  # fmt: skip
    assert library.asked == [("version",), *card, ("set_scoring", 1)]
    library.asked.clear()
    # South dealt: P (S), 1C (W), P (N), 1S (E), X (S), P (W), P (N), XX (E), and South is to call
    situation = Situation(
        "AKQ2.JT9..876543", dealer="S", vulnerability="ns", calls=["P", "1C", "P", "1S", "X", "P", "P", "XX"]
    )
    assert engine.bid(*epbot._numbers(situation)) == 9
    assert library.asked == [
        ("new_hand", 2, b"876543\n\nJT9\nAKQ2", 2, 2, 0, 0),
        ("get_bid",), ("set_bid", 2, 0, b""), ("set_bid", 3, 5, b""), ("set_bid", 0, 0, b""), ("set_bid", 1, 8, b""),
        ("get_bid",), ("set_bid", 2, 1, b""), ("set_bid", 3, 0, b""), ("set_bid", 0, 0, b""), ("set_bid", 1, 2, b""),
        ("get_bid",),
    ]  # fmt: skip


def test_answers() -> None:
    situation = Situation("AKQ2.JT9..876543", calls=["1C"])
    expected = {0: "P", 1: "X", 6: "1D", 9: "1NT", 39: "7NT", 2: None, 3: None, 4: None, 5: None, 40: None, 99: None}
    for bid, call in expected.items():
        answer = epbot._call(bid, situation)
        assert answer == Call(call) if call else isinstance(answer, Fault) and answer.kind == "illegal"
    engine = epbot_worker.Engine(FakeLibrary(-2), SETTINGS)
    text = epbot_worker._answer(engine, list(epbot._numbers(Situation("AKQ2.JT9..876543"))))
    assert text == "epbot_get_bid answered -2: Index was outside"
    assert str(epbot._call(text, situation)) == f"illegal: {text}"


AUCTIONS = [  # bid by the library at all four seats
    ("WBridge5-Sayc", "N:QJ4.AQJ8.KJ632.3 AT.KT72.T54.AJ95 52.96543.8.KQ864 K98763..AQ97.T72", "E", "ew",
     "1C P 1S X P 2H 2S P P 3H P P 3S P P P"),
    ("WBridge5-Sayc", "N:KQJ652..AK9654.8 84.AK86.J8.T9432 A973.QJT95.Q3.K7 T.7432.T72.AQJ65", "E", "ns",
     "P 1H P 1S P 2S P 4NT P 5D P 6S P P P"),
    ("BBA-21GF", "N:AKQ954.A987.J.K2 82.QT3.AT95.T964 .K54.K76432.AQ75 JT763.J62.Q8.J83", "E", "ns",
     "P 1D P 1S P 2C P 2H P 3NT P 4S P P P"),
    ("BBA-21GF", "N:AT76.AT.AQ8652.J K8.KQJ982..AKQ74 J953.7654.J7.T85 Q42.3.KT943.9632", "E", "both",
     "2C P 2D P 2H P 2NT P 3C P 6C P P P"),
    ("Meckwell", "N:T7.984.K2.AKQ964 95432.Q52.J975.7 AKQJ.AJ.AQ43.532 86.KT763.T86.JT8", "W", "both",
     "P 2C P 2D P 2NT P 4C P 4D P 4H P 5C P 6NT P P P"),
    ("Meckwell", "N:Q64.842.AJT74.Q2 85.J53.9652.A954 AK732.AQ6.KQ.JT6 JT9.KT97.83.K873", "E", "both",
     "P 1C P 1H P 1S P 2S P 3D P 3S P 4S P P P"),
    ("WJ", "N:AT3.K543.AJ2.J42 K8.AQJ7.98764.86 QJ975.9862..AQ93 642.T.KQT53.KT75", "S", "none",
     "P P 1C 1D 1S 2D X P 3S 4D X P P P"),
    ("WJ", "N:T64.QJ74.QJ.9743 Q9.AK985.A9876.K A83.T62.KT432.T5 KJ752.3.5.AQJ862", "W", "both",
     "1S P 2H P 3C P 4NT P 5D P 6NT P P P"),
    ("Acol", "N:8.QJT62.K74.AK85 QJT532.94.T9.972 AK74.AK875.Q82.T 96.3.AJ653.QJ643", "N", "none",
     "1H P 4C P 4H P 4NT P 5D P 5H P P P"),
    ("Acol", "N:K2.98632.T986.A3 J9654.Q.KQ.QJ942 AQ873.54.743.765 T.AKJT7.AJ52.KT8", "S", "ew",
     "P 1H P 1S P 2D P 2NT P 3NT P P P"),
]  # fmt: skip


@pytest.fixture(scope="module")
def agent() -> Iterator[EPBot]:
    threads = set(threading.enumerate())
    with EPBot("WBridge5-Sayc") as one:
        yield one
        children = [program._child._popen for program in one._programs if program._child]
    assert all(child.returncode is not None for child in children)
    assert set(threading.enumerate()) <= threads


def random_situations(number: int, seed: int) -> list[Situation]:
    source, found = random.Random(seed), []
    for _ in range(number):
        deal, auction = Deal.random(source), Auction(source.choice("NESW"))
        for _ in range(source.randrange(12)):
            after = auction.after(auction.legal[min(int(source.expovariate(0.5)), len(auction.legal) - 1)])
            auction = auction if after.is_over else after
        found.append(Situation.at(deal, auction, Vulnerability(source.randrange(4))))
    return found


@needs_library
@pytest.mark.parametrize("card", sorted({row[0] for row in AUCTIONS}))
def test_bids_as_its_author_meant(card: str) -> None:
    with EPBot(card, cores=1) as agent:
        for deal, dealer, who, calls in (row[1:] for row in AUCTIONS if row[0] == card):
            auction = Auction(dealer, calls.split())
            views = [
                Situation.at(Deal(deal), Auction(dealer, auction.calls[:made]), Vulnerability(who))
                for made in range(len(auction))
            ]
            assert agent.calls(views) == list(auction.calls)
        assert not agent.faults


@needs_library
def test_agent(agent: EPBot) -> None:
    assert isinstance(agent, Agent)
    assert agent.name == "epbot:WBridge5-Sayc"
    assert re.fullmatch(r"\d+, library sha256 [0-9a-f]{12}, card sha256 [0-9a-f]{12}", agent.version)
    advice = agent.advise(Situation("AKQ2.JT9.876.A43"))
    assert [(one.call, one.probability) for one in advice.candidates] == [(advice.call, 1.0)]
    assert agent.calls([]) == []
    with pytest.raises(BridgeError, match="turn"):
        agent.calls([Situation("AKQ2.JT9.876.A43", seat="N", dealer="E")])


@needs_library
def test_same_call_in_any_company(agent: EPBot) -> None:
    asked = random_situations(400, seed=5)
    together = agent.calls(asked)
    assert all(call in situation.legal for call, situation in zip(together, asked, strict=True))
    assert agent.calls(asked[::-1]) == together[::-1]
    assert [agent.advise(situation).call for situation in asked[:50]] == together[:50]
    assert not agent.faults


@needs_library
def test_what_it_cannot_bid_is_passed(agent: EPBot, capfd: pytest.CaptureFixture[str]) -> None:
    """An auction too long for its arrays."""
    long = "1C P P X P P XX P P 1D P P X P P XX P P 1H P P X P P XX P P 1S P P X P P XX P P 1NT P P X P P XX P P " * 2
    calls = long.split()[:45] + long.replace("1", "2").split()[:45]
    ordinary = Situation("AKQ2.JT9.876.A43")
    expected = agent.calls([ordinary])
    assert agent.calls([ordinary, Situation("AKQ2.JT9.876.A43", calls=calls), ordinary]) == [*expected, PASS, *expected]
    assert agent.faults == Counter(illegal=1)
    assert capfd.readouterr().err.count("\n") == 1
    agent.faults.clear()


@needs_library
def test_killed_worker(agent: EPBot) -> None:
    """Its situations are asked again of a new one."""
    asked = random_situations(200, seed=6)
    before = agent.calls(asked)
    for program in agent._programs:
        if program._child:
            program._child._popen.kill()
    assert agent.calls(asked) == before
    assert not agent.faults


@needs_library
def test_runs_without_a_main_guard(tmp_path: Path) -> None:
    """From a script, with files in its folder that are named like modules, and without closing."""
    (tmp_path / "json.py").write_text("raise SystemExit('the wrong json')")
    code = (
        "import sys; sys.path.remove('')\n"
        "from cuebid import Situation\nfrom cuebid.agents import load_agent\n"
        "agent = load_agent('epbot:WBridge5-Sayc')\n"
        "print(*agent.calls([Situation('AKQ2.JT9.876.A43')] * 300)[:2])"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.stderr, done.stdout) == ("", "1C 1C\n")
