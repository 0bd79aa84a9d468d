"""From points to IMPs and victory points."""

from __future__ import annotations

import math
from bisect import bisect_right

from cuebid.game.errors import BridgeError

IMP_STEPS = (
    20, 50, 90, 130, 170, 220, 270, 320, 370, 430, 500, 600,
    750, 900, 1100, 1300, 1500, 1750, 2000, 2250, 2500, 3000, 3500, 4000,
)  # fmt: skip
"""The least difference in points that is worth 1, 2, … 24 IMPs."""

_GOLDEN = (math.sqrt(5) - 1) / 2


def imps(points: int) -> int:
    """IMPs for a difference in points, with its sign."""
    size = bisect_right(IMP_STEPS, abs(points))
    return size if points >= 0 else -size


def victory_points(margin: float, boards: int) -> tuple[float, float]:
    """Winner's and loser's share of 20 victory points on the WBF continuous scale, to two decimals.

    `margin` is in IMPs, not negative, for a match of that many boards.
    """
    if margin < 0 or boards < 1:
        raise BridgeError(f"victory points need a margin of 0 or more and a board or more; got {margin} over {boards}")
    blitz = 15 * math.sqrt(boards)
    winner = 20.0 if margin >= blitz else 10 + 10 * (1 - _GOLDEN ** (3 * margin / blitz)) / (1 - _GOLDEN**3)
    winner = round(winner, 2)
    return winner, round(20 - winner, 2)
