"""Trying candidates on imagined deals: bid on, find the tricks, score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cuebid.doubledummy import Estimate, Exact
from cuebid.game import Call, Situation
from cuebid.search.bidding import Table, bid_out
from cuebid.search.particles import Particles, resampled
from cuebid.search.sampling import Floats, Whole
from cuebid.vector import Contracts, Hands, gather, imps


@dataclass(frozen=True, slots=True)
class Tried:
    """What `K` candidates led to on `M` deals."""

    particles: Particles
    contracts: Contracts
    """Of M * K tables, those of the first deal first."""
    scores: Whole
    """[M, K], for the caller's side."""

    @classmethod
    def joined(cls, parts: Sequence[Tried]) -> Tried:
        return cls(
            Particles.joined([part.particles for part in parts]),
            Contracts.joined([part.contracts for part in parts]),
            np.concatenate([part.scores for part in parts]),
        )

    def compared(self) -> tuple[Floats, Floats]:
        """[K, K] twice: the IMPs a candidate (rows) is expected to win against another, and their standard errors.

        Deals of one ancestor count as one observation.
        """
        won = _imps(self.scores[:, :, None] - self.scores[:, None, :])
        share = self.particles.share
        gain = np.einsum("m,mab->ab", share, won)
        off = np.zeros((int(self.particles.ancestor.max()) + 1, *gain.shape))
        np.add.at(off, self.particles.ancestor, share[:, None, None] * (won - gain))
        return gain, np.sqrt((off**2).sum(axis=0))


@dataclass(frozen=True, slots=True)
class Trial:
    """Candidates in a situation, how everybody bids on, and where tricks come from (both, where they are `mixed`)."""

    situation: Situation
    candidates: tuple[Call, ...]
    table: Table
    estimate: Estimate | None
    exact: Exact | None
    perfect_defence: bool

    def on(self, particles: Particles, source: np.random.Generator) -> Tried:
        """Make each candidate with each deal, bid on, and score where it ends; estimated, if there is an estimate."""
        count, many = len(particles), len(self.candidates)
        auctions = gather([self.situation])[0].select(np.zeros(count * many, dtype=np.int64))
        deal = np.repeat(np.arange(count), many)
        auctions.step(np.tile(np.array(self.candidates, dtype=np.int64), count))
        contracts = bid_out(auctions, Hands.of(particles.owner).select(deal), self.table)
        if self.estimate:
            drawn = self.estimate.drawn(particles.owner, source.random(count))
            tricks = np.asarray(contracts.tricks(drawn[deal]))
        else:
            tricks = self._solved(particles, contracts, deal)
        return Tried(particles, contracts, self._scores(contracts, tricks).reshape(count, many))

    def corrected(self, tried: Tried, place: int, count: int, source: np.random.Generator) -> tuple[float, float, int]:
        """What exact tricks on about `count` of the deals change in the IMPs that a candidate wins against the first.

        The mean change, its standard error, and how many deals were solved.
        """
        copies = resampled(tried.particles.weight, count, source)
        kept = np.flatnonzero(copies)
        contracts = tried.contracts.select((kept[:, None] * len(self.candidates) + [place, 0]).ravel())
        some = Particles(tried.particles.owner[kept], copies[kept].astype(np.float64), kept, count)
        tricks = self._solved(some, contracts, np.repeat(np.arange(len(kept)), 2))
        exact = self._scores(contracts, tricks).reshape(-1, 2)
        change = _imps(exact[:, 0] - exact[:, 1]) - _imps(tried.scores[kept, place] - tried.scores[kept, 0])
        mean = float(some.share @ change)
        variance = float(some.share**2 @ (change - mean) ** 2) * len(kept) / max(len(kept) - 1, 1)
        return mean, variance**0.5, len(kept)

    def _solved(self, particles: Particles, contracts: Contracts, deal: Whole) -> Whole:
        """The declarers' exact tricks, int64 [T], at the tables of these deals."""
        assert self.exact is not None
        tricks = np.zeros(len(deal), dtype=np.int64)
        bid = np.flatnonzero(contracts.level)
        cells = np.stack([deal[bid], contracts.strain[bid], contracts.declarer[bid]], axis=1)
        tricks[bid] = self.exact.cells(particles.owner, cells)
        return tricks

    def _scores(self, contracts: Contracts, tricks: Whole) -> Whole:
        vulnerability = np.full(len(tricks), int(self.situation.vulnerability), dtype=np.int64)
        points = contracts.score(tricks, vulnerability, perfect_defence=self.perfect_defence)
        return np.asarray(-points if self.situation.seat & 1 else points)


def _imps(points: Whole) -> Floats:
    return np.asarray(imps(points.ravel()).reshape(points.shape), dtype=np.float64)
