"""What a belief network says about the hidden cards."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from cuebid.networks import Network, WeightsError
from cuebid.networks.belief import HOLDERS, OUTPUTS
from cuebid.vector import Auctions, Hands, encodings

DOUBT = 1e-3
"""A card that may be anywhere is held to be somewhere at least so likely: the network may be wrong, and is not asked
about players it never met."""


class Belief:
    """The chances of every card to be with left-hand opponent, partner, right-hand opponent."""

    def __init__(self, network: Network) -> None:
        if network.card.layers.outputs != OUTPUTS:
            raise WeightsError(
                f"{network.card.name} is no belief network: it has {network.card.layers.outputs} outputs"
            )
        self.network = network

    @classmethod
    def load(cls, path: str | Path, threads: int = 1) -> Self:
        """From a weights file with its card."""
        return cls(Network.load(path, threads=threads))

    def chances(self, auctions: Auctions, hands: Hands) -> npt.NDArray[np.float32]:
        """float32 [T, 52, 3], cards by number, for the player to call. Of his own cards they mean nothing."""
        scores = self.network(encodings.policy(auctions, hands)).reshape(-1, HOLDERS, 13, 4)
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        told = odds / odds.sum(axis=1, keepdims=True)
        by_card = told.transpose(0, 3, 2, 1).reshape(-1, 52, HOLDERS)
        result: npt.NDArray[Any] = (by_card + DOUBT) / (1 + HOLDERS * DOUBT)
        return result


def uniform(tables: int) -> npt.NDArray[np.float32]:
    """float32 [T, 52, 3] of somebody who believes nothing."""
    return np.full((tables, 52, HOLDERS), 1 / HOLDERS, dtype=np.float32)
