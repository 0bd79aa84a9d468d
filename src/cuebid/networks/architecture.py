"""What a network is built of. Torch trains it (`learn/`), ONNX Runtime plays it (`runtime`), both from this."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt

from cuebid.game import BridgeError

Floats = npt.NDArray[np.float32]
Kind = Literal["mlp", "residual"]
Activation = Literal["gelu", "relu"]


@dataclass(frozen=True, slots=True)
class Architecture:
    """A stack of fully connected layers from bits to scores."""

    inputs: int = 480
    """Bits read; the first 480 are `encodings.policy`."""
    outputs: int = 38
    """Scores given, one for each call by number."""
    width: int = 1024
    """Neurons in each hidden layer."""
    depth: int = 4
    """Hidden layers."""
    kind: Kind = "mlp"
    """`mlp`: one layer after the other. `residual`: after the first, pairs of layers that the signal also bypasses."""
    activation: Activation = "gelu"
    """After every hidden layer."""
    hand_features: bool = False
    """Let the first layer also read suit lengths, points and honours of the own hand, which are counts of its bits."""

    def __post_init__(self) -> None:
        if self.kind not in ("mlp", "residual") or self.activation not in ("gelu", "relu"):
            raise BridgeError(f"no such network: kind {self.kind!r}, activation {self.activation!r}")
        if min(self.inputs, self.outputs, self.width, self.depth) < 1:
            raise BridgeError("a network has at least one input, output, neuron and layer")
        if self.kind == "residual" and self.depth % 2 == 0:
            raise BridgeError(f"a residual network has one layer and then pairs, an odd depth; got {self.depth}")

    @property
    def layers(self) -> tuple[tuple[int, int], ...]:
        """(inputs, outputs) of each layer, the last without activation."""
        first = self.inputs + (len(hand_counts()[1]) if self.hand_features else 0)
        sizes = [first, *[self.width] * self.depth, self.outputs]
        return tuple(pairwise(sizes))

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of its weights on disk, inputs first."""
        weights = {f"layers.{number}.weight": sizes for number, sizes in enumerate(self.layers)}
        return weights | {f"layers.{number}.bias": (outputs,) for number, (_, outputs) in enumerate(self.layers)}


def hand_counts() -> tuple[Floats, Floats]:
    """The features of a hand as `clip(bits @ weights + bias, 0, 1)`: weights [480, F] and bias [F].

    Each feature says that a count of the own cards is at least k: cards, points, top honours of a suit, the lead of one
    suit over another, points, aces, kings and controls of the hand.
    """
    columns, bias = [], []
    for count, least in _counts():
        for k in least:
            columns.append(np.concatenate([np.zeros(428), count.T.reshape(-1)]))
            bias.append(1.0 - k)
    return np.stack(columns, axis=1).astype(np.float32), np.array(bias, dtype=np.float32)


def _counts() -> Iterator[tuple[Floats, range]]:
    """What each card [suit, rank] counts, and the numbers from which the count is told."""
    suits, ranks = np.eye(4, dtype=np.float32), np.arange(13)
    points = np.maximum(ranks - 8, 0).astype(np.float32)
    ace, king, top_three, top_five = (
        wanted.astype(np.float32) for wanted in (ranks == 12, ranks == 11, ranks >= 10, ranks >= 8)
    )
    every_card, every_suit = np.ones(13, dtype=np.float32), np.ones(4, dtype=np.float32)
    for suit in range(4):
        yield np.outer(suits[suit], every_card), range(1, 9)
        yield np.outer(suits[suit], points), range(1, 11)
        yield np.outer(suits[suit], top_three), range(1, 4)
        yield np.outer(suits[suit], top_five), range(1, 6)
        for other in range(4):
            if other != suit:
                yield np.outer(suits[suit] - suits[other], every_card), range(1, 4)
    yield np.outer(every_suit, points), range(1, 31)
    yield np.outer(every_suit, ace), range(1, 5)
    yield np.outer(every_suit, king), range(1, 5)
    yield np.outer(every_suit, 2 * ace + king), range(1, 13)
