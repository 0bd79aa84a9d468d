"""An agent that calls what its network finds most likely."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from cuebid.agents.advice import Advice, Candidate
from cuebid.game import Call, Situation
from cuebid.networks import Network, WeightsError
from cuebid.networks.weights import Form
from cuebid.vector import Auctions, Hands, encodings, gather

CALLS = 38
SHOWN = 0.005
"""Candidates less likely than this are left out of the advice."""


class Policy:
    """Plays a policy network greedily."""

    def __init__(self, network: Network, name: str) -> None:
        if (outputs := network.card.layers.outputs) != CALLS:
            raise WeightsError(
                f"{network.card.name} cannot call: it has {outputs} outputs, not one for each of {CALLS} calls"
            )
        self.network = network
        self.name = name
        self.version = f"sha256 {network.card.sha256[:16]}, {network.form}"

    @classmethod
    def load(cls, path: str | Path, name: str = "", form: Form | None = None) -> Self:
        return cls(Network.load(path, form), name or str(path))

    def probabilities(self, auctions: Auctions, hands: Hands) -> npt.NDArray[np.float64]:
        """float64 [T, 38], zero for illegal calls."""
        return self.network.chances(encodings.policy(auctions, hands), auctions.legal())

    def choose(self, auctions: Auctions, hands: Hands) -> npt.NDArray[np.int64]:
        return self.network.favourites(encodings.policy(auctions, hands), auctions.legal())

    def calls(self, situations: Sequence[Situation]) -> list[Call]:
        for situation in situations:
            situation.check_turn()
        return [Call(call) for call in self.choose(*gather(situations)).tolist()] if situations else []

    def advise(self, situation: Situation) -> Advice:
        situation.check_turn()
        chances = self.probabilities(*gather([situation]))[0]
        ranking = [Candidate(Call(int(call)), float(chances[call])) for call in np.argsort(-chances, kind="stable")]
        return Advice(ranking[0].call, tuple(one for one in ranking if one.probability >= SHOWN))
