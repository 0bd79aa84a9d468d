"""The 96 symmetries of a solved deal: any permutation of the suits and any turn of the table solve another deal.

Symmetry `4 * permutation + turn`: suit `s` of the new deal is suit `PERMUTATIONS[permutation][s]` of the old one, and
every hand moves `turn` seats to the left. Symmetry 0 changes nothing. The code runs on NumPy arrays and, with
`xp=torch`, on Torch tensors on any device.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np

SYMMETRIES = 96
PERMUTATIONS = np.array(list(permutations(range(4))))  # [24, 4]

_permutation, _turn = np.divmod(np.arange(SYMMETRIES), 4)
CARDS = (PERMUTATIONS[_permutation][:, :, None] * 13 + np.arange(13)).reshape(SYMMETRIES, 52)  # the old card
STRAINS = np.concatenate([PERMUTATIONS[_permutation], np.full((SYMMETRIES, 1), 4)], axis=1)  # [96, 5], the old strain
SEATS = (np.arange(4) - _turn[:, None]) % 4  # [96, 4], the old seat
TURNS = _turn[:, None].astype(np.uint8)  # [96, 1]; in bytes, so that owners stay what they are
INVERSES = np.array(  # [96], the symmetry that undoes each
    [
        4 * PERMUTATIONS.tolist().index(np.argsort(PERMUTATIONS[p]).tolist()) + -t % 4
        for p in range(24)
        for t in range(4)
    ]
)


def transform(owner: Any, tricks: Any, symmetry: Any, xp: Any = np) -> tuple[Any, Any]:
    """Apply to each deal its symmetry: owner [N, 52], tricks [N, 4, 5], symmetry [N] of 0..95 (64-bit integers)."""
    on = {"device": owner.device} if hasattr(owner, "device") else {}
    cards, strains, seats, turns = (xp.asarray(table, **on)[symmetry] for table in (CARDS, STRAINS, SEATS, TURNS))
    rows = xp.arange(len(owner), **on)[:, None]
    moved = (owner[rows, cards] + turns) & 3
    return moved, tricks[rows[:, :, None], seats[:, :, None], strains[:, None, :]]
