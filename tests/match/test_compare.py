"""Two records over the same boards, compared board by board."""

import json

import pytest

from cuebid import BridgeError
from cuebid.agents import load_agent
from cuebid.cli import main
from cuebid.match import MatchBoards, compare, run


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    folder = tmp_path_factory.mktemp("records")
    boards, opponent = MatchBoards.random(30, 3), load_agent("gf-sl")
    results = {}
    for name in ("sayc", "sayc-sl"):
        results[name] = run((load_agent(name), opponent), boards, folder / f"{name}.pbn")
    run((load_agent("sayc"), opponent), boards[:20], folder / "short.pbn")
    run((load_agent("sayc"), opponent), MatchBoards.random(30, 4), folder / "others.pbn")
    run((load_agent("sayc"), load_agent("pass")), boards, folder / "passed.pbn")
    return folder, results


def test_the_difference_is_that_of_the_results(records):
    folder, results = records
    found = compare(folder / "sayc.pbn", folder / "sayc-sl.pbn")
    for scoring in ("plain", "perfect_defence"):
        one, other = (getattr(results[name], scoring).imps_per_board for name in ("sayc", "sayc-sl"))
        assert getattr(found, scoring).imps_per_board == pytest.approx(one - other)
    assert found.agents == ("sayc", "sayc-sl")
    assert found.plain.won + found.plain.lost == found.different
    back = compare(folder / "sayc-sl.pbn", folder / "sayc.pbn")
    assert back.plain.imps_per_board == pytest.approx(-found.plain.imps_per_board)
    assert back.plain.standard_error == pytest.approx(found.plain.standard_error)


def test_the_boards_that_both_have_count(records):
    folder, _ = records
    same = compare(folder / "sayc.pbn", folder / "short.pbn")
    assert (same.plain.boards, same.different, same.plain.standard_error) == (20, 0, 0)


def test_what_cannot_be_compared_is_told(records, capsys):
    folder, _ = records
    with pytest.raises(BridgeError, match="number 1 differs"):
        compare(folder / "sayc.pbn", folder / "others.pbn")
    with pytest.raises(BridgeError, match="different opponents: gf-sl and pass"):
        compare(folder / "sayc.pbn", folder / "passed.pbn")
    assert main(["compare", str(folder / "sayc.pbn"), str(folder / "sayc-sl.pbn")]) == 0
    assert "sayc beside sayc-sl, each against gf-sl" in capsys.readouterr().out
    assert main(["compare", str(folder / "sayc.pbn"), str(folder / "sayc-sl.pbn"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["plain"]["boards"] == 30
