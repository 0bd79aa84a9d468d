"""A match is fair, its record tells all, and it can be stopped anywhere."""

import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cuebid import BridgeError, Call, Seat, Vulnerability, formats, imps
from cuebid.agents import load_agent
from cuebid.agents.simple import Passer, Random
from cuebid.doubledummy import shipped_store, solve
from cuebid.doubledummy.store import Store, pack
from cuebid.game import victory_points
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


class Pusher(LongestSuit):
    """Raises to game at once on 14 points, doubles with 18, so that much fails and something is doubled."""

    name, version = "pusher", "2"

    def _call(self, situation):
        wishes = ["X"] * (situation.hand.hcp >= 18) + ["3N", "4S", "5C"] * (situation.hand.hcp >= 14)
        return next((Call(wish) for wish in wishes if Call(wish) in situation.legal), Call("P"))


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


def north_south(board, tricks, harsh):
    contract = board.contract
    if contract == "passed out":
        return 0
    won = tricks[contract.declarer][contract.strain]
    if harsh and won < contract.level + 6:
        contract = replace(contract, doubled=max(contract.doubled, 1))
    score = contract.score(won, board.vulnerability.includes(contract.declarer))
    return score if contract.declarer in (Seat.N, Seat.S) else -score


def test_by_hand(tmp_path):
    """Every figure of the result worked out again from the calls, deal by deal, with the solver."""
    boards = MatchBoards.random(40, seed=5)
    record = tmp_path / "match.pbn"
    result = run((LongestSuit(), Pusher()), boards, record)
    played = formats.read(record).boards
    plain, perfect, contested = [], [], []
    for place in range(40):
        rooms = played[2 * place : 2 * place + 2]
        for board, seats in zip(rooms, ((Seat.N, Seat.S), (Seat.E, Seat.W)), strict=True):
            assert board.deal.owner == tuple(boards.owner[place].tolist())
            assert board.dealer == boards.dealer[place]
            assert board.vulnerability == boards.vulnerability[place]
            assert all((board.names[seat] == LongestSuit.name) == (seat in seats) for seat in Seat)
        tricks = solve(rooms[0].deal).tricks
        for imps_so_far, harsh in ((plain, False), (perfect, True)):
            one, other = (north_south(board, tricks, harsh) for board in rooms)
            imps_so_far.append(imps(one - other))
        contested.append(any({seat % 2 for seat, call in board.auction if call} == {0, 1} for board in rooms))

    assert result.plain.imps_per_board == pytest.approx(np.mean(plain))
    assert result.plain.standard_error == pytest.approx(np.std(plain, ddof=1) / np.sqrt(40))
    assert (result.plain.won, result.plain.lost) == (sum(won > 0 for won in plain), sum(won < 0 for won in plain))
    assert result.plain.tied == plain.count(0)
    assert result.perfect_defence.imps_per_board == pytest.approx(np.mean(perfect))
    assert plain != perfect
    for which in Vulnerability:
        there = [won for won, where in zip(plain, boards.vulnerability, strict=True) if where == which]
        assert result.by_vulnerability[str(which)].boards == len(there)
        assert result.by_vulnerability[str(which)].imps_per_board == pytest.approx(np.mean(there))
    for group, wanted in ((result.contested, True), (result.uncontested, False)):
        there = [won for won, was in zip(plain, contested, strict=True) if was == wanted]
        assert group.boards == len(there) > 0
        assert group.imps_per_board == pytest.approx(np.mean(there))
    shares = victory_points(abs(sum(plain)), 40)
    assert result.victory_points == (shares if sum(plain) >= 0 else shares[::-1])
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


def test_openspiel_trajectories_are_boards_too():
    samples = Path(__file__).parents[1] / "formats" / "samples" / "made_up.txt"
    boards = MatchBoards.read(samples)
    assert boards.owner.tolist() == [list(board.deal.owner) for board in formats.read(samples)]
    assert not boards.dealer.any()
    assert not boards.vulnerability.any()


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
    last_part = content.index(b'[Board "21"]')
    for cut in (0, 100, 3_000, len(content) // 2, *range(last_part + 3_000, len(content) + 1, 23)):
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
    agents = (LongestSuit(), Passer())
    other = MatchBoards.random(4, seed=5)
    for played, boards, says in (
        ((LongestSuit(), Random(1)), MatchBoards.random(4, seed=4), "not the record of this match"),
        (agents, other, "not the record of this match"),
        (agents, MatchBoards(other.owner, other.dealer, other.vulnerability, "seed 4"), "other boards"),
        (agents, MatchBoards.random(6, seed=4, vulnerability=Vulnerability.EW), "other boards"),
        (agents, MatchBoards.random(6, seed=4, dealer=Seat.W), "other boards"),
        (agents, MatchBoards.random(3, seed=4), "holds 4 boards, more than the 3 asked for"),
    ):
        with pytest.raises(BridgeError, match=says):
            run(played, boards, record)
        assert record.read_bytes() == content
    plain = tmp_path / "plain.pbn"
    for text in ('[Board "1"]\n[Dealer "N"]\n[Vulnerable "None"]\n', "% PBN 2.1\nsome notes\n", "notes"):
        plain.write_text(text)
        with pytest.raises(BridgeError, match="not the record of this match"):
            run(agents, MatchBoards.random(4, seed=4), plain)
        assert plain.read_text() == text
        with pytest.raises(BridgeError, match="not the record of a cuebid match"):
            rescore(plain)
    with pytest.raises(BridgeError, match=r"ends in \.pbn"):
        run(agents, MatchBoards.random(4, seed=4), tmp_path / "match.txt")


def test_rooms_that_hold_different_boards_are_not_scored(tmp_path):
    record = tmp_path / "match.pbn"
    run((LongestSuit(), Passer()), MatchBoards.random(2, seed=4), record)
    boards = list(formats.read(record).boards)
    boards[1] = replace(boards[1], hands=boards[3].hands, calls=(), contract=None, result=None)
    formats.write(record, boards)
    with pytest.raises(BridgeError, match="both rooms"):
        rescore(record)


def test_standard_error_counts_deals_not_boards():
    values = np.array([3, -2, 5, 0, 1, -4])
    alone = Tally.of(values, np.arange(6))
    assert alone.standard_error == pytest.approx(values.std(ddof=1) / np.sqrt(6))
    twice = Tally.of(np.repeat(values, 2), np.repeat(np.arange(6), 2))
    assert twice.standard_error == pytest.approx(alone.standard_error)
    assert (str(Tally.of(values[:1], np.arange(1))), str(Tally.of(values[:0], np.arange(0)))) == ("+3.00 ± —", "—")


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
    with pytest.raises(BridgeError, match=r"no weights file at missing\.npz"):
        load_agent("missing.npz")
