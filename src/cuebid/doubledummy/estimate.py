"""Tricks estimated by a network, in a small part of the solver's time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cuebid.doubledummy.solve import Bytes, Cells, checked
from cuebid.networks.onnx import Graph
from cuebid.networks.runtime import session
from cuebid.networks.tricks import COUNTS, TricksArchitecture
from cuebid.networks.weights import Arrays, read

Floats = npt.NDArray[np.float32]
BATCH = 64
"""Deals worked on at once: more of them leave the processor's caches."""


class Estimate:
    """Estimated tricks, asked for like `Exact` ones; what it tells is the expected number, which is no whole number.

    `path` is a weights file that `cuebid train tricks` wrote. The 96 images of a deal get the same estimates, in any
    company.
    """

    def __init__(self, path: str | Path, threads: int = 1) -> None:
        arrays, card = read(path)
        self.card = card
        self._session = session(_model(card.estimator, arrays), threads)

    def chances(self, owner: Bytes) -> Floats:
        """float32 [N, 4, 5, 14]: how likely each declarer is to take each count of tricks in each strain."""
        owner = np.ascontiguousarray(owner, dtype=np.uint8)
        parts = [
            self._session.run(None, {"owner": owner[start : start + BATCH]})[0] for start in range(0, len(owner), BATCH)
        ]
        return np.concatenate([np.empty((0, 20 * COUNTS), np.float32), *parts]).reshape(-1, 4, 5, COUNTS)

    def tables(self, owner: Bytes) -> Floats:
        """float32 [N, 4, 5]: the tricks to expect of every declarer in every strain."""
        return np.asarray(self.chances(owner) @ np.arange(COUNTS, dtype=np.float32), dtype=np.float32)

    def drawn(self, owner: Bytes, luck: npt.NDArray[np.float64]) -> Bytes:
        """uint8 [N, 4, 5]: tables drawn by the chances, one for each `luck` [N] from 0 to 1.

        One draw makes a whole table: where it goes well for North-South, it goes as badly for East-West.
        """
        below = self.chances(owner).cumsum(axis=-1)[..., :-1]
        lucky = np.stack([luck, 1 - luck, luck, 1 - luck], axis=1)[:, :, None, None]
        return np.asarray((below < lucky).sum(axis=-1), dtype=np.uint8)

    def cells(self, owner: Bytes, cells: Cells) -> Floats:
        """float32 [M]: the tricks to expect in the cells [M, 3], rows of (deal, strain, declarer)."""
        owner, cells = checked(owner, cells)
        deals, place = np.unique(cells[:, 0], return_inverse=True)
        expected: Floats = self.tables(owner[deals])[place, cells[:, 2], cells[:, 1]]
        return expected


def _model(architecture: TricksArchitecture, arrays: Arrays) -> bytes:
    """Of `learn.tricks.TricksNetwork`, with the chances for output; signals are [N, 4 seats, 4 suits, width]."""
    graph = Graph({"owner": (np.uint8, 52)}, "chances")

    def numbers(*values: int) -> str:
        return graph.constant(np.array(values, dtype=np.int64))

    def weights(name: str) -> tuple[str, str]:
        weight, bias = (graph.constant(arrays[f"{name}.{part}"].astype(np.float32)) for part in ("weight", "bias"))
        return weight, bias

    def layer(name: str, signal: str) -> str:
        weight, bias = weights(name)
        return graph.add("Add", [graph.add("MatMul", [signal, weight]), bias])

    def norm(name: str, signal: str) -> str:
        return graph.add("LayerNormalization", [signal, *weights(name)])

    def around(signal: str, dimensions: int) -> str:
        turns: Sequence[Sequence[int]] = [[(seat + turn) % 4 for seat in range(4)] for turn in range(1, 4)]
        turned = [graph.add("Gather", [signal, numbers(*seats)], axis=1) for seats in turns]
        return graph.add("Concat", [signal, *turned], axis=dimensions - 1)

    holders = graph.add("Reshape", ["owner", numbers(-1, 1, 4, 13)])
    held = graph.add("Equal", [holders, graph.constant(np.arange(4, dtype=np.uint8).reshape(4, 1, 1))])
    signal = layer("enter", graph.add("Cast", [held], to=1))
    for block in range(architecture.blocks):
        normed = norm(f"block.{block}.norm", signal)
        mean = graph.add("ReduceMean", [normed, numbers(2)], keepdims=0)
        suits = graph.add("Unsqueeze", [layer(f"block.{block}.suits", around(mean, 3)), numbers(2)])
        seen = graph.add("Add", [layer(f"block.{block}.suit", around(normed, 4)), suits])
        signal = graph.add("Add", [signal, layer(f"block.{block}.out", graph.add("Gelu", [seen]))])
    signal = norm("norm", signal)
    notrump = layer("notrump", graph.add("ReduceMean", [signal, numbers(2)], keepdims=1))
    scores = graph.add("Concat", [layer("trumps", signal), notrump], axis=2)
    graph.add("Reshape", [graph.add("Softmax", [scores]), numbers(-1, 20 * COUNTS)], output="chances")
    return graph.model()
