"""Contracts, scores and IMPs at many tables at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from array_api_compat import array_namespace, device

from cuebid.game.scoring import IMP_STEPS
from cuebid.vector.auctions import Auctions
from cuebid.vector.tables import Array, Tables


@dataclass(slots=True)
class Contracts(Tables):
    """The contracts of `T` tables; where all passed, `level` is 0 and the rest means nothing."""

    level: Array
    """int64 [T], 1..7, or 0 where all passed."""
    strain: Array
    """int64 [T], clubs 0 to notrump 4."""
    doubled: Array
    """int64 [T], 0, 1 or 2."""
    declarer: Array
    """int64 [T], seats 0..3."""

    @classmethod
    def of(cls, auctions: Auctions) -> Self:
        """The contracts as the auctions stand."""
        xp, place = array_namespace(auctions.highest), device(auctions.highest)
        bid = xp.where(auctions.highest < 0, 0, auctions.highest)
        strain, side = bid % 5, auctions.bidder & 1
        same_strain = 1 + 3 * (strain[:, None] + 5 * xp.arange(7, device=place)[None, :])
        bidders = xp.take_along_axis(auctions.history, same_strain, axis=1)
        first_of_side = (bidders >> xp.astype(8 * side, xp.int32)[:, None]) & 0x10001
        lowest = xp.argmax(xp.astype(first_of_side != 0, xp.int32), axis=1)
        named_by_first = xp.take_along_axis(first_of_side, lowest[:, None], axis=1)[:, 0] & 1
        return cls(
            level=xp.where(auctions.highest < 0, 0, bid // 5 + 1),
            strain=strain,
            doubled=auctions.doubled,
            declarer=xp.where(named_by_first == 1, side, side + 2),
        )

    def tricks(self, table: Array) -> Array:
        """int64 [T]: the declarers' tricks from double dummy tables, integers [T, 4, 5]."""
        xp = array_namespace(self.level)
        row = xp.arange(self.level.shape[0], device=device(self.level))
        return xp.astype(table[row, self.declarer, self.strain], xp.int64)

    def score(self, tricks: Array, vulnerability: Array, *, perfect_defence: bool | Array = False) -> Array:
        """int64 [T]: North-South's points when the declarers take so many tricks.

        With `perfect_defence` (everywhere, or bool [T]) every contract that fails counts as doubled.
        """
        xp = array_namespace(self.level)
        vulnerable = (vulnerability >> (self.declarer & 1)) & 1
        over = tricks - self.level - 6
        doubled = xp.where((over < 0) & (self.doubled == 0) & perfect_defence, 1, self.doubled)
        points = xp.where(over < 0, -_penalty(-over, doubled, vulnerable), self._made(over, vulnerable))
        points = xp.where((self.declarer & 1) == 0, points, -points)
        return xp.where(self.level == 0, 0, points)

    def _made(self, over: Array, vulnerable: Array) -> Array:
        xp = array_namespace(self.level)
        each = xp.where(self.strain < 2, 20, 30)
        odd_tricks = (each * self.level + xp.where(self.strain == 4, 10, 0)) << self.doubled
        game = xp.where(odd_tricks >= 100, 300 + 200 * vulnerable, 50)
        small_slam = xp.where(self.level == 6, 500 + 250 * vulnerable, 0)
        grand_slam = xp.where(self.level == 7, 1000 + 500 * vulnerable, 0)
        each_over = xp.where(self.doubled == 0, each, (100 + 100 * vulnerable) * self.doubled)
        return odd_tricks + game + small_slam + grand_slam + 50 * self.doubled + each_over * over


def _penalty(down: Array, doubled: Array, vulnerable: Array) -> Array:
    xp = array_namespace(down)
    plain = (50 + 50 * vulnerable) * down
    not_vulnerable = xp.where(down <= 3, 200 * down - 100, 300 * down - 400)
    return xp.where(doubled == 0, plain, doubled * xp.where(vulnerable == 1, 300 * down - 100, not_vulnerable))


def imps(points: Array) -> Array:
    """int64 [T]: IMPs for differences in points, with their sign."""
    xp = array_namespace(points)
    steps = xp.asarray(IMP_STEPS, dtype=points.dtype, device=device(points))
    size = xp.astype(xp.searchsorted(steps, xp.abs(points), side="right"), xp.int64)
    return xp.where(points < 0, -size, size)
