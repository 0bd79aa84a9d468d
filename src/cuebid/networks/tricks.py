"""What the network is built of that estimates double dummy tricks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from cuebid.game import BridgeError

COUNTS = 14
"""Tricks that a declarer may take: 0 to 13."""


@dataclass(frozen=True, slots=True)
class TricksArchitecture:
    """A network that knows the 96 symmetries of a deal: exchange suits or turn the table, and its answers follow.

    It keeps one signal for each suit in each hand. A block lets each of them look at the same suit in the four hands,
    from its own on to the left, and at the mean of all suits in them. In the end a declarer's tricks with a suit as
    trumps are read from that suit in his hand, and those in notrump from the mean of his suits.
    """

    width: int = 128
    """Numbers in each signal."""
    blocks: int = 8
    """Of four layers each."""
    kind: Literal["suits"] = "suits"
    """Tells it from an `Architecture` on its card."""

    def __post_init__(self) -> None:
        if self.kind != "suits":
            raise BridgeError(f"no such network of tricks: kind {self.kind!r}")
        if min(self.width, self.blocks) < 1:
            raise BridgeError("a network of tricks has a width and blocks of at least 1")

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of its weights on disk, inputs first."""
        return dict(self._shapes())

    def _shapes(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        width, hidden = self.width, 2 * self.width
        yield from _layer("enter", 13, width)
        for block in range(self.blocks):
            yield from _norm(f"block.{block}.norm", width)
            yield from _layer(f"block.{block}.suit", 4 * width, hidden)
            yield from _layer(f"block.{block}.suits", 4 * width, hidden)
            yield from _layer(f"block.{block}.out", hidden, width)
        yield from _norm("norm", width)
        yield from _layer("trumps", width, COUNTS)
        yield from _layer("notrump", width, COUNTS)


def _layer(name: str, inputs: int, outputs: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{name}.weight", (inputs, outputs)
    yield f"{name}.bias", (outputs,)


def _norm(name: str, width: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{name}.weight", (width,)
    yield f"{name}.bias", (width,)
