"""From situations as people state them to tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cuebid.game import Situation
from cuebid.vector.auctions import Auctions
from cuebid.vector.encodings import Hands

NOBODY = 255


def gather(situations: Sequence[Situation]) -> tuple[Auctions, Hands]:
    """One table for each situation, on NumPy; hands that the player does not see are empty."""
    tables = len(situations)
    dealer = np.array([situation.dealer for situation in situations], dtype=np.int64)
    vulnerability = np.array([situation.vulnerability for situation in situations], dtype=np.int64)
    calls = np.full((tables, max((len(situation.calls) for situation in situations), default=0)), -1, dtype=np.int64)
    owner = np.full((tables, 52), NOBODY, dtype=np.uint8)
    for row, situation in enumerate(situations):
        calls[row, : len(situation.calls)] = situation.calls
        owner[row, list(situation.hand)] = situation.seat

    auctions = Auctions.start(dealer, vulnerability)
    for column in calls.T:
        auctions.step(column)
    return auctions, Hands.of(owner)
