"""The shipped networks, as people and programs ask them."""

import json
import time

import numpy as np
import pytest
from support import random_auctions

from cuebid import Auction, BridgeError, Call, Deal, Situation, Vulnerability
from cuebid.agents import VectorAgent, load_agent, shipped
from cuebid.agents.load import WEIGHTS
from cuebid.cli import main
from cuebid.networks import read
from cuebid.vector import gather


def some_situations(count, seed=1):
    owner, auctions = random_auctions(count, seed)
    situations = []
    for table in range(count):
        calls = auctions.to_game(table)
        before = Auction(calls.dealer, calls.calls[: table % len(calls)])
        deal = Deal.from_owner(owner[table].tolist())
        situations.append(Situation.at(deal, before, Vulnerability(int(auctions.vulnerability[table]))))
    return situations


@pytest.mark.parametrize("name", shipped())
def test_every_shipped_network_is_what_its_card_says(name):
    arrays, card = read(WEIGHTS / f"{name}.npz")
    assert card.name == name
    assert arrays
    assert (WEIGHTS / f"{name}.npz").stat().st_size < 16 << 20
    imitates = card.training["method"] == "supervised"
    for told in ("method", "settings", "commit", "commands", "auctions" if imitates else "transitions"):
        assert card.training[told]
    assert card.metrics["accuracy"] > 0.9 if imitates else card.metrics["IMPs v start"] > 1.0
    assert "EPBot" in card.purpose, "a network trained on these corpora says so"


def test_the_same_situation_gets_the_same_call_in_any_company():
    agent = load_agent("sayc-sl")
    assert isinstance(agent, VectorAgent)
    situations = some_situations(600)
    together = agent.calls(situations)
    assert agent.calls(situations[::-1]) == together[::-1]
    assert [agent.advise(situation).call for situation in situations[:50]] == together[:50]
    assert agent.choose(*gather(situations)).tolist() == together
    assert agent.calls([]) == []


def test_probabilities_are_of_legal_calls_and_add_up():
    agent = load_agent("sayc-sl")
    situations = some_situations(300, seed=2)
    chances = agent.probabilities(*gather(situations))
    legal = np.array([[call in situation.legal for call in range(38)] for situation in situations])
    assert (chances[~legal] == 0).all()
    assert np.allclose(chances.sum(axis=1), 1, atol=1e-5)
    for situation in situations[:40]:
        advice = agent.advise(situation)
        assert advice.call == advice.candidates[0].call
        assert [one.probability for one in advice.candidates] == sorted(
            (one.probability for one in advice.candidates), reverse=True
        )


@pytest.mark.parametrize(
    ("hand", "calls", "expected"),
    [
        ("AKJ72.KQ52.84.76", "", "1S"),
        ("KQ4.AJ72.KQ5.J84", "", "1N"),  # 16, balanced
        ("76.Q84.J9752.854", "", "P"),
        ("KQJ9762.4.85.763", "", "3S"),  # a preempt
        ("AQ4.KQ2.AKJ5.KJ4", "", "2C"),  # 23 balanced
        ("KQ62.J4.A852.764", "1H P", "1S"),
        ("K62.Q84.K9732.85", "1H P", "2H"),
        ("QJ62.KJ84.A2.854", "1N P", "2C"),  # Stayman
        ("J4.KQ862.A52.764", "1N P", "2D"),  # transfer
        ("76.Q84.J9752.854", "1N P P P", None),
    ],
)
def test_it_bids_like_standard_american(hand, calls, expected, capsys):
    ended = main(["bid", hand, "--auction", calls, "--agent", "sayc-sl", "--json"])
    if expected is None:
        assert ended == 2
        return
    assert Call(json.loads(capsys.readouterr().out)["call"]) == Call(expected)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["AKQ2.JT9.876.54"], "13 cards; this one has 12"),
        (["AKQ2.JT9.876.544"], "C4 is there twice"),
        (["AKQ2.JT9.876.543", "--auction", "1H P", "--dealer", "N", "--seat", "N"], "it is S's turn, not N's"),
        (["AKQ2.JT9.876.543", "--auction", "1H P P P"], "the auction is over"),
        (["AKQ2.JT9.876.543", "--auction", "1H 1D"], "it is not above 1H"),
        (["AKQ2.JT9.876.543", "--auction", "1H Q"], "no such call: 'Q'"),
        (["AKQ2.JT9.876.543", "--agent", "nobody"], "no such agent: 'nobody'"),
    ],
)
def test_each_mistake_has_its_own_message(arguments, says, capsys):
    assert main(["bid", *arguments]) == 2
    said = capsys.readouterr().err
    assert says in said
    assert said.count("\n") == 1


def test_check_turn_is_asked_of_programs_too():
    agent = load_agent("sayc-sl")
    with pytest.raises(BridgeError, match="it is E's turn"):
        agent.advise(Situation("AKQ2.JT9.876.543", "N", "W", calls=["1H", "P"]))


def test_what_a_person_sees(capsys):
    hand = ["bid", "AKQ2.JT9.876.543", "--auction", "1H P", "--seat", "N"]
    assert main([*hand, "--vul", "ns", "--agent", "sayc"]) == 0
    shown = capsys.readouterr().out
    assert "North to call, North-South vulnerable, South dealt" in shown
    assert "West    North   East    South\n                        1♥\nPass    ?\n" in shown
    assert "sayc calls 2♥\n  2♥ " in shown
    assert main([*hand, "--agent", "max"]) == 0
    candidates = capsys.readouterr().out.split(" calls ")[1].splitlines()[1:]
    assert len(candidates) <= 9
    assert sum(float(line.split("%")[0].split()[-1].rstrip(",")) for line in candidates) == pytest.approx(100, abs=4)
    assert main(["auction", "--seed", "3", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert Auction(told["dealer"], told["calls"]).is_over
    assert main(["agents"]) == 0
    assert "sayc-sl" in capsys.readouterr().out


def test_thousands_at_once_are_fast():
    """Against the same network one at a time, so that it holds on any machine."""
    agent, situations = load_agent("sayc-sl"), some_situations(2_000, seed=3)
    agent.calls(situations[:10])
    start = time.perf_counter()
    agent.calls(situations)
    together = (time.perf_counter() - start) / 2_000
    start = time.perf_counter()
    for situation in situations[:100]:
        agent.advise(situation)
    assert together < (time.perf_counter() - start) / 100 / 3
