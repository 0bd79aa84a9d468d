"""Programs that play well and programs that do not: none of them stops, slows or crashes us."""

from __future__ import annotations

import gc
import json
import os
import random
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cuebid.agents import Agent, load_agent, program
from cuebid.agents.process import Process, ProcessError
from cuebid.game import PASS, Auction, BridgeError, Call, Deal, Situation, Vulnerability

ROOT = Path(__file__).parents[2]
EXAMPLE = f'"{sys.executable}" "{ROOT / "examples" / "bot.py"}"'

HEAD = """\
import json, os, sys, time
open(__file__ + ".pids", "a").write(f"{os.getpid()}\\n")
def say(value):
    print(value if isinstance(value, str) else json.dumps(value), flush=True)
def good(**extra):
    say({"id": n, "call": "7NT", **extra})
"""
LOOP = """\
say({"protocol": 1, "name": "Test", "version": "7"})
for line in sys.stdin:
    n = json.loads(line)["id"]
"""

Make = Callable[..., Process]


@pytest.fixture
def bot(tmp_path: Path) -> Iterator[Make]:
    """Make an agent of a script: the code after HEAD, or one line to be run for each question `n`.

    Afterwards, neither a process nor a thread may be left.
    """
    threads = set(threading.enumerate())
    script = tmp_path / "bot.py"
    agents = []

    def make(code: str = "", answer: str = "", **settings: float) -> Process:
        script.write_text(HEAD + (code or LOOP + "    " + answer))
        agents.append(Process(f'"{sys.executable}" "{script}"', **settings))
        return agents[-1]

    yield make
    for agent in agents:
        agent.close()
    assert [pid for pid in pids(tmp_path) if alive(pid)] == []
    assert set(threading.enumerate()) <= threads


def pids(folder: Path) -> list[int]:
    """The processes that a script of `bot` ran in so far."""
    file = folder / "bot.py.pids"
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def alive(pid: int) -> bool:
    """Whether there is such a process, be it a zombie."""
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def situations(number: int, seed: int = 0) -> list[Situation]:
    """Situations of that many deals, a few calls into random low auctions with a bid."""
    source = random.Random(seed)
    found = []
    for _ in range(number):
        auction = Auction(source.choice("NESW"), ["1C"])
        for _ in range(source.randrange(3)):
            auction = auction.after(source.choice(auction.legal[:5]))
        found.append(Situation.at(Deal.random(source), auction, Vulnerability(source.randrange(4))))
    return found


def test_example_bot() -> None:
    agent = load_agent(f"process:{EXAMPLE}")
    assert isinstance(agent, Process)
    with agent:
        assert isinstance(agent, Agent)
        assert (agent.name, agent.version) == (f"process:{EXAMPLE}", "Example 1.0")
        opening = Situation("AKQ2.JT9.876.A43", dealer="W", calls=["P"])
        assert agent.calls([opening, Situation("J73.85.KQ94.K862", calls=["1S", "P"])]) == [Call("1S"), Call("2S")]
        assert [(str(one.call), one.probability) for one in agent.advise(opening).candidates] == [("1S", 1.0)]
        many = situations(300)
        first = agent.calls(many)
        assert all(call in situation.legal for call, situation in zip(first, many, strict=True))
        assert agent.calls(many[::-1]) == first[::-1]
        assert agent.faults == Counter()
        with pytest.raises(BridgeError, match="turn"):
            agent.calls([Situation("AKQ2.JT9.876.A43", seat="N", dealer="E")])
        assert agent.calls([]) == []


def test_page_is_true() -> None:
    """The page prints the example as it is, and the exchange that it shows is what happens."""
    page = (ROOT / "docs" / "engine-protocol.md").read_text(encoding="utf-8")
    example = (ROOT / "examples" / "bot.py").read_text(encoding="utf-8")
    assert f"```python\n{example}```" in page
    questions = [json.loads(line.replace(", …", "")) for line in re.findall("^→ (.*)", page, re.MULTILINE)]
    for question in questions:
        auction = Auction(question["dealer"], question["calls"])
        assert [str(call) for call in auction.legal[:3]] == question["legal"]
        question["legal"] = [str(call) for call in auction.legal]
        assert str(auction.turn) == question["seat"]
    asked = "".join(json.dumps(question) + "\n" for question in questions)
    command = [sys.executable, str(ROOT / "examples" / "bot.py")]
    printed = subprocess.run(command, input=asked, capture_output=True, text=True, check=True, timeout=60).stdout
    assert printed.splitlines() == re.findall("^← (.*)", page, re.MULTILINE)


NEVER = {
    "crashes at start": ("sys.exit('no weights here')", "", "dead"),
    "ends at once": ("say({'protocol': 1})", "", "dead"),
    "hangs at start": ("time.sleep(99)", "", "slow"),
    "says nonsense at start": ("say('Welcome!'); time.sleep(99)", "", "garbled"),
    "speaks another protocol": ("say({'protocol': 2}); time.sleep(99)", "", "garbled"),
    "crashes at each question": ("", "raise ValueError(f'too hard: {n}')", "dead"),
    "hangs at each question": ("", "time.sleep(99)", "slow"),
    "does not read": ("say({'protocol': 1}); time.sleep(99)", "", "slow"),
    "closes its output": (LOOP.replace("for", "os.close(1)\nfor") + "    pass", "", "dead"),
    "prints a line without end": (
        "",
        "sys.stdout.write('x' * 10_000_000); sys.stdout.flush(); time.sleep(99)",
        "garbled",
    ),
    "floods with old answers": ("", "while True: say({'id': 0, 'call': 'P'})", "slow or garbled"),
}


@pytest.mark.parametrize("what", NEVER)
def test_programs_that_fail(bot: Make, tmp_path: Path, capfd: pytest.CaptureFixture[str], what: str) -> None:
    """Four failures in a row, all passed for; the program is not started again, and no time is lost any more."""
    code, answer, kind = NEVER[what]
    agent = bot(
        code, answer, timeout=0.4 if "slow" in kind else 10, start_timeout=0.4 if what == "hangs at start" else 20
    )
    assert agent.calls(situations(6)) == [PASS] * 6
    runs, start = len(pids(tmp_path)), time.monotonic()
    assert runs <= 4
    assert agent.calls(situations(3000)) == [PASS] * 3000
    assert time.monotonic() - start < 5
    assert len(pids(tmp_path)) == runs
    assert agent.faults.total() == 3006
    assert all(one in kind for one in agent.faults)
    told = capfd.readouterr().err.splitlines()
    assert len(told) == len(agent.faults)
    assert all(line.startswith(f"cuebid: {agent.name} is passed for: ") for line in told)


def test_flood(bot: Make) -> None:
    """Each of its lines is taken for an answer, until there are too many, or too many questions are unread."""
    agent = bot("say({'protocol': 1})\nwhile True: sys.stdout.write('{}\\n' * 5000)")
    assert agent.calls(situations(3000)) == [PASS] * 3000
    assert agent.faults["garbled"] + agent.faults["slow"] == 3000


def test_last_words(bot: Make, capfd: pytest.CaptureFixture[str]) -> None:
    agent = bot(answer="raise ValueError(f'too hard \\x1b[31m')")
    assert agent.calls(situations(2)) == [PASS] * 2
    told = capfd.readouterr().err
    assert "dead: its output ended (exit code 1); its last words: " in told
    assert "ValueError: too hard" in told
    assert told.rstrip("\n").isprintable()


WRONG = {
    "an illegal call": ("say({'id': n, 'call': 'XX'})", "illegal"),
    "no call": ("say({'id': n, 'call': '8H'})", "illegal"),
    "an illegal candidate": ("good(candidates=[{'call': 'XX', 'probability': 1}])", "garbled"),
    "nothing": ("say({'id': n})", "garbled"),
    "a number": ("say({'id': n, 'call': 7})", "garbled"),
    "no id": ("say({'call': '7NT'})", "garbled"),
    "an id to come": ("good(id=n + 1)", "garbled"),
    "an id in text": ("good(id=str(n))", "garbled"),
    "a list": ("say([n, '7NT'])", "garbled"),
    "text": ("say('7NT \\x1b[31m')", "garbled"),
    "an empty line": ("say('')", "garbled"),
    "bytes": ("sys.stdout.buffer.write(b'\\xff\\xfe\\n'); sys.stdout.flush()", "garbled"),
    "brackets": ("say('[' * 60000)", "garbled"),
    "candidates of text": ("good(candidates=['7NT'])", "garbled"),
    "candidates in text": ("good(candidates='7NT')", "garbled"),
    "no probability": ("good(candidates=[{'call': '7NT'}])", "garbled"),
    "not a probability": ("good(candidates=[{'call': '7NT', 'probability': float('nan')}])", "garbled"),
    "a remark before each answer": ("say('thinking'); good()", "garbled"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_answers(bot: Make, tmp_path: Path, capfd: pytest.CaptureFixture[str], what: str) -> None:
    """Each costs a pass and nothing else: the next question is answered by the same run of the program."""
    answer, kind = WRONG[what]
    agent = bot(answer=f"if n % 2: {answer}\n    else: good()")
    asked = [one for one in situations(20) if Call("XX") not in one.legal][:6]
    assert agent.calls(asked) == [PASS, Call("7NT")] * 3
    assert agent.faults == Counter({kind: 3})
    assert len(pids(tmp_path)) == 1
    told = capfd.readouterr().err
    assert told.count("\n") == 1
    assert kind in told
    assert told.rstrip("\n").isprintable()


def test_goes_on_after_failures(bot: Make, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """One that dies or hangs now and then is started again as often as needed; its version is its first one."""
    mishap = "if n % 3 == 0: os._exit(3) if len(list(open(__file__ + '.pids'))) % 2 else time.sleep(99)"
    agent = bot(answer=f"{mishap}\n    good()", timeout=1)
    assert agent.calls(situations(18)) == [Call("7NT"), Call("7NT"), PASS] * 6
    assert agent.faults == Counter(dead=3, slow=3)
    assert agent.version == "Test 7"
    assert len(pids(tmp_path)) == 6
    assert "exit code 3" in capfd.readouterr().err


def test_late_answers_are_skipped(bot: Make) -> None:
    agent = bot(answer="n > 1 or say('?'); good()")
    assert agent.calls(situations(4)) == [PASS, *[Call("7NT")] * 3]
    assert agent.faults == Counter(garbled=1)


def test_candidates(bot: Make) -> None:
    given = [{"call": "P", "probability": 0.25}, {"call": "7nt", "probability": 0.75, "why": "!"}]
    agent = bot(answer=f"good(comment=[], candidates={given})")
    advice = agent.advise(situations(1)[0])
    assert advice.call == Call("7NT")
    assert [(str(one.call), one.probability) for one in advice.candidates] == [("7NT", 0.75), ("P", 0.25)]
    assert not agent.faults


def test_standard_error_is_its_own(bot: Make, capfd: pytest.CaptureFixture[str]) -> None:
    """Megabytes of it neither block the program nor reach our output."""
    agent = bot(answer="sys.stderr.write('x' * 3_000_000); good()")
    assert agent.calls(situations(3)) == [Call("7NT")] * 3
    assert capfd.readouterr() == ("", "")


def test_unread_questions_do_not_block(bot: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """It prints its answers ahead and reads nothing: more than fits into a pipe waits, but not without end."""
    monkeypatch.setattr(program, "WAITING", 2000)
    ahead = "for n in range(1, 1001): print(json.dumps({'id': n, 'call': '7NT'}))"
    agent = bot(f"say({{'protocol': 1}})\n{ahead}\nsys.stdout.flush(); time.sleep(99)")
    assert agent.calls(situations(1000)) == [Call("7NT")] * 1000
    monkeypatch.setattr(program, "WAITING", 100)
    assert agent.advise(situations(1)[0]).call == PASS
    assert agent.faults == Counter(slow=1)


def test_several_threads(bot: Make) -> None:
    agent = bot(answer="good()")
    answers: list[Call] = []
    threads = [threading.Thread(target=lambda: answers.extend(agent.calls(situations(100)))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [Call("7NT")] * 400
    assert not agent.faults


@pytest.mark.skipif(os.name == "nt", reason="Windows has no process groups of this kind")
def test_what_it_started_ends_with_it(tmp_path: Path) -> None:
    script = tmp_path / "bot.py"
    script.write_text(HEAD + LOOP + "    time.sleep(99)")
    threads = set(threading.enumerate())
    with Process(f'sh -c \'"{sys.executable}" "{script}"; true\'', timeout=0.3) as agent:
        assert agent.advise(situations(1)[0]).call == PASS
    deadline = time.monotonic() + 5  # not our child: it is for init to bury it
    while set(threading.enumerate()) - threads and time.monotonic() < deadline:
        time.sleep(0.01)
    assert set(threading.enumerate()) <= threads


def test_forgotten_agent_ends_its_program(bot: Make, tmp_path: Path) -> None:
    Process(f'"{sys.executable}" "{script_of(bot, tmp_path)}"').calls(situations(2))
    gc.collect()
    assert not any(map(alive, pids(tmp_path)))
    deadline = time.monotonic() + 5
    while any(thread.name.endswith("(_write)") for thread in threading.enumerate()) and time.monotonic() < deadline:
        time.sleep(0.01)


def test_nothing_is_left_at_exit(bot: Make, tmp_path: Path) -> None:
    """A script that never closes its agent, even while the program hangs."""
    script = script_of(bot, tmp_path)
    command = f'process:"{sys.executable}" "{script}"'
    code = f"from cuebid.agents import load_agent; agent = load_agent({command!r}); print(agent.version)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "Test 7\n", "")
    assert not any(map(alive, pids(tmp_path)))


def script_of(bot: Make, folder: Path) -> Path:
    """A well-behaved script, its own agent closed."""
    bot(answer="good()").close()
    return folder / "bot.py"


@pytest.mark.parametrize("command", ["no-such-program-anywhere --fast", "'unclosed", "   ", ""])
def test_commands_that_cannot_be_run(command: str) -> None:
    with pytest.raises(ProcessError) as error:
        Process(command)
    assert "\n" not in str(error.value)
