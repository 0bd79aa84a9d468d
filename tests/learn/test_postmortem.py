"""Going over a board: what is told of each candidate is true, and what is learned from it is sound."""

import copy

import pytest

from cuebid import Auction, Deal, Seat, Situation, Vulnerability, imps
from cuebid.networks import Architecture
from cuebid.vector import encodings, gather

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from selfplay_support import Pushy, drawn, worth

from cuebid.learn import rollout
from cuebid.learn.imitation import log_chances
from cuebid.learn.networks import Layers
from cuebid.learn.postmortem import Reviewed, review
from cuebid.learn.updates import Learner, Weights


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
