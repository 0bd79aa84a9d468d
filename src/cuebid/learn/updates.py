"""How transitions change the networks: PPO, and A2C on a prioritized replay buffer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from cuebid.game import BridgeError
from cuebid.learn.captured import Captured, Step
from cuebid.learn.critic import Critic
from cuebid.learn.imitation import ILLEGAL, Corpus, log_chances
from cuebid.learn.postmortem import Reviewed
from cuebid.learn.replay import Replay
from cuebid.learn.rollout import Transitions

SMALL = 1e-5
ATTENTION = 0.01
"""A candidate of a post-mortem is learned from as if it were at least so likely, …"""
HOPELESS = 1e-4
"""… but one that is less likely than this is not made less likely still."""
BLOCK = 1 << 17
"""Rows judged at once, to bound the memory."""


@dataclass(frozen=True, slots=True)
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
    """Not a number where there is no value network."""
    entropy: Tensor
    pull: Tensor
    agreement: Tensor
    """The share of the corpus' calls that the policy prefers too; not a number where there is no corpus."""

    @classmethod
    def of(cls, steps: Sequence[Tensor]) -> Told:
        return cls(*torch.stack(list(steps)).mean(dim=0))

    def figures(self) -> dict[str, float]:
        told = {name.replace("_", " "): float(getattr(self, name)) for name in self.__slots__}
        for name in ("value error", "agreement"):
            if told[name] != told[name]:
                del told[name]
        if not all(map(_finite, told.values())):
            raise BridgeError(f"training diverged: {told}; the last checkpoint stands. Lower the learning rates")
        return told


def _finite(number: float) -> bool:
    return number - number == 0


class Learner:
    """The networks in training and what moves them."""

    def __init__(
        self,
        policy: nn.Module,
        value: Critic | None,
        optimizer: torch.optim.Optimizer,
        *,
        reference: nn.Module | None = None,
        corpus: Corpus | None = None,
        largest_gradient: float,
        clip: float,
        largest_ratio: float,
        capture: bool = False,
    ) -> None:
        """`pull` draws towards `reference`, `imitation` towards `corpus`; `capture` records the steps, on a GPU.

        Only post-mortems do without a value network.
        """
        self.policy, self.value, self.optimizer = policy, value, optimizer
        self.reference, self.corpus = reference, corpus
        self.largest_gradient, self.clip, self.largest_ratio = largest_gradient, clip, largest_ratio
        recorded: type[Captured] | None = Captured if capture else None
        self._ppo: Step = recorded(self._ppo_step) if recorded else self._ppo_step
        self._a2c: Step = recorded(self._a2c_step) if recorded else self._a2c_step
        self._review: Step = recorded(self._review_step) if recorded else self._review_step

    @torch.no_grad()
    def expected(self, seen: Transitions) -> Tensor:
        """float32 [M]: the value network's reward for the caller's side, without learning."""
        assert self.value is not None
        starts = range(0, len(seen), BLOCK)
        return torch.cat([self.value(seen[start : start + BLOCK]) for start in starts])

    def ppo(
        self,
        seen: Transitions,
        advantage: Tensor,
        weights: Weights,
        epochs: int,
        minibatch: int,
        source: torch.Generator,
    ) -> Told:
        """Clipped policy gradient over everything seen, in several passes; `advantage` float32 [M] of each call."""
        told: list[Tensor] = []
        minibatch = min(minibatch, len(seen))
        advantage = advantage / (advantage.std() + SMALL)
        weighed = self._weighed(weights, advantage.device)
        for _ in range(epochs):
            order = torch.randperm(len(seen), generator=source, device=seen.call.device)
            for start in range(0, len(seen) - minibatch + 1, minibatch):
                rows = order[start : start + minibatch]
                inputs = (advantage[rows], weighed, *self._corpus_batch(minibatch, source), *seen[rows].tensors())
                told += self._ppo(*inputs)
        return Told.of(told)

    def a2c_replay(
        self,
        replay: Replay,
        weights: Weights,
        updates: int,
        minibatch: int,
        importance: float,
        source: torch.Generator,
    ) -> Told:
        """Policy gradient on transitions drawn from the buffer, corrected for how they were made and drawn."""
        told = []
        for _ in range(updates):
            rows, part, weight = replay.draw(minibatch, importance, source)
            weighed = self._weighed(weights, weight.device)
            figures, advantage = self._a2c(weight, weighed, *self._corpus_batch(minibatch, source), *part.tensors())
            told.append(figures)
            replay.judge(rows, advantage)
        return Told.of(told)

    def postmortem(
        self, reviewed: Reviewed, weights: Weights, epochs: int, minibatch: int, source: torch.Generator
    ) -> Told:
        """Raise what the policy expects of its candidates, all of which were tried, in several passes.

        PPO's clipped objective with the expectation over calls taken over the candidates, not over calls drawn; only
        candidates that would hardly count in it count for more (`ATTENTION`).
        """
        told: list[Tensor] = []
        minibatch = min(minibatch, len(reviewed))
        scale = 1 / (reviewed.worth[reviewed.tried].std() + SMALL)
        weighed = self._weighed(weights, scale.device)
        for _ in range(epochs):
            order = torch.randperm(len(reviewed), generator=source, device=scale.device)
            for start in range(0, len(reviewed) - minibatch + 1, minibatch):
                rows = order[start : start + minibatch]
                part = (tensor[rows] for tensor in reviewed.tensors())
                told += self._review(scale, weighed, *self._corpus_batch(minibatch, source), *part)
        return Told.of(told)

    def _review_step(self, scale: Tensor, weighed: Tensor, *rest: Tensor) -> tuple[Tensor]:
        similar, (bits, legal, calls, tried, before, worth) = self._parted(rest)
        chances = log_chances(self.policy, bits, legal)
        now = chances.gather(1, calls)
        share = before.masked_fill(~tried, ILLEGAL).softmax(dim=1)
        surplus = worth - (share * worth).sum(dim=1, keepdim=True)
        open_to = tried & ((surplus > 0) | (before > math.log(HOPELESS)))
        better = self._clipped((now - before).exp(), surplus)
        gain = scale * (share.clamp(min=ATTENTION) * better * open_to).sum(dim=1).mean()
        # Entropy among what was tried: spread over all calls it would raise those that nothing here can lower again.
        entropy = _entropy(now.masked_fill(~tried, ILLEGAL).log_softmax(dim=1), tried)
        return (self._descend(bits, legal, chances, gain, entropy, None, weighed, similar),)

    def _ppo_step(self, better: Tensor, weighed: Tensor, *rest: Tensor) -> tuple[Tensor]:
        similar, seen = self._parted(rest)
        part = Transitions(*seen)
        chances, ratio = self._chances(part)
        gain = self._clipped(ratio, better).mean()
        assert self.value is not None
        error = functional.mse_loss(self.value(part), part.reward)
        bits, entropy = part.bits[:, :480], _entropy(chances, part.legal)
        return (self._descend(bits, part.legal, chances, gain, entropy, error, weighed, similar),)

    def _a2c_step(self, weight: Tensor, weighed: Tensor, *rest: Tensor) -> tuple[Tensor, Tensor]:
        similar, seen = self._parted(rest)
        part = Transitions(*seen)
        assert self.value is not None
        expected = self.value(part)
        advantage = part.reward - expected.detach()
        chances, ratio = self._chances(part)
        gain = (weight * _capped(ratio, self.largest_ratio) * advantage).mean()
        error = (weight * (expected - part.reward) ** 2).mean()
        bits, entropy = part.bits[:, :480], _entropy(chances, part.legal)
        return self._descend(bits, part.legal, chances, gain, entropy, error, weighed, similar), advantage

    def _descend(
        self,
        bits: Tensor,
        legal: Tensor,
        chances: Tensor,
        gain: Tensor,
        entropy: Tensor,
        error: Tensor | None,
        weighed: Tensor,
        similar: tuple[Tensor, ...],
    ) -> Tensor:
        """One step of the optimizer: `gain` and `entropy` rise, and the value network's `error`, if it has any, falls.

        The figures of `Told` in a row, float32 [5].
        """
        for_policy, for_entropy, for_pull, for_imitation = weighed
        policy_loss, pull = -gain - for_entropy * entropy, torch.zeros_like(entropy)
        if self.reference is not None:
            with torch.no_grad():
                model = log_chances(self.reference, bits, legal)
            pull = (chances.exp() * (chances - model).masked_fill(~legal, 0)).sum(dim=1).mean()
            policy_loss = policy_loss + for_pull * pull
        unknown = torch.full_like(pull, float("nan"))
        agreement = unknown
        if self.corpus is not None:
            unlike, agreement = self.corpus.compare(self.policy, *similar)
            policy_loss = policy_loss + for_imitation * unlike
        self.optimizer.zero_grad(set_to_none=True)
        loss = for_policy * policy_loss if error is None else for_policy * policy_loss + error
        loss.backward()
        for network in filter(None, (self.policy, self.value)):
            nn.utils.clip_grad_norm_(network.parameters(), self.largest_gradient)
        self.optimizer.step()
        error = unknown if error is None else error
        return torch.stack([policy_loss, error, entropy, pull, agreement]).detach()

    def _clipped(self, ratio: Tensor, better: Tensor) -> Tensor:
        """PPO's gain: no more of it for moving a chance further than `clip` in one round."""
        return torch.minimum(ratio * better, ratio.clamp(1 - self.clip, 1 + self.clip) * better)

    def _chances(self, part: Transitions) -> tuple[Tensor, Tensor]:
        """Log chances of all calls now [M, 38], and how much likelier the call made has become [M]."""
        chances = log_chances(self.policy, part.bits[:, :480], part.legal)
        return chances, (chances.gather(1, part.call[:, None])[:, 0] - part.log_chance).exp()

    def _corpus_batch(self, minibatch: int, source: torch.Generator) -> tuple[Tensor, ...]:
        """A quarter as many situations of the corpus as are learned from."""
        return () if self.corpus is None else self.corpus.draw(max(1, minibatch // 4), source)

    def _parted(self, tensors: Sequence[Tensor]) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
        """The situations of the corpus, and what was seen in self-play."""
        count = 0 if self.corpus is None else Corpus.TENSORS
        return tuple(tensors[:count]), tuple(tensors[count:])

    @staticmethod
    def _weighed(weights: Weights, device: torch.device) -> Tensor:
        return torch.tensor([weights.policy, weights.entropy, weights.pull, weights.imitation], device=device)


def _entropy(chances: Tensor, among: Tensor) -> Tensor:
    """The mean entropy of log chances [M, N], of which only those `among` (bool [M, N]) count."""
    return -(chances.exp() * chances.masked_fill(~among, 0)).sum(dim=1).mean()


def _capped(ratio: Tensor, largest: float) -> Tensor:
    """The ratio, its size held under `largest` while its gradient keeps pointing the way of the log chance."""
    return ratio * (ratio.detach().clamp(max=largest) / ratio.detach())
