"""Searching: imagined deals follow the auction, contracts follow the policy, and the decision follows from them."""

import json
from dataclasses import replace

import numpy as np
import pytest
from support import random_calls

from cuebid import Auction, BridgeError, Call, Deal, Seat, Situation, Vulnerability
from cuebid.agents import load_agent
from cuebid.agents.load import WEIGHTS
from cuebid.agents.policy import Policy
from cuebid.agents.search import Searcher
from cuebid.doubledummy import Exact, owner_of, random_deals
from cuebid.search.bidding import Model, Table, bid_out, explained
from cuebid.search.findings import findings, holdings, to_json
from cuebid.search.particles import Imagination, Particles, resampled
from cuebid.search.settings import Settings
from cuebid.vector import Auctions, Hands

SMALL = "proposals=200,deals=24,rounds=2,fewest=4"
CLOSE = Situation("AK32.A9.KQ76.J43", calls=["1D", "2C"])
"""A decision between several calls."""


@pytest.fixture(scope="module")
def policy():
    return load_agent("sayc")


@pytest.fixture(scope="module")
def table(policy):
    model = Model(policy.network, 0.02)
    return Table(model, model)


def searcher(words=SMALL):
    return Searcher(f"sayc,{words}")


def test_an_auction_is_explained_as_call_by_call_the_policy_makes_it(policy, table):
    """Against the policy asked situation by situation: the product of the others' chances, errors mixed in."""
    situation = Situation("AK32.A9.KQ76.J43", "S", "N", "both", ["1D", "2C", "X", "P", "2D", "P"])
    owner = np.full((3, 52), int(situation.seat), dtype=np.uint8)
    hidden = np.setdiff1d(np.arange(52), list(situation.hand))
    for row in range(3):
        owner[row, hidden] = np.random.default_rng(row).permutation(np.repeat([3, 0, 1], 13))
    expected = np.zeros(3)
    for row in range(3):
        deal = Deal.from_owner(owner[row].tolist())
        auction = Auction(situation.dealer)
        for call in situation.calls:
            if auction.turn != situation.seat:
                view = Situation.at(deal, auction, situation.vulnerability)
                from cuebid.vector import gather

                chance = policy.probabilities(*gather([view]))[0, int(call)]
                expected[row] += np.log(0.98 * chance + 0.02 / len(view.legal))
            auction = auction.after(call)
    assert explained(situation, Hands.of(owner), table).sum(axis=1) == pytest.approx(expected, abs=1e-4)


def test_auctions_end_where_the_policy_takes_them(policy, table):
    owner = random_deals(5, 0, 20)
    start = Auctions.start(np.arange(20) % 4, np.arange(20) // 5)
    contracts = bid_out(start, Hands.of(owner), table)
    assert (start.length == 0).all(), "what it was given is left alone"
    for row in range(20):
        deal, auction = Deal.from_owner(owner[row].tolist()), Auction(Seat(row % 4))
        while not auction.is_over:
            auction = auction.after(policy.advise(Situation.at(deal, auction, Vulnerability(row // 5))).call)
        found = None if not contracts.level[row] else (contracts.level[row], contracts.strain[row])
        assert found == (auction.contract and (auction.contract.bid.level, auction.contract.bid.strain))
        if auction.contract:
            assert (contracts.declarer[row], contracts.doubled[row]) == (
                auction.contract.declarer,
                auction.contract.doubled,
            )


def test_weighing_gives_the_hands_that_throwing_away_gives(table):
    """Roads to the deals that fit an auction meet: belief or uniform, weighed, with exchanges of cards or without, and
    uniform deals thrown away. The last is plain rejection, right by construction; the others must expect the same of
    partner's hand.
    """
    situation = Situation("Q532.A95.Q7.J643", calls=["1N", "P"])
    believed = searcher()._alone.search._belief.chances(*_gathered(situation))[0]
    uniform = np.full((52, 3), 1 / 3, np.float32)
    points = np.maximum(np.arange(52) % 13 - 8, 0)
    means, errors = [], []
    roads = ((believed, "weigh", 0), (believed, "weigh", 12), (uniform, "weigh", 4), (uniform, "filter", 0))
    for chances, history, moves in roads:
        settings = Settings(history=history, proposals=12_000, deals=4000, moves=moves)
        found = Imagination(situation, chances, table, settings).round(np.random.default_rng(0))
        share = found.weight / found.weight.sum()
        partner = found.owner == int(situation.seat.partner)
        counts = np.stack([partner @ points, partner[:, 39:].sum(axis=1)])
        mean = counts @ share
        means.append(mean)
        errors.append(np.sqrt((share**2 * (counts - mean[:, None]) ** 2).sum(axis=1)))
    assert 14.5 < means[-1][0] < 17.5, "a strong notrump"
    for mean, error in zip(means, errors, strict=True):
        assert (np.abs(mean - means[-1]) < 4 * np.hypot(error, errors[-1])).all()


def _gathered(situation):
    from cuebid.vector import gather

    return gather([situation])


def test_copies_part_company_and_the_auction_still_fits(table):
    """Exchanges leave 13 cards in each hand and the caller's own alone, and nobody's call becomes impossible."""
    situation = Situation("2.A965.KQ765.J43", calls=["1S", "P", "2S"])
    uniform = np.full((52, 3), 1 / 3, np.float32)
    found = {}
    for moves in (0, 8):
        settings = Settings(proposals=100, deals=64, moves=moves)
        found[moves] = Imagination(situation, uniform, table, settings).round(np.random.default_rng(0))
        held = (found[moves].owner[:, :, None] == np.arange(4)).sum(axis=1)
        assert (held == 13).all()
        assert (found[moves].owner[:, list(situation.hand)] == int(situation.seat)).all()
    assert len(found[0]) < 32 < len(found[8]) <= 64
    assert found[0].weight.sum() == pytest.approx(found[8].weight.sum())
    assert found[8].telling <= len(found[0])
    opener = {moves: Hands.of(one.owner) for moves, one in found.items()}
    told = {moves: explained(situation, hands, table).sum(axis=1).mean() for moves, hands in opener.items()}
    assert told[8] > told[0] - 1


def test_resampling_takes_each_as_often_as_it_weighs():
    weight = np.array([0.0, 3.0, 1.0, 0.5, 5.5])
    for seed in range(50):
        taken = resampled(weight, 40, np.random.default_rng(seed))
        assert taken.sum() == 40
        assert (np.abs(taken - 4 * weight) <= 1).all()
    assert (resampled(np.zeros(3), 5, np.random.default_rng(0)) == 0).all()


def test_scores_are_those_of_the_contracts_solved_by_hand():
    """Every deal imagined, every candidate: bid on, solved and scored once more by the plain rules."""
    search = searcher("proposals=50,deals=5,rounds=1,tricks=exact,fewest=0,clear=0,moves=2")._alone.search
    policy = load_agent("sayc")
    decision = search.decide(replace_vulnerability(CLOSE, "ns"))
    tried = decision.tried
    assert len(decision.candidates) > 1
    for row in range(len(tried.particles)):
        deal = Deal.from_owner(tried.particles.owner[row].tolist())
        assert deal[CLOSE.seat] == CLOSE.hand
        for place, candidate in enumerate(decision.candidates):
            auction = CLOSE.auction.after(candidate)
            while not auction.is_over:
                auction = auction.after(policy.advise(Situation.at(deal, auction, Vulnerability.NS)).call)
            contract = auction.contract
            tricks = int(Exact(1).cells(owner_of([deal]), np.array([[0, contract.strain, contract.declarer]]))[0])
            points = contract.score(tricks, Vulnerability.NS.includes(contract.declarer))
            ours = contract.declarer.side == CLOSE.seat.side
            assert tried.scores[row, place] == (points if ours else -points)


def replace_vulnerability(situation, vulnerability):
    return Situation(situation.hand, situation.seat, situation.dealer, vulnerability, situation.calls)


def test_a_situation_gets_the_same_decision_in_any_company_and_on_any_number_of_cores():
    one, many = searcher(), searcher()
    first = one._alone.search.decide(CLOSE)
    others = [
        Situation("2.A965.KQ765.J43", calls=["1S", "P", "2S"]),
        CLOSE,
        Situation("AKQ2.JT9.876.543", calls=["1H", "P"]),
    ]
    again = [many._beside.search.decide(situation) for situation in others][1]
    assert (first.tried.particles.owner == again.tried.particles.owner).all()
    assert (first.tried.scores == again.tried.scores).all()
    assert many.calls(others)[1] == first.call == one.advise(CLOSE).call
    other_seed = searcher(f"{SMALL},seed=1")._alone.search.decide(CLOSE)
    assert (
        len(other_seed.tried.particles) != len(first.tried.particles)
        or (other_seed.tried.particles.owner != first.tried.particles.owner).any()
    )


def test_what_the_policy_is_sure_of_is_not_searched():
    agent = searcher()
    advice = agent.advise(Situation("K2.AQT85.QJ42.63", calls=["1S", "P"]))
    assert advice.decision.outcome == "not needed"
    assert advice.decision.tried is None
    assert advice.call == Call("2H")
    assert advice.to_json()["search"]["candidates"] == []


@pytest.mark.parametrize(
    "words",
    [
        "sampling=uniform",
        "sampling=uniform,history=filter",
        "history=filter,clear=0,margin=0",
        "history=ignore",
        "tricks=mixed,exact_deals=2,margin=0",
        "perfect_defence=true",
        "opponents=gf-sl",
    ],
)
def test_every_relative_decides(words):
    decision = searcher(f"{SMALL},{words}")._alone.search.decide(CLOSE)
    assert decision.call in CLOSE.legal
    assert len(decision.candidates) > 1
    json.dumps(to_json(decision))


def test_an_auction_nobody_would_bid_widens_and_falls_back():
    """Where no imagined hand explains the calls, the policy decides and says so."""
    weird = Situation("AQ543.K32.K32.32", calls=["1C", "P", "1S", "P", "6H", "P"])
    agent = searcher("proposals=100,deals=48,rounds=1,least=1e-7,fewest=47")
    decision = agent._alone.search.decide(weird)
    assert decision.call in weird.legal
    assert decision.widened
    assert decision.outcome == "fell back"
    assert decision.call == decision.candidates[0]
    assert findings(decision) == ()
    told = agent.advise(weird).to_json()
    assert told["search"]["outcome"] == "fell back"
    nobody = replace(Settings(), history="filter", proposals=24, deals=24, rounds=1, least=1e-7, fewest=0.0)
    search = agent._alone.search
    search.settings = nobody
    assert search.decide(weird).outcome == "fell back", "no deal was left at all"


def test_a_second_try_helps_where_few_deals_fit():
    """A jump that partner does not make: trusting belief and calls less finds the deals that a first try did not."""
    odd = Situation("AQ543.K32.K32.32", calls=["1C", "P", "1S", "P", "6H", "P"])
    decision = searcher("proposals=300,deals=48,rounds=2,least=1e-7,fewest=14")._alone.search.decide(odd)
    assert decision.widened
    assert decision.outcome in ("agreed", "overrode")
    assert decision.drawn > decision.tried.particles.drawn, "both tries count"


def test_standard_errors_are_those_seen_over_seeds():
    """The same decision with other deals: it spreads as its standard error says, few deals and kin among them."""
    gains, errors = [], []
    for seed in range(24):
        words = f"proposals=150,deals=48,rounds=2,clear=0,fewest=0,seed={seed}"
        decision = searcher(words)._beside.search.decide(CLOSE)
        gains.append(decision.gain[1, 0])
        errors.append(decision.error[1, 0])
    said = np.sqrt(np.mean(np.square(errors)))
    assert 0.6 < said / np.std(gains, ddof=1) < 1.6


def test_close_calls_are_settled_by_exact_tricks():
    """What `mixed` ends with is the estimate, corrected by what exact tricks change on the deals solved."""
    words = f"{SMALL},clear=99,seed=3"
    estimated = searcher(words)._alone.search.decide(CLOSE)
    mixed = searcher(f"{words},tricks=mixed,exact_deals=4")._alone.search.decide(CLOSE)
    assert 2 <= mixed.solved <= 4
    assert estimated.solved == 0
    assert (mixed.tried.scores == estimated.tried.scores).all()
    rival = 1 + int(estimated.gain[1:, 0].argmax())
    assert mixed.error[rival, 0] >= estimated.error[rival, 0]
    assert mixed.gain[rival, 0] == -mixed.gain[0, rival]
    unlimited = searcher(f"{SMALL},clear=0,tricks=mixed,exact_deals=2")._alone.search.decide(CLOSE)
    assert unlimited.solved == 2, "where nothing is ever clear, everything is close"


def test_kin_and_poor_rounds_tell_little():
    owner = np.zeros((4, 52), np.uint8)
    one = Particles(owner, np.ones(4), np.array([7, 7, 7, 7]), 10)
    assert one.telling == pytest.approx(1)
    four = Particles(owner, np.ones(4), np.arange(4), 10)
    assert four.telling == pytest.approx(4)
    assert Particles.joined([four, four]).telling == pytest.approx(8)
    poor = Particles(owner, np.full(4, 1e-9), np.arange(4), 10)
    assert Particles.joined([one, poor]).telling == pytest.approx(1)
    assert Particles(owner[:0], np.zeros(0), np.zeros(0, np.int64), 10).telling == 0
    assert Particles(owner, np.full(4, 1e-200), np.arange(4), 10).telling == pytest.approx(4)


def test_any_situation_gets_a_legal_call():
    rng = np.random.default_rng(9)
    situations = []
    for row, owner in enumerate(random_deals(6, 0, 12)):
        auctions = Auctions.start(np.array([row % 4]), np.array([row // 4]))
        for _ in range(int(rng.integers(0, 9))):
            before = auctions.select(np.array([0]))
            auctions.step(random_calls(auctions.legal(), rng))
            if auctions.over[0]:
                auctions = before
                break
        situations.append(
            Situation.at(Deal.from_owner(owner.tolist()), auctions.to_game(0), Vulnerability(int(row // 4)))
        )
    agent = searcher("proposals=60,deals=16,rounds=1,fewest=2")
    for situation, call in zip(situations, agent.calls(situations), strict=True):
        assert call in situation.legal
    told = agent.told()
    assert told["decisions"] == 12 == sum(told[name] for name in ("not needed", "agreed", "overrode", "fell back"))


def test_time_ends_a_search():
    hurried = searcher("seconds=0.001,proposals=50,deals=4,fewest=0,clear=0")._alone.search.decide(CLOSE)
    assert hurried.rounds == 1
    patient = searcher("seconds=1.5,proposals=50,deals=4,fewest=0,clear=0")._alone.search.decide(CLOSE)
    assert patient.rounds > 1
    assert patient.seconds > 0.5


def test_findings_add_up():
    decision = searcher()._alone.search.decide(CLOSE)
    found, held = findings(decision), holdings(decision)
    assert [one.call for one in found] == [str(call) for call in decision.candidates]
    for one in found:
        assert sum(leads.chance for leads in one.contracts) == pytest.approx(1)
        assert len(one.against) == len(found) - 1
    assert found[0].against[0].imps == pytest.approx(-found[1].against[0].imps)
    scores, share = decision.tried.scores, decision.tried.particles.share
    for place, one in enumerate(found):
        assert sum(leads.chance * leads.score for leads in one.contracts) == pytest.approx(share @ scores[:, place])
    hidden = 40 - CLOSE.hand.hcp
    assert sum(hand.hcp.mean for hand in held) == pytest.approx(hidden)
    for hand in held:
        assert sum(length.mean for length in hand.lengths.values()) == pytest.approx(13)
        assert "SA" not in hand.cards, "the searcher holds it"
    assert sum(hand.cards["DA"] for hand in held) == pytest.approx(1)
    assert [hand.player for hand in held] == ["left-hand opponent", "partner", "right-hand opponent"]


def test_mistakes_are_told():
    with pytest.raises(BridgeError, match="no belief network comes with 'gf-sl'"):
        Searcher("gf-sl").advise(CLOSE)
    with pytest.raises(BridgeError, match="no such setting: 'depth'"):
        load_agent("search:sayc,depth=3")
    with pytest.raises(BridgeError, match="it is S's turn"):
        searcher().advise(Situation(CLOSE.hand, "N", "N", "none", CLOSE.calls))
    for wrong in (
        "seed=-1",
        "seconds=inf",
        "fewest=500",
        "exact_deals=1",
        "least=0.0",
        "proposals=10",
        "error_ours=1.0",
        "seconds=-1.0",
        "margin=-1.0",
    ):
        with pytest.raises(BridgeError):
            load_agent(f"search:sayc,{wrong}")
    assert load_agent("search").name == "search:sayc"
    assert isinstance(load_agent("sayc"), Policy)
    with pytest.raises(BridgeError, match="cannot call"):
        load_agent(str(WEIGHTS / "belief" / "sayc.npz"))
    with pytest.raises(BridgeError, match="no belief network"):
        load_agent(f"search:sayc,belief={WEIGHTS / 'sayc.npz'}").advise(CLOSE)
