"""Self-play: rewards are what a match would pay, every method learns, and a run goes on exactly where it was killed."""

import copy
import json
import os
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from support import random_estimator, small_corpus

from cuebid import Auction, BridgeError, Deal, Seat, Situation, Vulnerability, imps
from cuebid.doubledummy import random_deals, shipped_store
from cuebid.match import MatchBoards, run
from cuebid.networks import Architecture, read
from cuebid.vector import encodings, gather

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from cuebid.learn import rollout, selfplay
from cuebid.learn.adan import Adan
from cuebid.learn.captured import Captured
from cuebid.learn.critic import Critic
from cuebid.learn.dealing import Deals, SolvedDeals
from cuebid.learn.examples import Boards, Examples
from cuebid.learn.imitation import Corpus, Data, log_chances
from cuebid.learn.league import League
from cuebid.learn.networks import Layers
from cuebid.learn.postmortem import Reviewed, review
from cuebid.learn.replay import Replay
from cuebid.learn.rollout import Transitions, advantages, duel, play
from cuebid.learn.rounds import SelfPlay
from cuebid.learn.runs import set_rate
from cuebid.learn.updates import Learner, Weights

CPU = torch.device("cpu")


def bid(deals, networks, greedy=True, **options):
    """The first network against the last at every deal."""
    met = torch.full((len(deals),), len(networks) - 1)
    return play(deals, networks, met, torch.Generator().manual_seed(5), greedy=greedy, **options)


class Pushy(torch.nn.Module):
    """Bids on as cheaply as it can with so many points, else passes. Its scores are exact in 16 bits."""

    def __init__(self, points):
        super().__init__()
        self.points = points

    def forward(self, bits):
        worth = torch.tensor([max(rank - 8, 0) for rank in range(13) for _ in range(4)], dtype=bits.dtype)
        strong = (bits[:, 428:] * worth).sum(dim=1) >= self.points
        bids = -torch.arange(38, dtype=bits.dtype)
        scores = bids.repeat(len(bits), 1)
        scores[:, 0] = torch.where(strong, -60, 60).to(bits.dtype)
        scores[:, 1:3] = -50
        return scores


class PushyAgent:
    """The same, asked by a match."""

    version = "1"

    def __init__(self, points):
        self.points, self.name = points, f"pushy {points}"

    def calls(self, situations):
        return [
            next((call for call in situation.legal if call.is_bid), 0) if situation.hand.hcp >= self.points else 0
            for situation in situations
        ]


def drawn(count, seed=0):
    store = shipped_store()
    deals = SolvedDeals(torch.from_numpy(store.owner), torch.from_numpy(store.tricks))
    return deals.draw(count, torch.Generator().manual_seed(seed))


def worth(contract, tricks, vulnerable, strict):
    """What a contract brings its declarer; where `strict`, doubled if it fails."""
    if strict and tricks < contract.tricks_needed and not contract.doubled:
        contract = replace(contract, doubled=1)
    return contract.score(tricks, vulnerable)


def test_imps_are_those_of_a_match(tmp_path):
    """Symmetries, two tables, contracts, scores and IMPs at once, against the plain match and the solver."""
    deals = drawn(60)
    boards = MatchBoards(
        deals.owner.numpy(), deals.dealer.numpy().astype(np.uint8), deals.vulnerability.numpy().astype(np.uint8), "here"
    )
    won = bid(deals, (Pushy(17), Pushy(20))).won
    result = run((PushyAgent(17), PushyAgent(20)), boards)
    assert float(won.double().mean()) == pytest.approx(result.plain.imps_per_board)
    assert int((won > 0).sum()) == result.plain.won
    mean, error = duel(deals, Pushy(17), Pushy(20))
    assert (mean, error) == pytest.approx((result.plain.imps_per_board, result.plain.standard_error), rel=1e-6)


@pytest.mark.parametrize("copies", [1, 3])
def test_every_call_carries_the_mean_imps_of_its_table(copies):
    """Found again with the plain types: each table's auction replayed, scored, and compared with the other seating."""
    deals = drawn(40, seed=1)
    deals.strict[::2] = True
    policy = Layers(Architecture(width=16, depth=1))
    seen = bid(deals, (policy, Pushy(20)), greedy=False, copies=copies, remember=True).seen
    auctions = [Auction(Seat(int(deals.dealer[table % 40]))) for table in range(2 * copies * 40)]
    for table, call in zip(seen.table.tolist(), seen.moments.call.tolist(), strict=True):
        auctions[table] = auctions[table].after(call)
    points = np.zeros(len(auctions), dtype=int)
    for table, auction in enumerate(auctions):
        contract = auction.contract
        if contract is not None:
            tricks = int(deals.tricks[table % 40, contract.declarer, contract.strain])
            vulnerable = Vulnerability(int(deals.vulnerability[table % 40])).includes(contract.declarer)
            score = worth(contract, tricks, vulnerable, bool(deals.strict[table % 40]))
            points[table] = score * (1, -1)[contract.declarer % 2]
    seated = points.reshape(2, copies, 40)
    for table in range(len(auctions)):
        others = seated[1 - table // (40 * copies), :, table % 40]
        mean = np.mean([imps(int(points[table] - other)) for other in others])
        rows = (seen.table == table).nonzero()[:, 0]
        side = torch.where(seen.north_south[rows], 1, -1)
        assert torch.equal(seen.moments.others[rows] * side[:, None], torch.tensor(others).expand(len(rows), copies))
        assert float(seen.earned[table]) * 24 == pytest.approx(mean, abs=1e-5)
    sign = torch.where(seen.north_south, 1.0, -1.0)
    assert torch.equal(seen.moments.reward, seen.earned[seen.table] * sign)
    legal = seen.moments.legal.gather(1, seen.moments.call[:, None])
    assert bool(legal.all())


def test_each_sits_where_it_should_and_sees_the_tricks_from_there():
    deals = drawn(30, seed=2)
    seen = bid(deals, (Pushy(17), Pushy(20)), remember=True, copies=2).seen
    first_seating = seen.table < 60
    assert torch.equal(seen.mine, seen.north_south == first_seating)
    turn = torch.where(seen.moments.bits[:, 428:480].bool(), 1, 0)
    for row in range(0, len(seen.table), 37):
        table = int(seen.table[row]) % 30
        mine = turn[row].reshape(13, 4).T.reshape(-1).bool()
        caller = int(deals.owner[table][mine].unique())
        declarers = [(caller + turned) % 4 for turned in range(4)]
        assert torch.equal(seen.moments.tricks[row].view(4, 5), deals.tricks[table][declarers])
    itself = play(deals, [Pushy(17)], torch.zeros(30, dtype=torch.int64), torch.Generator(), remember=True).seen
    assert bool(itself.mine.all())


def test_raw_score_is_the_tables_own():
    deals = drawn(100, seed=2)
    seen = bid(deals, (Pushy(17), Pushy(17)), remember=True, reward="score").seen
    points = (seen.moments.reward * rollout.LARGEST_SCORE).round().int()
    assert set((points % 10).tolist()) == {0}
    assert int(points.abs().max()) > 24


class Tempted(torch.nn.Module):
    """Pushy, but its second choice is only e^10 less likely than its first. Its scores are exact in 16 bits."""

    def __init__(self, points):
        super().__init__()
        self.pushy = Pushy(points)

    def forward(self, bits):
        weak = self.pushy(bits)[:, 0] > 0
        scores = -10 * torch.arange(-3, 35, dtype=bits.dtype).repeat(len(bits), 1)
        scores[:, 0] = torch.where(weak, 10, -354).to(bits.dtype)
        scores[:, 1:3] = -344
        return scores


def gone_over(deals, networks, met, least, most):
    """What the review should say: each first candidate's situation, played out call by call with the plain types."""
    said = []
    for table in range(2 * len(deals)):
        row = table % len(deals)
        if table >= len(deals) and met[row] == 0:
            continue  # nothing differs from the first table
        deal = Deal.from_owner(deals.owner[row].tolist())
        vulnerability = Vulnerability(int(deals.vulnerability[row]))

        def ranked(auction, deal=deal, vulnerability=vulnerability, row=row, table=table):
            mine = auction.turn % 2 == (table >= len(deals))
            network = networks[0 if mine else int(met[row])]
            situation = Situation.at(deal, auction, vulnerability)
            bits = torch.from_numpy(encodings.policy(*gather([situation])))
            legal = torch.zeros(1, 38, dtype=torch.bool)
            legal[0, [int(call) for call in auction.legal]] = True
            chances = log_chances(network, bits, legal)[0].exp()
            best = sorted(auction.legal, key=lambda call: -float(chances[call]))[:most]
            return network is networks[0], [call for call in best if float(chances[call]) >= least]

        def ended(auction, ranked=ranked):
            while not auction.is_over:
                auction = auction.after(ranked(auction)[1][0])
            return auction.contract

        def points(contract, side, row=row, vulnerability=vulnerability):
            if contract is None:
                return 0
            tricks = int(deals.tricks[row, contract.declarer, contract.strain])
            score = worth(contract, tricks, vulnerability.includes(contract.declarer), bool(deals.strict[row]))
            return score if contract.declarer % 2 == side else -score

        auction = Auction(Seat(int(deals.dealer[row])))
        while not auction.is_over:
            learner, candidates = ranked(auction)
            if learner and len(candidates) > 1:
                side = auction.turn % 2
                results = [points(ended(auction.after(call)), side) for call in candidates]
                gains = [imps(result - results[0]) for result in results]
                said.append((table, [int(call) for call in candidates], gains))
            auction = auction.after(candidates[0])
    return said


def test_a_review_tells_what_every_candidate_would_have_brought():
    """Against itself and against another; at both tables, as this network is too sure to be drawn away."""
    deals, met = drawn(24, seed=8), torch.tensor([0, 1, 1] * 8)
    deals.strict[::2] = True
    networks, least, most = [Tempted(12), Tempted(15)], 1e-9, 3
    found = review(deals, networks, met, torch.Generator().manual_seed(0), least=least, most=most, doubt=0.0)
    expected = sorted(gone_over(deals, networks, met, least, most))
    told = [
        (table, calls[: len(kept)], kept)
        for table, calls, tried, gains in zip(
            *(part.tolist() for part in (found.reviewed.table, found.reviewed.calls, found.reviewed.tried)),
            (found.reviewed.worth * 24).round().int().tolist(),
            strict=True,
        )
        for kept in [[value for value, was in zip(gains, tried, strict=True) if was]]
    ]
    assert sorted(told) == expected
    assert len(expected) > 100
    assert any(min(gains) < 0 < max(gains) for _, _, gains in expected)
    assert not found.won[met == 0].any()


def test_the_second_table_is_gone_over_where_it_differs():
    """Against itself: what was drawn there leads to decisions that the first table never saw, worth something too."""
    deals, policy = drawn(60, seed=9), Layers(Architecture(width=16, depth=1))
    met, source = torch.zeros(60, dtype=torch.int64), torch.Generator().manual_seed(0)
    found = review(deals, [policy], met, source, least=0.02, most=3, doubt=0.0).reviewed
    rows = [(table % 60, bytes(bits.tolist())) for table, bits in zip(found.table.tolist(), found.bits, strict=True)]
    first = {row for row, table in zip(rows, found.table.tolist(), strict=True) if table < 60}
    second = [row for row, table in zip(rows, found.table.tolist(), strict=True) if table >= 60]
    assert len(second) > 20
    assert not first & set(second)
    assert bool(found.worth[found.table >= 60].any())


def test_doubt_tries_what_is_all_but_impossible_and_never_the_illegal():
    deals, met = drawn(40, seed=10), torch.zeros(40, dtype=torch.int64)
    for doubt, expected in ((0.0, 0), (1.0, 1)):
        found = review(deals, [Tempted(12)], met, torch.Generator().manual_seed(0), least=0.5, most=2, doubt=doubt)
        assert bool(len(found.reviewed)) == bool(expected)
        legal = found.reviewed.legal.gather(1, found.reviewed.calls)
        assert bool(legal[found.reviewed.tried].all())


def test_raw_scores_can_be_compared_too():
    deals, met = drawn(40, seed=11), torch.zeros(40, dtype=torch.int64)
    policy, options = Layers(Architecture(width=16, depth=1)), {"least": 0.02, "most": 3, "doubt": 0.0}
    by_reward = [
        review(deals, [policy], met, torch.Generator().manual_seed(0), reward=reward, **options).reviewed.worth
        for reward in ("score", "imps")
    ]
    points, swings = (by_reward[0] * rollout.LARGEST_SCORE).round().int(), (by_reward[1] * 24).round().int()
    assert bool(points.any())
    assert swings.flatten().tolist() == [imps(score) for score in points.flatten().tolist()]


def test_a_post_mortem_raises_what_is_expected_of_the_candidates():
    """The step is that of the expectation's own gradient, worked out slowly."""
    torch.manual_seed(0)
    policy, source = Layers(Architecture(width=8, depth=1)), torch.Generator().manual_seed(3)
    bits = torch.randint(0, 2, (6, 480), generator=source, dtype=torch.uint8)
    calls = torch.stack([torch.randperm(38, generator=source)[:3] for _ in range(6)])
    tried = torch.tensor([[True, True, True]] * 4 + [[True, True, False]] * 2)
    worth = torch.randn(6, 3, generator=source) * tried
    legal = torch.ones(6, 38, dtype=torch.bool)
    log_chance = log_chances(policy, bits, legal).detach().gather(1, calls)
    reviewed = Reviewed(torch.arange(6), bits, legal, calls, tried, log_chance, worth)

    expected = copy.deepcopy(policy)
    scores = log_chances(expected, bits, reviewed.legal).gather(1, calls).masked_fill(~tried, -1e9)
    gain = (scores.softmax(dim=1) * worth).sum(dim=1).mean() / (worth[tried].std() + 1e-5)
    (-gain).backward()

    learner = Learner(
        policy, None, torch.optim.SGD(policy.parameters(), 1.0), largest_gradient=1e9, clip=0.2, largest_ratio=10
    )
    before = [parameter.detach().clone() for parameter in policy.parameters()]
    learner.postmortem(reviewed, Weights(1.0, 0.0, 0.0, 0.0), 1, 6, source)
    for old, new, model in zip(before, policy.parameters(), expected.parameters(), strict=True):
        assert torch.allclose(old - new, model.grad, rtol=0.02, atol=1e-4 * float(model.grad.abs().max()))


def moved(policy, shift, gains):
    """Whether a post-mortem of two candidates moves the policy; their log chances were lower by `shift` before."""
    learner = Learner(policy := copy.deepcopy(policy), None, torch.optim.SGD(policy.parameters(), 1.0),
                      largest_gradient=1e9, clip=0.2, largest_ratio=10)  # fmt: skip
    before = copy.deepcopy(policy)
    source = torch.Generator().manual_seed(3)
    bits = torch.randint(0, 2, (6, 480), generator=source, dtype=torch.uint8)
    calls, tried, legal = torch.tensor([[3, 8]] * 6), torch.ones(6, 2).bool(), torch.ones(6, 38).bool()
    chance = log_chances(policy, bits, legal).detach().gather(1, calls) - torch.tensor([shift])
    reviewed = Reviewed(torch.arange(6), bits, legal, calls, tried, chance, torch.tensor([gains] * 6))
    learner.postmortem(reviewed, Weights(1.0, 0.0, 0.0, 0.0), 1, 6, source)
    pairs = zip(before.parameters(), policy.parameters(), strict=True)
    return max(float((old - new).detach().abs().max()) for old, new in pairs) > 1e-4


def test_entropy_raises_no_call_that_was_not_tried():
    """Nothing could lower it again."""
    torch.manual_seed(0)
    policy, source = Layers(Architecture(width=8, depth=1)), torch.Generator().manual_seed(3)
    bits, legal = torch.randint(0, 2, (64, 480), generator=source, dtype=torch.uint8), torch.ones(64, 38).bool()
    before = log_chances(policy, bits, legal).detach()
    calls, tried = torch.tensor([[3, 8, 0]] * 64), torch.tensor([[True, True, False]] * 64)
    reviewed = Reviewed(torch.arange(64), bits, legal, calls, tried, before.gather(1, calls), torch.zeros(64, 3))
    learner = Learner(policy, None, torch.optim.SGD(policy.parameters(), 0.1), largest_gradient=1e9, clip=0.2,
                      largest_ratio=10)  # fmt: skip
    learner.postmortem(reviewed, Weights(1.0, 1.0, 0.0, 0.0), 20, 64, source)
    after = log_chances(policy, bits, legal).detach()
    gap = [(part[:, 3] - part[:, 8]).abs().mean() for part in (before, after)]
    assert gap[1] < gap[0] / 2, "those that were tried have become alike"
    untried = torch.ones(38).bool().index_fill(0, torch.tensor([3, 8]), False)
    share = [part.exp()[:, untried].sum(dim=1).mean() for part in (before, after)]
    assert float(share[1] / share[0]) == pytest.approx(1, abs=0.02)


def test_a_post_mortem_goes_no_further_than_clip_in_a_round():
    torch.manual_seed(0)
    policy = Layers(Architecture(width=8, depth=1))
    assert moved(policy, [0.0, 0.0], [0.0, 1.0])
    assert moved(policy, [-0.1, 0.1], [0.0, 1.0])
    assert not moved(policy, [-0.5, 0.5], [0.0, 1.0]), "both have moved far enough"
    assert moved(policy, [0.5, -0.5], [0.0, 1.0]), "both have moved the wrong way"


def test_a_post_mortem_does_not_bury_what_is_unlikely_already():
    """Pushed ever lower, such candidates once took the whole policy with them."""
    torch.manual_seed(0)
    policy = Layers(Architecture(width=8, depth=1))
    for bias, lowered in ((0.0, True), (-3.0, True), (-15.0, False)):
        with torch.no_grad():
            policy.layers[-1].bias[8] = bias
        assert moved(policy, [0.0, 0.0], [0.0, 1.0]), "what proves better is raised, however unlikely"
        assert moved(policy, [0.0, 0.0], [0.0, -1.0]) == lowered


@pytest.mark.parametrize("trace", [0.0, 0.8, 1.0])
def test_advantages_are_the_sums_of_their_definition(trace):
    """Table by table: from the caller's side, the λ-weighted surprises of all later calls."""
    deals = drawn(20, seed=6)
    seen = bid(deals, (Layers(Architecture(width=16, depth=1)),), greedy=False, remember=True).seen
    expected = torch.rand(len(seen.table), generator=torch.Generator().manual_seed(1))
    got = advantages(seen, expected, trace)
    for table in range(40):
        rows = (seen.table == table).nonzero()[:, 0].tolist()
        sign = [1 if seen.north_south[row] else -1 for row in rows]
        worth = [float(expected[row]) * side for row, side in zip(rows, sign, strict=True)]
        worth.append(float(seen.earned[table]))
        for place, row in enumerate(rows):
            later = range(place, len(rows))
            total = sum(trace ** (step - place) * (worth[step + 1] - worth[step]) for step in later)
            assert float(got[row]) == pytest.approx(total * sign[place], abs=1e-5)


def test_the_critic_reads_what_it_may():
    seen = some_transitions(50)
    changed = {name: some_transitions(50) for name in ("hidden", "tricks", "others")}
    changed["hidden"].bits[:, 480:] = 1 - seen.bits[:, 480:]
    changed["tricks"].tricks[:] = 13 - seen.tricks
    changed["others"].others[:] = 600 - seen.others
    for sees in ((False, False, False), (True, False, False), (True, True, False), (True, True, True)):
        critic = Critic(16, *sees)
        worth = critic(seen)
        for may, other in zip(sees, changed.values(), strict=True):
            assert torch.equal(worth, critic(other)) == (not may)


def test_the_critic_learns_what_only_the_other_tables_tell():
    """Where the reward is the others' mean IMPs, it is read off the scores; without them it cannot be known."""
    errors = []
    for sees_others in (True, False):
        torch.manual_seed(0)
        critic = Critic(32, False, False, sees_others)
        optimizer = torch.optim.AdamW(critic.parameters(), 3e-3)
        seen = some_transitions(2000)
        seen.reward = -torch.tensor([[imps(int(score)) for score in row] for row in seen.others]).float().mean(1) / 24
        for _ in range(60):
            loss = ((critic(seen) - seen.reward) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        errors.append(loss.item() / float(seen.reward.var()))
    assert errors[0] < 0.1
    assert errors[1] > 0.5


def test_drawn_deals_are_solved_deals_in_other_images():
    deals = drawn(12, seed=3)
    from cuebid.doubledummy import solve_tables

    assert (solve_tables(deals.owner.numpy()) == deals.tricks.numpy()).all()
    none = SolvedDeals(deals.owner, deals.tricks, "none").draw(50, torch.Generator())
    assert not none.vulnerability.any()
    assert set(none.dealer.tolist()) == {0, 1, 2, 3}


def test_training_never_deals_the_shipped_deals(tmp_path):
    """Nor any image of them; all others are dealt, the last ones only to watch."""
    images, others = drawn(30, seed=4), random_deals(5, 0, 70)
    owner = np.concatenate([images.owner.numpy(), others])[np.random.default_rng(1).permutation(100)]
    np.savez(tmp_path / "deals.npz", owner=owner, tricks=np.zeros((100, 4, 5), dtype=np.uint8))
    deals, watch = SolvedDeals.read([tmp_path / "deals.npz"], CPU, "random", 20)
    assert (len(deals), len(watch)) == (50, 20)
    kept = {row.tobytes() for row in np.concatenate([deals.owner.numpy(), watch.owner.numpy()])}
    assert kept == {row.tobytes() for row in others}
    assert not {row.tobytes() for row in deals.owner.numpy()} & {row.tobytes() for row in watch.owner.numpy()}


def some_transitions(count, seed=0):
    source = torch.Generator().manual_seed(seed)
    return Transitions(
        torch.randint(0, 2, (count, 636), generator=source, dtype=torch.uint8),
        torch.randint(0, 14, (count, 20), generator=source, dtype=torch.uint8),
        torch.randint(-60, 60, (count, 2), generator=source, dtype=torch.int16) * 10,
        torch.ones(count, 38, dtype=torch.bool),
        torch.randint(0, 38, (count,), generator=source),
        torch.zeros(count),
        torch.arange(count).float(),
    )


def test_replay_keeps_the_newest_and_prefers_large_advantages():
    replay = Replay(100, 0.8, CPU)
    for start in range(0, 250, 50):
        part = some_transitions(50)
        part.reward += start
        replay.add(part)
    assert len(replay) == 100
    source = torch.Generator().manual_seed(1)
    rows, part, weight = replay.draw(2000, 0.6, source)
    assert set(part.reward.int().tolist()) == set(range(150, 250))
    assert bool((weight == 1).all()), "nothing judged yet: all alike"
    advantage = torch.where(part.reward > 200, 2.0, 0.5)
    replay.judge(rows, advantage)
    rows, part, weight = replay.draw(20_000, 0.6, source)
    high = part.reward > 200
    ratio = (2.001 / 0.501) ** 0.8
    assert float(high.float().mean()) == pytest.approx(49 * ratio / (49 * ratio + 51), abs=0.02)
    assert float(weight[~high].mean() / weight[high].mean()) == pytest.approx(ratio**0.6, rel=1e-3)
    again = Replay(100, 0.8, CPU)
    again.load_state_dict(replay.state_dict())
    assert len(again) == 100


def test_without_exponent_all_are_drawn_alike():
    replay = Replay(50, 0.0, CPU)
    replay.add(some_transitions(50))
    rows, _, weight = replay.draw(50_000, 0.6, torch.Generator().manual_seed(1))
    replay.judge(rows, torch.rand(50_000) * 100)
    rows, _, weight = replay.draw(50_000, 0.6, torch.Generator().manual_seed(2))
    counts = torch.bincount(rows, minlength=50)
    assert int(counts.min()) > 800
    assert bool((weight == 1).all())


def test_league_prefers_who_hurts_and_comes_back():
    network = Layers(Architecture(width=8, depth=1))
    league = League(network, "prioritized", most=3)
    for _ in range(5):
        league.admit(network)
    assert len(league) == 3
    for _ in range(60):
        league.learn(1, -2.0)
    source = torch.Generator().manual_seed(1)
    met = [league.choose(source) for _ in range(600)]
    assert met.count(1) / 600 == pytest.approx(np.e**2 / (np.e**2 + 2), abs=0.06)
    again = League(network, "league", most=3)
    again.load_state_dict(league.state_dict())
    assert again.pain == league.pain
    met = [again.choose(source) for _ in range(600)]
    assert met.count(1) / 600 == pytest.approx(1 / 3, abs=0.06)


def test_rivals_come_first_and_never_leave():
    network = Layers(Architecture(width=8, depth=1))
    rivals = [Layers(Architecture(width=4, depth=1)) for _ in range(2)]
    league = League(network, "league", 2, rivals)
    for _ in range(4):
        league.admit(network)
    assert len(league) == 4
    source = torch.Generator().manual_seed(1)
    assert {league.choose(source, rival=True) for _ in range(50)} == {0, 1}
    assert {league.choose(source) for _ in range(50)} == {2, 3}
    again = League(network, "league", 2, rivals)
    again.load_state_dict(league.state_dict())
    assert [member.architecture.width for member in again.members] == [4, 4, 8, 8]
    league.learn(0, 3.0)
    assert league.pain[0] < 0 == league.pain[1]


def test_adan_is_the_papers_recursion():
    """Algorithm 1 of Xie et al., slowly, on one number."""
    parameter = torch.nn.Parameter(torch.tensor([1.0], dtype=torch.float64))
    adan = Adan([parameter], lr=0.1, weight_decay=0.02)
    x, mean, change, square, before = 1.0, 0.0, 0.0, 0.0, None
    for step in range(1, 8):
        gradient = np.cos(3 * x) + x
        parameter.grad = torch.tensor([gradient], dtype=torch.float64)
        adan.step()
        before = gradient if before is None else before
        difference = gradient - before
        mean = 0.98 * mean + 0.02 * gradient
        change = 0.92 * change + 0.08 * difference
        square = 0.99 * square + 0.01 * (gradient + 0.92 * difference) ** 2
        before = gradient
        m, v, n = mean / (1 - 0.98**step), change / (1 - 0.92**step), square / (1 - 0.99**step)
        x = (x - 0.1 / (np.sqrt(n) + 1e-8) * (m + 0.92 * v)) / (1 + 0.1 * 0.02)
        assert float(parameter.detach()) == pytest.approx(x, rel=1e-5)


SMALL = {
    "name": "small", "width": 32, "depth": 2, "hand_features": True, "value_width": 32, "rounds": 6, "tables": 128,
    "minibatch": 256, "epochs": 1, "learning_rate": 1e-3, "value_learning_rate": 1e-3, "evaluate_every": 3,
    "evaluate_deals": 64, "validation": 1000, "replay": 2000, "burn_in": 500, "updates": 3, "device": "cpu",
}  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"algorithm": "postmortem"},
        {"algorithm": "postmortem", "opponents": "prioritized", "league_every": 2, "reward": "score"},
        {"algorithm": "postmortem", "start": "sayc-sl", "pull": 0.1},
        {"algorithm": "a2c-replay"},
        {"algorithm": "a2c-replay", "priority_exponent": 0.0},
        {"algorithm": "a2c-replay", "optimizer": "adan", "vulnerability": "none"},
        {"value_sees_all": False, "value_sees_tricks": False, "value_sees_others": False},
        {"copies": 2, "trace": 0.9, "sure": 0.9},
        {"opponents": "league", "league_every": 2, "league_most": 2, "league_share": 1.0},
        {"opponents": "prioritized", "league_every": 2},
        {"opponents": "league", "league_share": 0.3, "rivals": ("sayc-sl",), "rival_share": 0.4},
        {"reward": "score", "optimizer": "rmsprop", "kind": "residual", "depth": 5, "activation": "relu"},
        {"average": 0.5},
        {"start": "sayc-sl", "pull": 0.1, "last_pull": 0.01, "value_rounds": 2},
    ],
    ids=str,
)
def test_every_method_opponent_and_ablation_runs(change, tmp_path):
    card = selfplay.train(selfplay.Settings(**(SMALL | change)), tmp_path)
    assert card is not None
    assert card.training["transitions"] > 1000
    arrays, _ = read(tmp_path / "small.npz")
    assert all(np.isfinite(array).all() for array in arrays.values())
    rows = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    expected = {"decisions/s"} if change.get("algorithm") == "postmortem" else {"calls/s", "value error"}
    assert {"minutes", "entropy", "IMPs v start"} | expected <= set(rows[-1])
    assert ("IMPs v league" in rows[-1]) == (change.get("opponents", "self") != "self")


def test_only_the_value_network_learns_at_first(tmp_path):
    asked = selfplay.Settings(**(SMALL | {"start": "sayc-sl", "value_rounds": 2, "rounds": 3}))
    game = SelfPlay(asked)
    before = [parameter.clone() for parameter in game.policy.parameters()]
    value = [parameter.clone() for parameter in game.learner.value.parameters()]
    game.round(0)
    assert all(bool((a == b).all()) for a, b in zip(before, game.policy.parameters(), strict=True))
    assert not all(bool((a == b).all()) for a, b in zip(value, game.learner.value.parameters(), strict=True))
    game.round(2)
    assert not all(bool((a == b).all()) for a, b in zip(before, game.policy.parameters(), strict=True))


@pytest.mark.parametrize("algorithm", ["postmortem", "ppo", "a2c-replay"])
def test_it_improves_on_a_small_problem(algorithm, tmp_path):
    """From a bidder that knows when to stop at nothing: against its start, by far more than the noise."""
    change = {
        "algorithm": algorithm, "rounds": 20, "tables": 256, "minibatch": 1024, "epochs": 2, "updates": 20,
        "learning_rate": 2e-3, "value_learning_rate": 2e-3, "entropy": 0.03, "lowest_entropy": 0.0,
        "evaluate_every": 20, "evaluate_deals": 1000, "width": 64, "replay": 20_000, "burn_in": 5_000,
    }  # fmt: skip
    card = selfplay.train(selfplay.Settings(**(SMALL | change)), tmp_path)
    assert card is not None
    assert card.metrics["IMPs v start"] > 10 * max(card.metrics["± start"], 0.1)


def test_killed_and_resumed_it_ends_in_the_same_bytes(tmp_path):
    change = {"algorithm": "postmortem", "opponents": "league", "league_every": 3, "rounds": 30, "save_every": 0}
    words = [f"{key}={json.dumps(value)}" for key, value in (SMALL | change).items()]
    command = [sys.executable, "-m", "cuebid", "train", "selfplay", *words, "--runs"]
    quiet = {"stdout": subprocess.DEVNULL, "env": os.environ | {"OMP_NUM_THREADS": "1"}}
    subprocess.run([*command, str(tmp_path / "whole")], check=True, **quiet)
    checkpoint, killed = tmp_path / "parts" / "small" / "checkpoint.pt", 0
    for checkpoints in (2, 9):
        with subprocess.Popen([*command, str(tmp_path / "parts")], **quiet) as process:
            seen = set()
            while process.poll() is None and len(seen) <= checkpoints:
                if checkpoint.exists():
                    seen.add(checkpoint.stat().st_mtime_ns)
                time.sleep(0.002)
            killed += process.poll() is None
            process.kill()
    assert killed, "it was never killed in the middle"
    subprocess.run([*command, str(tmp_path / "parts")], check=True, **quiet)
    first, second = ((tmp_path / part / "small" / "small.npz").read_bytes() for part in ("whole", "parts"))
    assert first == second


@pytest.mark.parametrize(
    "change",
    [
        {"opponents": "league", "league_every": 2},
        {"algorithm": "a2c-replay", "average": 0.9},
        {"algorithm": "postmortem", "perfect_defence": 0.5, "estimated": 300, "estimator": "tricks.npz",
         "opponents": "prioritized", "rivals": ("sayc-sl",), "rival_share": 0.5},
    ],
    ids=str,
)  # fmt: skip
def test_stopped_after_every_round_it_ends_in_the_same_bytes(change, tmp_path):
    if "estimator" in change:
        change = change | {"estimator": random_estimator(tmp_path / "tricks.npz")}
    asked = selfplay.Settings(**(SMALL | change))
    assert selfplay.train(asked, tmp_path / "whole") is not None
    parts = 0
    while selfplay.train(asked, tmp_path / "parts", seconds=0) is None:
        parts += 1
    assert parts == asked.rounds - 1
    first, second = ((tmp_path / part / "small.npz").read_bytes() for part in ("whole", "parts"))
    assert first == second


def test_agreement_is_held_by_the_weight_of_imitation(tmp_path):
    """Short of it, imitation is pulled up; beyond it, let go; and what was reached outlives a stop."""
    corpus = small_corpus(tmp_path / "corpus.npz", 200)
    weights = []
    for agreement in (0.1, 0.99):
        change = {"start": "sayc-sl", "corpus": (str(corpus),), "agreement": agreement, "algorithm": "postmortem"}
        change |= {"imitation": 0.5}
        asked = selfplay.Settings(**(SMALL | change))
        folder = tmp_path / str(agreement)
        while (card := selfplay.train(asked, folder, seconds=0)) is None:
            pass
        assert 0 <= card.metrics["agreement with the corpus"] <= 1
        rows = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
        weights.append([row["imitation"] for row in rows])
    falling, rising = weights
    assert falling == sorted(falling, reverse=True)
    assert rising == sorted(rising)
    assert falling[-1] < 0.5 < rising[-1]


def test_openings_count_for_more_in_imitation(tmp_path):
    """The surprise is a mean over the situations, those before any bid counted so often."""
    examples = Examples.of(Boards.read(small_corpus(tmp_path / "corpus.npz", 100)))
    policy, data = Layers(Architecture(width=16, depth=1)), Data(examples, CPU)
    bits, legal, call = data.batch(torch.arange(len(data)))
    before_any_bid = torch.from_numpy(examples.sides == 0)
    assert 0.2 < float(before_any_bid.float().mean()) < 0.8
    surprise = -log_chances(policy, bits, legal).gather(1, call[:, None])[:, 0]
    for openings in (1.0, 3.0):
        weights = torch.where(before_any_bid, openings, 1.0)
        told, _ = Corpus(data, openings).compare(policy, bits, legal, call)
        expected = (weights * surprise).sum() / weights.sum()
        assert float(told.detach()) == pytest.approx(float(expected.detach()), rel=1e-4)


def test_a_collapsed_policy_stops_the_run(tmp_path):
    asked = selfplay.Settings(**(SMALL | {"lowest_entropy": 5.0, "save_every": 0}))
    with pytest.raises(BridgeError, match="entropy has collapsed"):
        selfplay.train(asked, tmp_path)


@pytest.mark.parametrize("algorithm", ["postmortem", "ppo", "a2c-replay"])
def test_a_lost_run_stops_and_its_checkpoint_is_sound(algorithm, tmp_path):
    """The learning rate is made absurd after a checkpoint; what is no number is never saved."""
    change = {"algorithm": algorithm, "save_every": 0, "burn_in": 50, "minibatch": 64}
    assert selfplay.train(selfplay.Settings(**(SMALL | change)), tmp_path, seconds=0) is None
    (tmp_path / "settings.json").unlink()
    with pytest.raises(BridgeError, match="diverged"):
        selfplay.train(selfplay.Settings(**(SMALL | change | {"learning_rate": 1e38})), tmp_path)
    saved = torch.load(tmp_path / "checkpoint.pt", weights_only=True)["policy"]
    assert all(bool(tensor.isfinite().all()) for tensor in saved.values())


@pytest.mark.parametrize(
    "wrong",
    [
        {"most": 1},
        {"least": 0.0},
        {"doubt": 2.0},
        {"algorithm": "postmortem", "copies": 2},
        {"opponents": "league", "rivals": ("sayc-sl",)},
        {"opponents": "league", "rival_share": 0.2},
        {"rivals": ("sayc-sl",), "rival_share": 0.2},
        {"agreement": 0.9},
        {"average": 1.0},
        {"perfect_defence": 0.5},
        {"estimated": 10},
        {"estimator": "tricks.npz"},
    ],
    ids=str,
)
def test_settings_that_cannot_be_meant_are_refused(wrong):
    with pytest.raises(BridgeError):
        selfplay.Settings(**(SMALL | wrong))


def test_settings_files_load():
    from pathlib import Path

    from cuebid import settings
    from cuebid.learn import supervised, tricks

    files = {path.stem: path for path in (Path(__file__).parents[2] / "experiments").glob("*.toml")}
    assert {"qiu-2024", "max", "sayc-sl", "tricks"} <= set(files)
    for name, path in files.items():
        imitates = name == "tries" or "-sl" in name
        kind = tricks.Settings if name == "tricks" else supervised.Settings if imitates else selfplay.Settings
        assert settings.load(kind, path).name


def test_deals_need_stores_with_enough_deals(tmp_path):
    with pytest.raises(BridgeError, match="too few"):
        SolvedDeals.read((), CPU, "random", 20_000)
    assert isinstance(drawn(3), Deals)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="CUDA graphs need a GPU")
def test_recorded_steps_learn_what_plain_ones_learn():
    """Through a change of the learning rate and a last batch of another size."""
    ended = []
    for capture in (False, True):
        torch.manual_seed(0)
        layer = torch.nn.Linear(4, 1).cuda()
        optimizer = torch.optim.AdamW(layer.parameters(), torch.tensor(0.1), fused=True, capturable=True)

        def step(inputs, layer=layer, optimizer=optimizer):
            loss = layer(inputs).square().mean()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            return (loss.detach(),)

        learn = Captured(step) if capture else step
        source = torch.Generator("cuda").manual_seed(1)
        for number, count in enumerate([8] * 12 + [3]):
            set_rate(optimizer, 0.1 / (1 + number))
            learn(torch.randn(count, 4, generator=source, device="cuda"))
        ended.append(torch.cat([parameter.flatten() for parameter in layer.parameters()]).detach())
    assert torch.allclose(*ended, atol=1e-5)
