"""The parts of self-play one by one: critic, replay, league, optimizer, imitation, recorded steps."""

import numpy as np
import pytest
from support import small_corpus

from cuebid import imps
from cuebid.networks import Architecture

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from selfplay_support import CPU

from cuebid.learn.adan import Adan
from cuebid.learn.captured import Captured
from cuebid.learn.critic import Critic
from cuebid.learn.examples import Boards, Examples
from cuebid.learn.imitation import Corpus, Data, log_chances
from cuebid.learn.league import League
from cuebid.learn.networks import Layers
from cuebid.learn.replay import Replay
from cuebid.learn.rollout import Transitions
from cuebid.learn.runs import set_rate


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
