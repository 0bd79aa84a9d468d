"""How transitions change the networks: PPO, and A2C on a prioritized replay buffer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from cuebid.game import BridgeError
from cuebid.learn.replay import Replay
from cuebid.learn.rollout import Transitions, masked_scores

SMALL = 1e-5


@dataclass(slots=True)
class Learner:
    """The networks in training and what moves them."""

    policy: nn.Module
    value: nn.Module
    optimizer: torch.optim.Optimizer
    reference: nn.Module | None
    """The policy that `pull` draws towards."""
    value_inputs: int
    """How many of the 636 bits the value network reads: all, or the policy's 480."""
    largest_gradient: float

    def expected(self, bits: Tensor) -> Tensor:
        """float32 [M]: the value network's reward for the caller's side."""
        with torch.autocast(bits.device.type, dtype=torch.bfloat16):
            worth: Tensor = self.value(bits[:, : self.value_inputs].to(torch.bfloat16))
        return worth.float()[:, 0]

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


@dataclass(slots=True)
class Told:
    """What an update did, averaged over its steps: on the device until somebody looks."""

    policy_loss: Tensor
    value_error: Tensor
    entropy: Tensor
    pull: Tensor

    def figures(self) -> dict[str, float]:
        told = {name.replace("_", " "): float(getattr(self, name)) for name in self.__slots__}
        if not all(map(_finite, told.values())):
            raise BridgeError(f"training diverged: {told}; the last checkpoint stands. Lower the learning rates")
        return told


def _finite(number: float) -> bool:
    return number - number == 0


def ppo(
    learner: Learner,
    seen: Transitions,
    weights: Weights,
    epochs: int,
    minibatch: int,
    clip: float,
    source: torch.Generator,
) -> Told:
    """Clipped policy gradient over everything seen, in several passes."""
    told = []
    minibatch = min(minibatch, len(seen))
    for _ in range(epochs):
        order = torch.randperm(len(seen), generator=source, device=seen.call.device)
        for start in range(0, len(seen) - minibatch + 1, minibatch):
            part = seen[order[start : start + minibatch]]
            expected = learner.expected(part.bits)
            advantage = part.reward - expected.detach()
            advantage = advantage / (advantage.std() + SMALL)
            chances, ratio = _chances(learner, part)
            gain = torch.minimum(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage).mean()
            told.append(_learn(learner, part, chances, gain, functional.mse_loss(expected, part.reward), weights))
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
        expected = learner.expected(part.bits)
        advantage = part.reward - expected.detach()
        chances, ratio = _chances(learner, part)
        gain = (weight * _capped(ratio, largest_ratio) * advantage).mean()
        error = (weight * (expected - part.reward) ** 2).mean()
        told.append(_learn(learner, part, chances, gain, error, weights))
        replay.judge(rows, advantage)
    return _average(told)


def _chances(learner: Learner, part: Transitions) -> tuple[Tensor, Tensor]:
    """Log chances of all calls now [M, 38], and how much likelier the call made has become [M]."""
    chances = functional.log_softmax(masked_scores(learner.policy, part.bits, part.legal), dim=1)
    return chances, (chances.gather(1, part.call[:, None])[:, 0] - part.log_chance).exp()


def _capped(ratio: Tensor, largest: float) -> Tensor:
    """The ratio, its size held under `largest` while its gradient keeps pointing the way of the log chance."""
    return ratio * (ratio.detach().clamp(max=largest) / ratio.detach())


def _learn(learner: Learner, part: Transitions, chances: Tensor, gain: Tensor, error: Tensor, weights: Weights) -> Told:
    """Descend once; `gain` is the policy's to raise, `error` the value network's to lower."""
    legal = chances.masked_fill(~part.legal, 0)
    entropy = -(chances.exp() * legal).sum(dim=1).mean()
    pull = torch.zeros((), device=entropy.device)
    if learner.reference is not None and weights.pull:
        with torch.no_grad():
            model = functional.log_softmax(masked_scores(learner.reference, part.bits, part.legal), dim=1)
        pull = (chances.exp() * (chances - model).masked_fill(~part.legal, 0)).sum(dim=1).mean()
    policy_loss = -gain - weights.entropy * entropy + weights.pull * pull
    learner.descend(weights.policy * policy_loss + error)
    return Told(policy_loss.detach(), error.detach(), entropy.detach(), pull.detach())


def _average(told: Iterable[Told]) -> Told:
    rows = list(told)
    return Told(*(torch.stack([getattr(row, name) for row in rows]).mean() for name in Told.__slots__))
