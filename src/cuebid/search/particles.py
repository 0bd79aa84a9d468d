"""Deals that may be the one at the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cuebid.game import Situation
from cuebid.search.belief import uniform
from cuebid.search.bidding import Table, explained
from cuebid.search.sampling import Floats, Sampler, Whole
from cuebid.search.settings import Settings
from cuebid.vector import Hands

Owners = npt.NDArray[np.uint8]
"""[N, 52], the seat that holds each card."""


@dataclass(frozen=True, slots=True)
class Particles:
    """`M` deals, each with what it stands for."""

    owner: Owners
    weight: Floats
    """[M]; those of a round add up to how well its deals fitted the auction, on a scale that all rounds share."""
    ancestor: Whole
    """[M], the number of the deal drawn that it was, before cards were exchanged; such kin tell less than strangers."""
    drawn: int
    """Deals that were drawn to get these."""

    def __len__(self) -> int:
        return len(self.weight)

    @classmethod
    def joined(cls, parts: Sequence[Particles]) -> Particles:
        before = np.cumsum([0, *(part.drawn for part in parts)])
        return cls(
            np.concatenate([part.owner for part in parts]),
            np.concatenate([part.weight for part in parts]),
            np.concatenate([part.ancestor + first for part, first in zip(parts, before[:-1], strict=True)]),
            int(before[-1]),
        )

    @property
    def share(self) -> Floats:
        """float64 [M]: the weights, adding up to 1."""
        return np.asarray(self.weight / self.weight.sum())

    @property
    def telling(self) -> float:
        """How many independent, equally weighted deals would tell as much."""
        if not self.weight.sum() > 0:
            return 0.0
        return float(1 / (np.bincount(self.ancestor, self.share) ** 2).sum())


class Imagination:
    """Imagines the deals that a player may be in, round after round."""

    def __init__(
        self, situation: Situation, chances: npt.NDArray[np.floating], table: Table, settings: Settings
    ) -> None:
        """`chances` [52, 3], in any scale: how he believes each card lies, to his left, opposite, to his right."""
        self._situation, self._table, self._settings = situation, table, settings
        callers = {(situation.dealer + place) % 4 for place in range(len(situation.calls))}
        self._tells = bool(callers - {situation.seat})
        own = np.zeros(52, dtype=bool)
        own[list(situation.hand)] = True
        self._hidden = np.flatnonzero(~own)
        believed = chances if self._tells else uniform(1)[0]  # nobody has told anything yet
        self._sampler = Sampler.fitted(believed[self._hidden], (13, 13, 13))
        self._scale: float | None = None

    def round(self, source: np.random.Generator) -> Particles:
        """Deals for a round of the search."""
        settings = self._settings
        if settings.history == "ignore" or not self._tells:
            owner, _ = self._drawn(settings.deals, source)
            return self._alike(owner, len(owner))
        owner, drawn_as = self._drawn(settings.proposals, source)
        explains = explained(self._situation, Hands.of(owner), self._table)
        likelihood = explains.sum(axis=1)
        if settings.history == "filter":
            kept = np.flatnonzero(np.log(source.random(len(owner))) < likelihood)[: settings.deals]
            return self._alike(owner[kept], len(owner))
        weight = self._scaled(likelihood - drawn_as)
        ancestor = np.repeat(np.arange(len(owner)), resampled(weight, settings.deals, source))
        moved = self._exchanged(owner[ancestor], explains[ancestor], source)
        kin = np.concatenate([ancestor[:, None], moved], axis=1)
        kin, copies = np.unique(kin, axis=0, return_counts=True)
        each = weight.sum() / settings.deals
        return Particles(kin[:, 1:].astype(np.uint8), copies * each, kin[:, 0].astype(np.int64), len(owner))

    def _alike(self, owner: Owners, drawn: int) -> Particles:
        return Particles(owner, np.full(len(owner), 1 / self._settings.deals), np.arange(len(owner)), drawn)

    def _scaled(self, log_weight: Floats) -> Floats:
        """Weights whose largest was 1 in the first round."""
        if self._scale is None:
            self._scale = float(log_weight.max())
        return np.asarray(np.exp(log_weight - self._scale)) if np.isfinite(self._scale) else np.zeros(len(log_weight))

    def _exchanged(self, owner: Owners, explains: Floats, source: np.random.Generator) -> Owners:
        """Deals that fit as well, a few exchanges of two cards away: Metropolis' rule, so that copies part company.

        `explains` [M, 4] is what `explained` says of them.
        """
        rows = np.arange(len(owner))
        for _ in range(self._settings.moves if len(owner) else 0):
            first = source.integers(0, 3, len(owner))
            second = (first + source.integers(1, 3, len(owner))) % 3
            giver, taker = ((int(self._situation.seat) + 1 + one) & 3 for one in (first, second))
            exchanged = owner.copy()
            for gives, takes in ((giver, taker), (taker, giver)):
                card = np.where(owner == gives[:, None], source.random(owner.shape), -1).argmax(axis=1)
                exchanged[rows, card] = takes
            asked = (np.arange(4) == giver[:, None]) | (np.arange(4) == taker[:, None])
            now = np.where(asked, explained(self._situation, Hands.of(exchanged), self._table, asked), explains)
            accepted = np.log(source.random(len(owner))) < (now - explains).sum(axis=1)
            owner = np.where(accepted[:, None], exchanged, owner)
            explains = np.where(accepted[:, None], now, explains)
        return owner

    def _drawn(self, count: int, source: np.random.Generator) -> tuple[Owners, Floats]:
        """Deals, and the log chance of each."""
        holder, log_chance = self._sampler.draw(count, source)
        owner = np.full((count, 52), int(self._situation.seat), dtype=np.uint8)
        owner[:, self._hidden] = (int(self._situation.seat) + 1 + holder) & 3
        return owner, log_chance


def resampled(weight: Floats, count: int, source: np.random.Generator) -> Whole:
    """How often each is taken when `count` are drawn by weight at equal distances: never further off than one."""
    if not weight.sum() > 0:
        return np.zeros(len(weight), dtype=np.int64)
    marks = np.cumsum(weight) / weight.sum() * count
    return np.asarray(np.diff(np.floor(marks + source.random()), prepend=0), dtype=np.int64)
