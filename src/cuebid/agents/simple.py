"""Agents that know nothing, to measure others against."""

from __future__ import annotations

import random
from collections.abc import Sequence

from cuebid.agents.advice import Advice, Candidate
from cuebid.game import PASS, Call, Situation


class Passer:
    """Always passes."""

    name = "pass"
    version = "1"

    def advise(self, situation: Situation) -> Advice:
        situation.check_turn()
        return Advice(PASS, (Candidate(PASS, 1.0),))

    def calls(self, situations: Sequence[Situation]) -> list[Call]:
        return [self.advise(situation).call for situation in situations]


class Random:
    """Makes any legal call, all equally likely; which one depends on the seed and the situation alone."""

    version = "1"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self.name = f"random:{seed}" if seed else "random"

    def advise(self, situation: Situation) -> Advice:
        situation.check_turn()
        legal = situation.legal
        chosen = random.Random(f"{self.seed} {situation!r}").choice(legal)
        return Advice(chosen, tuple(Candidate(call, 1 / len(legal)) for call in legal))

    def calls(self, situations: Sequence[Situation]) -> list[Call]:
        return [self.advise(situation).call for situation in situations]
