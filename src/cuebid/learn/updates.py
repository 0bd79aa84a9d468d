"""How transitions change the networks: PPO, and A2C on a prioritized replay buffer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from cuebid.game import BridgeError
from cuebid.learn.critic import Critic
from cuebid.learn.imitation import Corpus, log_chances
from cuebid.learn.replay import Replay
from cuebid.learn.rollout import Transitions

SMALL = 1e-5
BLOCK = 1 << 17
"""Rows judged at once, to bound the memory."""


@dataclass(slots=True)
class Learner:
    """The networks in training and what moves them."""

    policy: nn.Module
    value: Critic
    optimizer: torch.optim.Optimizer
    reference: nn.Module | None
    """The policy that `pull` draws towards."""
    corpus: Corpus | None
    """The auctions that `imitation` draws towards."""
    largest_gradient: float

    @torch.no_grad()
    def expected(self, seen: Transitions) -> Tensor:
        """float32 [M]: the value network's reward for the caller's side, without learning."""
        blocks = zip(torch.split(seen.bits, BLOCK), torch.split(seen.tricks, BLOCK), strict=True)
        return torch.cat([self.value(bits, tricks) for bits, tricks in blocks])

    def descend(self, loss: Tensor) -> None:
        """One step of the optimizer."""
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.policy.parameters(), self.largest_gradient)
        nn.utils.clip_grad_norm_(self.value.parameters(), self.largest_gradient)
        self.optimizer.step()


@dataclass(slots=True)
class Weights:
    """What counts how much in the loss at this moment of a run."""

    policy: float
    """0 while only the value network learns."""
    entropy: float
    pull: float
    imitation: float


@dataclass(slots=True)
class Told:
    """What an update did, averaged over its steps: on the device until somebody looks."""

    policy_loss: Tensor
    value_error: Tensor
    entropy: Tensor
    pull: Tensor
    agreement: Tensor
    """The share of the corpus' calls that the policy prefers too; not a number where there is no corpus."""

    def figures(self) -> dict[str, float]:
        told = {name.replace("_", " "): float(getattr(self, name)) for name in self.__slots__}
        if told["agreement"] != told["agreement"]:
            del told["agreement"]
        if not all(map(_finite, told.values())):
            raise BridgeError(f"training diverged: {told}; the last checkpoint stands. Lower the learning rates")
        return told


def _finite(number: float) -> bool:
    return number - number == 0


def ppo(
    learner: Learner,
    seen: Transitions,
    advantage: Tensor,
    weights: Weights,
    epochs: int,
    minibatch: int,
    clip: float,
    source: torch.Generator,
) -> Told:
    """Clipped policy gradient over everything seen, in several passes; `advantage` float32 [M] of each call."""
    told = []
    minibatch = min(minibatch, len(seen))
    advantage = advantage / (advantage.std() + SMALL)
    for _ in range(epochs):
        order = torch.randperm(len(seen), generator=source, device=seen.call.device)
        for start in range(0, len(seen) - minibatch + 1, minibatch):
            rows = order[start : start + minibatch]
            part, better = seen[rows], advantage[rows]
            chances, ratio = _chances(learner, part)
            gain = torch.minimum(ratio * better, ratio.clamp(1 - clip, 1 + clip) * better).mean()
            error = functional.mse_loss(learner.value(part.bits, part.tricks), part.reward)
            told.append(_learn(learner, part, chances, gain, error, weights, source))
    return _average(told)


def a2c_replay(
    learner: Learner,
    replay: Replay,
    weights: Weights,
    updates: int,
    minibatch: int,
    importance: float,
    largest_ratio: float,
    source: torch.Generator,
) -> Told:
    """Policy gradient on transitions drawn from the buffer, corrected for how they were made and drawn."""
    told = []
    for _ in range(updates):
        rows, part, weight = replay.draw(minibatch, importance, source)
        expected = learner.value(part.bits, part.tricks)
        advantage = part.reward - expected.detach()
        chances, ratio = _chances(learner, part)
        gain = (weight * _capped(ratio, largest_ratio) * advantage).mean()
        error = (weight * (expected - part.reward) ** 2).mean()
        told.append(_learn(learner, part, chances, gain, error, weights, source))
        replay.judge(rows, advantage)
    return _average(told)


def _chances(learner: Learner, part: Transitions) -> tuple[Tensor, Tensor]:
    """Log chances of all calls now [M, 38], and how much likelier the call made has become [M]."""
    chances = log_chances(learner.policy, part.bits[:, :480], part.legal)
    return chances, (chances.gather(1, part.call[:, None])[:, 0] - part.log_chance).exp()


def _capped(ratio: Tensor, largest: float) -> Tensor:
    """The ratio, its size held under `largest` while its gradient keeps pointing the way of the log chance."""
    return ratio * (ratio.detach().clamp(max=largest) / ratio.detach())


def _learn(
    learner: Learner,
    part: Transitions,
    chances: Tensor,
    gain: Tensor,
    error: Tensor,
    weights: Weights,
    source: torch.Generator,
) -> Told:
    """Descend once; `gain` is the policy's to raise, `error` the value network's to lower."""
    legal = chances.masked_fill(~part.legal, 0)
    entropy = -(chances.exp() * legal).sum(dim=1).mean()
    policy_loss, pull = -gain - weights.entropy * entropy, torch.zeros((), device=entropy.device)
    if learner.reference is not None and weights.pull:
        with torch.no_grad():
            model = log_chances(learner.reference, part.bits[:, :480], part.legal)
        pull = (chances.exp() * (chances - model).masked_fill(~part.legal, 0)).sum(dim=1).mean()
        policy_loss = policy_loss + weights.pull * pull
    agreement = torch.full_like(pull, float("nan"))
    if learner.corpus is not None:
        unlike, agreement = learner.corpus.compare(learner.policy, len(part) // 4, source)
        policy_loss = policy_loss + weights.imitation * unlike
    learner.descend(weights.policy * policy_loss + error)
    return Told(policy_loss.detach(), error.detach(), entropy.detach(), pull.detach(), agreement)


def _average(told: Iterable[Told]) -> Told:
    rows = list(told)
    return Told(*(torch.stack([getattr(row, name) for row in rows]).mean() for name in Told.__slots__))
