"""The searching agent: what a person and a program are told, and matches that are the same however they are cut."""

import json
import re

import numpy as np
import pytest

from cuebid import Call
from cuebid.agents import Agent, load_agent
from cuebid.agents.search import Searcher
from cuebid.cli import main
from cuebid.match import MatchBoards, run

SMALL = "sayc,proposals=100,deals=16,rounds=1,fewest=0"
CLOSE = ["bid", "AK32.A9.KQ76.J43", "--auction", "1D 2C"]


def test_a_person_is_told_why(capsys):
    assert main(CLOSE) == 0
    shown = capsys.readouterr().out
    assert re.search(r"search:sayc calls .+(agrees|the policy alone calls)", shown)
    assert re.search(r"X +\d+\.\d% +█+ +[+-]\d+\.\d\d ± \d\.\d\d IMPs v .+leads to \d[♣♦♥♠N]", shown)
    assert "deals drawn" in shown
    assert "partner" in shown.split("believed")[1]
    assert main(["bid", "K2.AQT85.QJ42.63", "--auction", "1S P", "--agent", f"search:{SMALL}"]) == 0
    assert "the policy is sure, nothing was searched" in capsys.readouterr().out


def test_a_program_is_told_everything(capsys):
    assert main([*CLOSE, "--agent", f"search:{SMALL}", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["agent"] == f"search:{SMALL}"
    search = told["search"]
    assert {"outcome", "drawn", "kept", "telling", "seconds", "candidates", "hands"} <= set(search)
    first = search["candidates"][0]
    assert {"call", "probability", "against", "best", "contracts"} == set(first)
    assert [hand["player"] for hand in search["hands"]] == ["left-hand opponent", "partner", "right-hand opponent"]
    assert set(search["hands"][1]["lengths"]) == set("SHDC")
    if search["outcome"] == "agreed":
        assert told["call"] == search["policy"]


def test_seconds_reach_the_search(capsys):
    assert main([*CLOSE, "--seconds", "0.2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["agent"] == "search:sayc,seconds=0.2"
    with pytest.raises(SystemExit):
        main([*CLOSE, "--seconds", "0"])
    assert "seconds above 0" in capsys.readouterr().err


def test_a_match_is_the_same_whole_and_in_parts(tmp_path):
    """Stopped between two parts and gone on with, boards at once or two by two: the same record."""
    boards = MatchBoards.random(6, 4)
    agents = load_agent(f"search:{SMALL}"), load_agent("sayc-sl")
    assert isinstance(agents[0], Agent)
    whole = run(agents, boards, tmp_path / "whole.pbn")
    run(agents, boards[:4], tmp_path / "parts.pbn", part=2)
    parts = run(agents, boards, tmp_path / "again.pbn", part=2)
    assert whole.plain == parts.plain
    assert (tmp_path / "whole.pbn").read_bytes() == (tmp_path / "again.pbn").read_bytes()
    told = agents[0].told()
    assert told["decisions"] > 0
    assert told["a second"] > 0


def test_what_nobody_need_search_costs_no_search():
    agent = Searcher(SMALL)
    from cuebid import Situation

    sure = Situation("K2.AQT85.QJ42.63", calls=["1S", "P"])
    assert agent.calls([sure, sure]) == [Call("2H")] * 2
    told = agent.told()
    assert (told["decisions"], told["not needed"], told["median seconds"]) == (2, 2, 0)
    assert agent.calls([]) == []


def test_the_match_command_tells_how_the_search_went(capsys):
    assert main(["match", f"search:{SMALL}", "pass", "--boards", "3"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"search:.*: \d+ decisions, \d+\.\d a second: not needed", shown)
    assert main(["match", f"search:{SMALL}", "pass", "--boards", "2", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["searches"][f"search:{SMALL}"]
    assert np.isfinite(list(told.values())).all()
