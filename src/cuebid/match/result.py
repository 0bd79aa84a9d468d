"""What a match came to."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from cuebid.game import Vulnerability, victory_points


@dataclass(frozen=True, slots=True)
class Tally:
    """The first agent's result over some boards."""

    boards: int
    imps_per_board: float | None
    """None where there are no boards."""
    standard_error: float | None
    """Of IMPs per board; boards that share a deal count as one observation. None for fewer than two deals."""
    won: int
    lost: int
    tied: int

    @classmethod
    def of(cls, imps: npt.NDArray[np.int64], deal: npt.NDArray[np.int64]) -> Self:
        """From each board's IMPs [N] and the number of its deal [N]."""
        boards = len(imps)
        mean = float(imps.mean()) if boards else None
        deals, which = np.unique(deal, return_inverse=True)
        spread = None
        if mean is not None and len(deals) > 1:
            off = np.bincount(which, imps - mean, minlength=len(deals))
            spread = math.sqrt(float((off**2).sum()) * len(deals) / (len(deals) - 1)) / boards
        return cls(boards, mean, spread, int((imps > 0).sum()), int((imps < 0).sum()), int((imps == 0).sum()))

    def reversed(self) -> Self:
        """The same seen by the second agent."""
        mean = None if self.imps_per_board is None else -self.imps_per_board
        return type(self)(self.boards, mean, self.standard_error, self.lost, self.won, self.tied)

    def __str__(self) -> str:
        if self.imps_per_board is None:
            return "—"
        spread = "—" if self.standard_error is None else f"{self.standard_error:.2f}"
        return f"{self.imps_per_board:+.2f} ± {spread}"


@dataclass(frozen=True, slots=True)
class Result:
    """A match seen by its first agent. Perfect defence: every contract that fails counts as doubled."""

    agents: tuple[str, str]
    versions: tuple[str, str]
    source: str
    plain: Tally
    perfect_defence: Tally
    victory_points: tuple[float, float]
    perfect_defence_victory_points: tuple[float, float]
    by_vulnerability: dict[str, Tally]
    contested: Tally
    """Boards where both sides did more than pass, at one of the tables or both."""
    uncontested: Tally
    faults: tuple[dict[str, int], dict[str, int]]

    @classmethod
    def of(
        cls,
        names: tuple[str, str],
        versions: tuple[str, str],
        source: str,
        plain: npt.NDArray[np.int64],
        perfect: npt.NDArray[np.int64],
        deal: npt.NDArray[np.int64],
        vulnerability: npt.NDArray[np.int64],
        contested: npt.NDArray[np.bool_],
        faults: tuple[dict[str, int], dict[str, int]],
    ) -> Self:
        """From each board's IMPs [N] under both scorings and what it is grouped by [N]."""

        def points(imps: npt.NDArray[np.int64]) -> tuple[float, float]:
            margin = int(imps.sum())
            winner, loser = victory_points(abs(margin), max(len(imps), 1))
            return (winner, loser) if margin >= 0 else (loser, winner)

        def tally(rows: npt.NDArray[np.bool_]) -> Tally:
            return Tally.of(plain[rows], deal[rows])

        return cls(
            names,
            versions,
            source,
            Tally.of(plain, deal),
            Tally.of(perfect, deal),
            points(plain),
            points(perfect),
            {str(which): tally(vulnerability == which) for which in Vulnerability},
            tally(contested),
            tally(~contested),
            faults,
        )

    def to_json(self) -> dict[str, Any]:
        return asdict(self)
