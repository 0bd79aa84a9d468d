"""Bidding with imagined hands: how likely the auction is with them, and how it would go on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cuebid.game import Situation
from cuebid.networks import Network
from cuebid.search.sampling import Floats, Whole
from cuebid.vector import Auctions, Contracts, Hands, encodings


@dataclass(frozen=True, slots=True)
class Model:
    """How a player is thought to call: as a policy network does, but for a share of calls that it cannot explain."""

    policy: Network
    error: float

    def chances(self, auctions: Auctions, hands: Hands) -> Floats:
        """float64 [T, 38], zero for illegal calls."""
        legal = auctions.legal()
        meant = self.policy.chances(encodings.policy(auctions, hands), legal)
        return np.asarray((1 - self.error) * meant + self.error * legal / legal.sum(axis=1, keepdims=True))

    def favourites(self, auctions: Auctions, hands: Hands) -> Whole:
        """int64 [T]: the calls it likes best."""
        return self.policy.favourites(encodings.policy(auctions, hands), auctions.legal())


@dataclass(frozen=True, slots=True)
class Table:
    """The models of the two sides."""

    north_south: Model
    east_west: Model

    def of(self, seat: int) -> Model:
        return self.east_west if seat & 1 else self.north_south


def explained(situation: Situation, hands: Hands, table: Table, asked: npt.NDArray[np.bool_] | None = None) -> Floats:
    """float64 [N, 4]: the log chance that the players make their calls so far with these hands, by seat.

    The caller's own calls explain nothing. With `asked` (bool [N, 4]) only those players' calls are worked out.
    """
    count = len(hands.words)
    chances = np.zeros((count, 4))
    auctions = Auctions.start(
        np.full(1, int(situation.dealer), dtype=np.int64), np.full(1, int(situation.vulnerability), dtype=np.int64)
    )
    for call in situation.calls:
        seat = int(auctions.turn[0])
        rows = np.arange(count) if asked is None else np.flatnonzero(asked[:, seat])
        if seat != situation.seat and len(rows):
            there = auctions.select(np.zeros(len(rows), dtype=np.int64))
            with np.errstate(divide="ignore"):  # a call that no error explains: minus infinity
                chances[rows, seat] += np.log(table.of(seat).chances(there, hands.select(rows))[:, int(call)])
        auctions.step(np.array([int(call)]))
    return chances


def bid_out(auctions: Auctions, hands: Hands, table: Table) -> Contracts:
    """The contracts where the auctions end if everybody makes the call he likes best."""
    auctions = auctions.select(np.arange(len(auctions)))
    live = np.flatnonzero(~auctions.over)
    while len(live):
        there, held = auctions.select(live), hands.select(live)
        calls = np.full(len(auctions), -1, dtype=np.int64)
        for side in (0, 1):
            rows = np.flatnonzero((there.turn & 1) == side)
            if len(rows):
                calls[live[rows]] = table.of(side).favourites(there.select(rows), held.select(rows))
        auctions.step(calls)
        live = live[~auctions.over[live]]
    return Contracts.of(auctions)
