"""Past selves to play against, so that what once worked is not unlearned."""

from __future__ import annotations

import copy
from typing import Any, Literal

import torch
from torch import nn

Opponents = Literal["self", "league", "prioritized"]

MEMORY = 0.9
"""How slowly the result against a member is forgotten."""
EAGERNESS = 1.0
"""A member that wins an IMP a deal more is met e to this power as often."""


class League:
    """Frozen copies of a network. `league`: all met equally often (fictitious self-play); `prioritized`: those that
    hurt more are met more often."""

    def __init__(self, network: nn.Module, opponents: Opponents, most: int) -> None:
        self._pattern, self.opponents, self.most = network, opponents, most
        self.members: list[nn.Module] = []
        self.pain: list[float] = []
        """What each member won against the learner lately, IMPs a deal."""

    def __len__(self) -> int:
        return len(self.members)

    def admit(self, network: nn.Module) -> None:
        """Add a copy; in a full league the oldest but the first leaves, so that the beginning is never forgotten."""
        if len(self) >= self.most:
            leaving = min(1, self.most - 1)
            del self.members[leaving], self.pain[leaving]
        self.members.append(_frozen(network))
        self.pain.append(0.0)

    def choose(self, generator: torch.Generator) -> int:
        """The member to meet next."""
        eager = EAGERNESS if self.opponents == "prioritized" else 0.0
        weights = torch.tensor([eager * pain for pain in self.pain], dtype=torch.float64).softmax(0)
        return int(torch.multinomial(weights, 1, generator=generator))

    def learn(self, member: int, imps: float) -> None:
        """The learner's IMPs a deal against this member just now."""
        self.pain[member] = MEMORY * self.pain[member] - (1 - MEMORY) * imps

    def state_dict(self) -> dict[str, Any]:
        return {"members": [member.state_dict() for member in self.members], "pain": list(self.pain)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.members, self.pain = [], list(state["pain"])
        for weights in state["members"]:
            member = _frozen(self._pattern)
            member.load_state_dict(weights)
            self.members.append(member)


def _frozen(network: nn.Module) -> nn.Module:
    return copy.deepcopy(network).eval().requires_grad_(False)
