"""What an agent answers, and what any agent can do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from cuebid.game import Call, Situation
from cuebid.vector import Auctions, Hands


@dataclass(frozen=True, slots=True)
class Candidate:
    """A call that was considered, and how likely the agent is to make it."""

    call: Call
    probability: float


@dataclass(frozen=True, slots=True)
class Advice:
    """The call to make and what else was considered, likeliest first."""

    call: Call
    candidates: tuple[Candidate, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "call": str(self.call),
            "candidates": [
                {"call": str(one.call), "probability": round(one.probability, 6)} for one in self.candidates
            ],
        }


@runtime_checkable
class Agent(Protocol):
    """Anything that can call. The same situation always gets the same call, in whatever company it is asked."""

    @property
    def name(self) -> str:
        """As `load_agent` takes it."""

    @property
    def version(self) -> str:
        """What exactly played, for the record of a match: a weights file's checksum, a program's version."""

    def advise(self, situation: Situation) -> Advice:
        """What to call here and why. It must be this player's turn."""

    def calls(self, situations: Sequence[Situation]) -> list[Call]:
        """The calls in many situations at once."""


@runtime_checkable
class VectorAgent(Agent, Protocol):
    """An agent that answers for many tables without a `Situation` for each."""

    def choose(self, auctions: Auctions, hands: Hands) -> npt.NDArray[np.int64]:
        """Calls [T] by number; auctions that are over must not be asked."""
