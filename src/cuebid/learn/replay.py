"""A prioritized replay buffer (Schaul et al. 2016) of transitions, on the device."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import torch
from torch import Tensor

from cuebid.learn.rollout import Transitions

LEAST = 1e-3
"""Added to every |advantage|, so that nothing is never seen again."""


class Replay:
    """The newest `capacity` transitions. Rows are drawn in proportion to |advantage| to the power of `exponent`."""

    def __init__(self, capacity: int, exponent: float, device: torch.device) -> None:
        self.capacity, self.exponent, self.device = capacity, exponent, device
        self._kept: Transitions | None = None
        self._priority = torch.empty(0)
        self._next = 0

    def __len__(self) -> int:
        return 0 if self._kept is None else len(self._kept)

    def add(self, new: Transitions) -> None:
        """New ones take the place of the oldest; they are drawn as readily as the readiest."""
        new = new[-self.capacity :] if len(new) > self.capacity else new
        highest = self._priority.max() if len(self) else torch.ones((), device=new.reward.device)
        priority = torch.ones_like(new.reward) * highest
        if self._kept is None:
            self._kept, self._priority = new, priority
        elif len(self) < self.capacity:
            self._kept = Transitions.joined([self._kept, new])
            self._priority = torch.cat([self._priority, priority])
            over = len(self._kept) - self.capacity
            if over > 0:
                self._kept, self._priority = self._kept[over:], self._priority[over:]
        else:
            place = (self._next + torch.arange(len(new), device=priority.device)) % self.capacity
            for field in fields(Transitions):
                getattr(self._kept, field.name)[place] = getattr(new, field.name)
            self._priority[place] = priority
            self._next = (self._next + len(new)) % self.capacity

    def draw(self, count: int, importance: float, generator: torch.Generator) -> tuple[Tensor, Transitions, Tensor]:
        """Rows, their transitions, and weights float32 [count] that undo a share `importance` of the preference."""
        assert self._kept is not None
        if self.exponent == 0:
            rows = torch.randint(0, len(self), (count,), generator=generator, device=self._priority.device)
            return rows, self._kept[rows], torch.ones(count, device=rows.device)
        rows = torch.multinomial(self._priority, count, replacement=True, generator=generator)
        share = self._priority[rows] / self._priority.sum()
        weight = (len(self) * share) ** -importance
        return rows, self._kept[rows], weight / weight.max()

    def judge(self, rows: Tensor, advantage: Tensor) -> None:
        """Give these rows the priority of their advantages."""
        if self.exponent:
            self._priority[rows] = (advantage.abs() + LEAST) ** self.exponent

    def state_dict(self) -> dict[str, Any]:
        kept = {} if self._kept is None else {f.name: getattr(self._kept, f.name) for f in fields(Transitions)}
        return {"kept": kept, "priority": self._priority, "next": self._next}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        kept = {name: tensor.to(self.device) for name, tensor in state["kept"].items()}
        self._kept = Transitions(**kept) if kept else None
        self._priority, self._next = state["priority"].to(self.device), state["next"]
