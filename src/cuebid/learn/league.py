"""Whom to play against, so that what once worked is not unlearned: past selves, and rivals that stay as they are."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Literal, TypeVar

import torch
from torch import nn

Opponents = Literal["self", "league", "prioritized"]
Net = TypeVar("Net", bound=nn.Module)

MEMORY = 0.9
"""How slowly the result against a member is forgotten."""
EAGERNESS = 1.0
"""A member that wins an IMP a deal more is met e to this power as often."""


class League:
    """Frozen networks: `rivals` first, who never leave, then copies of `network` as they are admitted.

    `league`: all of a kind are met equally often (fictitious self-play); `prioritized`: those that hurt more are met
    more often.
    """

    def __init__(self, network: nn.Module, opponents: Opponents, most: int, rivals: Sequence[nn.Module] = ()) -> None:
        self._pattern, self.opponents, self.most = network, opponents, most
        self.rivals = len(rivals)
        self.members: list[nn.Module] = [frozen(rival) for rival in rivals]
        self.pain: list[float] = [0.0] * self.rivals
        """What each member won against the learner lately, IMPs a deal."""

    def __len__(self) -> int:
        return len(self.members)

    def admit(self, network: nn.Module) -> None:
        """Add a copy; in a full league the oldest copy but the first leaves, so that the beginning is not forgotten."""
        if len(self) - self.rivals >= self.most:
            leaving = self.rivals + min(1, self.most - 1)
            del self.members[leaving], self.pain[leaving]
        self.members.append(frozen(network))
        self.pain.append(0.0)

    def choose(self, generator: torch.Generator, rival: bool = False) -> int:
        """The member to meet next, among the rivals or among the past selves."""
        start, end = (0, self.rivals) if rival else (self.rivals, len(self))
        eager = EAGERNESS if self.opponents == "prioritized" else 0.0
        weights = torch.tensor([eager * pain for pain in self.pain[start:end]], dtype=torch.float64).softmax(0)
        return start + int(torch.multinomial(weights, 1, generator=generator))

    def learn(self, member: int, imps: float) -> None:
        """The learner's IMPs a deal against this member just now."""
        self.pain[member] = MEMORY * self.pain[member] - (1 - MEMORY) * imps

    def state_dict(self) -> dict[str, Any]:
        return {"members": [member.state_dict() for member in self.members[self.rivals :]], "pain": list(self.pain)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        del self.members[self.rivals :]
        self.pain = list(state["pain"])
        for weights in state["members"]:
            member = frozen(self._pattern)
            member.load_state_dict(weights)
            self.members.append(member)


def frozen(network: Net) -> Net:
    """A copy that does not learn."""
    return copy.deepcopy(network).eval().requires_grad_(False)
