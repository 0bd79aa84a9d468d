"""A match is fair, its record tells all, and it can be stopped anywhere."""

import subprocess
import sys
import time
from collections import Counter

import numpy as np
import pytest

from cuebid import BridgeError, Call, Seat, Vulnerability, formats, imps
from cuebid.agents import load_agent
from cuebid.agents.simple import Passer, Random
from cuebid.doubledummy import shipped_store, solve
from cuebid.doubledummy.store import Store, pack
from cuebid.match import MatchBoards, Tally, rescore, run
from cuebid.vector import encodings


class LongestSuit:
    """Opens and overcalls the longest suit as cheaply as it can; knows nothing else."""

    name, version = 'longest "suit" (first)', "1.0 (beta), of [2026]"
    faults: Counter

    def __init__(self):
        self.faults = Counter()

    def calls(self, situations):
        return [self._call(situation) for situation in situations]

    def _call(self, situation):
        if situation.hand.hcp < 11 or len(situation.calls) > 5:
            return Call("P")
        suit = max(range(4), key=lambda one: (situation.hand.length(one), one))
        return next((call for call in situation.legal if call.is_bid and call.strain == suit), Call("P"))


class VectorPointCount:
    """Answers arrays: bids one notrump with 15 points or more where it can, else passes."""

    name, version = "points", "1"

    def choose(self, auctions, hands):
        own = encodings.policy(auctions, hands)[:, 428:].reshape(-1, 13, 4)
        points = (own * np.maximum(np.arange(13) - 8, 0)[None, :, None]).sum(axis=(1, 2))
        return np.where((points >= 15) & auctions.legal()[:, 7], 7, 0)

    def calls(self, situations):
        raise AssertionError("the match should ask for arrays")

    def advise(self, situation):
        raise AssertionError


def some_store(tmp_path, deals=40):
    path = tmp_path / "some.npz"
    path.write_bytes(pack(shipped_store().owner[:deals], shipped_store().tricks[:deals]))
    return path


def test_by_hand(tmp_path):
    """Every contract, score and IMP worked out again from the record, deal by deal, with the solver."""
    boards = MatchBoards.random(12, seed=5)
    record = tmp_path / "match.pbn"
    result = run((LongestSuit(), Random(1)), boards, record)
    played = formats.read(record).boards
    total = []
    for place in range(12):
        points = []
        for room, seats in ((0, (Seat.N, Seat.S)), (1, (Seat.E, Seat.W))):
            board = played[2 * place + room]
            assert board.deal.owner == tuple(boards.owner[place].tolist())
            assert board.dealer == boards.dealer[place]
            assert board.vulnerability == boards.vulnerability[place]
            assert all((board.names[seat] == LongestSuit.name) == (seat in seats) for seat in Seat)
            tricks = solve(board.deal).tricks
            if board.contract == "passed out":
                points.append(0)
                continue
            assert board.result == tricks[board.contract.declarer][board.contract.strain]
            score = board.contract.score(board.result, board.vulnerability.includes(board.contract.declarer))
            points.append(score if board.contract.declarer in (Seat.N, Seat.S) else -score)
        total.append(imps(points[0] - points[1]))
    assert result.plain.imps_per_board == pytest.approx(sum(total) / 12)
    assert (result.plain.won, result.plain.lost) == (sum(t > 0 for t in total), sum(t < 0 for t in total))
    assert rescore(record) == result


def test_an_agent_ties_with_itself_and_seats_do_not_matter():
    boards = MatchBoards.random(30, seed=6)
    alone = run((LongestSuit(), LongestSuit()), boards)
    assert (alone.plain.won, alone.plain.lost) == (0, 0)
    one, other = run((LongestSuit(), Passer()), boards), run((Passer(), LongestSuit()), boards)
    assert one.plain.imps_per_board == -other.plain.imps_per_board
    assert one.plain.standard_error == pytest.approx(other.plain.standard_error)


def test_agents_that_answer_arrays_are_asked_for_arrays():
    boards = MatchBoards.random(40, seed=7)
    result = run((VectorPointCount(), Passer()), boards)
    assert result.plain.won + result.plain.lost > 0
    assert result.contested.boards == 0


def test_a_store_solves_nothing_and_gives_the_same_result(tmp_path, monkeypatch):
    path = some_store(tmp_path)
    boards = MatchBoards.read(path, seed=3, count=30)
    assert len(boards) == 30
    solved = run(
        (LongestSuit(), Random(2)), MatchBoards(boards.owner, boards.dealer, boards.vulnerability, boards.source)
    )
    monkeypatch.setattr(
        sys.modules["cuebid.doubledummy.solve"], "library", lambda: pytest.fail("a stored deal was solved")
    )
    assert run((LongestSuit(), Random(2)), boards) == solved


def test_boards_of_a_file_keep_their_dealer_and_vulnerability(tmp_path):
    record = tmp_path / "first.pbn"
    boards = MatchBoards.random(5, seed=8)
    run((LongestSuit(), Passer()), boards, record)
    again = MatchBoards.read(record)
    assert (again.owner[::2] == boards.owner).all()
    assert (again.dealer[::2] == boards.dealer).all()
    assert (again.vulnerability[::2] == boards.vulnerability).all()
    fixed = MatchBoards.read(record, dealer=Seat.S, vulnerability=Vulnerability.BOTH, count=3)
    assert fixed.dealer.tolist() == [2] * 3
    assert fixed.vulnerability.tolist() == [3] * 3


def test_perfect_defence_doubles_what_fails(tmp_path):
    record = tmp_path / "match.pbn"
    result = run((Random(3), Passer()), MatchBoards.random(20, seed=9), record)
    text = record.read_text()
    doubled = []
    for board in formats.read(record).boards:
        if (
            board.contract != "passed out"
            and board.result < board.contract.tricks_needed
            and not board.contract.doubled
        ):
            doubled.append(board)
    assert doubled
    assert result.perfect_defence.imps_per_board < result.plain.imps_per_board
    assert "X" in text


def test_illegal_calls_count_and_are_passes(capsys):
    class Liar(LongestSuit):
        name = "liar"

        def calls(self, situations):
            return [Call("XX")] * len(situations)

    result = run((Liar(), Passer()), MatchBoards.random(6, seed=1))
    assert result.faults[0]["illegal"] > 0
    assert result.faults[1] == {}
    assert result.plain.tied == 6
    assert "illegal" in capsys.readouterr().err


def test_same_seed_same_bytes_and_resumed_the_same_bytes(tmp_path):
    boards = MatchBoards.random(25, seed=4)
    whole = tmp_path / "whole.pbn"
    expected = run((LongestSuit(), Random(4)), boards, whole, part=5)
    content = whole.read_bytes()
    again = tmp_path / "again.pbn"
    for cut in (0, 100, 3_000, len(content) // 2, len(content) - 1, len(content)):
        again.write_bytes(content[:cut])
        assert run((LongestSuit(), Random(4)), boards, again, part=5) == expected
        assert again.read_bytes() == content


def test_faults_outlive_a_stop(tmp_path):
    class Faulty(LongestSuit):
        def calls(self, situations):
            self.faults["slow"] += len(situations)
            return super().calls(situations)

    boards, record = MatchBoards.random(10, seed=4), tmp_path / "match.pbn"
    expected = run((Faulty(), Passer()), boards, record, part=5)
    assert expected.faults[0]["slow"] > 20
    content = record.read_text()
    record.write_text(content[: len(content) * 3 // 4])
    assert run((Faulty(), Passer()), boards, record, part=5) == expected


def test_records_of_other_matches_are_not_touched(tmp_path):
    record = tmp_path / "match.pbn"
    run((LongestSuit(), Passer()), MatchBoards.random(4, seed=4), record)
    content = record.read_bytes()
    with pytest.raises(BridgeError, match="another match"):
        run((LongestSuit(), Random(1)), MatchBoards.random(4, seed=4), record)
    with pytest.raises(BridgeError, match="another match"):
        run((LongestSuit(), Passer()), MatchBoards.random(4, seed=5), record)
    other = MatchBoards.random(4, seed=5)
    with pytest.raises(BridgeError, match="other boards"):
        run((LongestSuit(), Passer()), MatchBoards(other.owner, other.dealer, other.vulnerability, "seed 4"), record)
    assert record.read_bytes() == content
    plain = tmp_path / "plain.pbn"
    plain.write_text('[Board "1"]\n[Dealer "N"]\n[Vulnerable "None"]\n')
    with pytest.raises(BridgeError, match="not the record of a cuebid match"):
        rescore(plain)


def test_standard_error_counts_deals_not_boards():
    values = np.array([3, -2, 5, 0, 1, -4])
    alone = Tally.of(values, np.arange(6))
    assert alone.standard_error == pytest.approx(values.std(ddof=1) / np.sqrt(6))
    twice = Tally.of(np.repeat(values, 2), np.repeat(np.arange(6), 2))
    assert twice.standard_error == pytest.approx(alone.standard_error)


def test_the_command_killed_and_resumed(tmp_path):
    store, record = some_store(tmp_path, 2_000), tmp_path / "match.pbn"
    command = [
        sys.executable,
        "-m",
        "cuebid",
        "match",
        "random",
        "pass",
        "--boards",
        str(store),
        "--record",
        str(record),
        "--json",
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None and not record.exists():
            time.sleep(0.01)
        time.sleep(0.05)
        process.kill()
    resumed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    content = record.read_bytes()
    record.unlink()
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == resumed
    assert record.read_bytes() == content
    assert Store(store).owner.shape == (2_000, 52)


def test_load_agent_names():
    assert load_agent("pass").name == "pass"
    assert load_agent("random").name == "random"
    assert load_agent("random:7").name == "random:7"
    for name in ("", "nobody", "random:x", "process:", "epbot:"):
        with pytest.raises(BridgeError, match="no such agent"):
            load_agent(name)
    with pytest.raises(BridgeError, match="has no card"):
        load_agent("missing.npz")
