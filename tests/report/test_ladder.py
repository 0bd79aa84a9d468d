"""A ladder is the matches it is made of, seen from both sides."""

import pytest

from cuebid import BridgeError
from cuebid.cli import main
from cuebid.match import MatchBoards, rescore
from cuebid.report import ladder

BOARDS = MatchBoards.read("shipped", seed=3, count=60)


def test_each_meets_each_and_reads_both_ways(tmp_path):
    results = ladder.climb(["sayc-sl", "pass"], ["random:4"], BOARDS, tmp_path)
    assert [result.agents for result in results] == [("sayc-sl", "pass"), ("sayc-sl", "random:4"), ("pass", "random:4")]
    rungs = ladder.rungs(results)
    assert [rung.agent for rung in rungs] == ["sayc-sl", "pass", "random:4"]
    first, second, _ = rungs
    won, lost = first.plain["pass"], second.plain["sayc-sl"]
    assert won.imps_per_board == -lost.imps_per_board
    assert (won.won, won.lost) == (lost.lost, lost.won)
    assert first.mean(["pass", "random:4"]) == pytest.approx(
        (won.imps_per_board + first.plain["random:4"].imps_per_board) / 2
    )
    assert first.mean(["pass"]) == won.imps_per_board
    assert rescore(tmp_path / "sayc_sl-random_4.pbn") == results[1]
    assert results == ladder.climb(["sayc-sl", "pass"], ["random:4"], BOARDS, tmp_path), "read back from the records"


def test_the_table_has_a_cell_for_every_match(capsys):
    assert main(["ladder", "sayc-sl", "pass", "--boards", "shipped", "--limit", "40"]) == 0
    table = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    assert table[0] == "| IMPs/board | `sayc-sl` | `pass` |"
    filled = [[bool(cell.strip()) for cell in line.split("|")[2:-1]] for line in table[2:]]
    assert filled == [[False, True], [True, False]]


def test_records_of_different_agents_are_different_files(tmp_path):
    with pytest.raises(BridgeError, match="same name of a record"):
        ladder.climb(["random:1", "random_1"], [], BOARDS, tmp_path)


def test_an_agent_does_not_meet_itself():
    for names, others in ((["pass"], []), (["pass", "pass"], []), (["pass"], ["pass"])):
        with pytest.raises(BridgeError, match="each named once"):
            ladder.climb(names, others, BOARDS)
