"""Two matches over the same boards: who won more from the same opponent, and is it chance?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np

from cuebid import formats
from cuebid.formats import Board
from cuebid.game import BridgeError
from cuebid.match.record import Record, pairs, swing
from cuebid.match.result import Tally


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the first match's agent won more than the second's, board by board."""

    agents: tuple[str, str]
    against: str
    plain: Tally
    perfect_defence: Tally
    different: int
    """Boards at which the two won not the same."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def compare(first: str | Path, second: str | Path) -> Comparison:
    """From their records; the boards that both have, which must be the same ones from the first on."""
    played = [pairs(formats.read(path).boards) for path in (first, second)]
    both = list(takewhile(_same, zip(*played, strict=False)))
    if len(both) < min(map(len, played)) or not both:
        raise BridgeError(f"{first} and {second} are not matches over the same boards: number {len(both) + 1} differs")
    heads = [Record.read(match[0][0]).names for match in played]
    if heads[0][1] != heads[1][1]:
        raise BridgeError(f"these matches are against different opponents: {heads[0][1]} and {heads[1][1]}")
    numbers: dict[Any, int] = {}
    deal = np.array([numbers.setdefault(match[0].deal, len(numbers)) for match, _ in both])
    plain, perfect = (
        np.array([swing(one, harsh) - swing(other, harsh) for one, other in both]) for harsh in (False, True)
    )
    tallies = Tally.of(plain, deal), Tally.of(perfect, deal)
    return Comparison((heads[0][0], heads[1][0]), heads[0][1], *tallies, int((plain != 0).sum()))


def _same(matches: tuple[tuple[Board, Board], tuple[Board, Board]]) -> bool:
    one, other = ((board.deal, board.dealer, board.vulnerability) for board, _ in matches)
    return one == other
