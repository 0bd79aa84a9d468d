"""Auctions at many tables at once, on NumPy arrays or Torch tensors (on any device) alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from array_api_compat import array_namespace, device

from cuebid.game import Auction, Seat
from cuebid.vector.tables import Array, Tables

HISTORY = 106


@dataclass(slots=True)
class Auctions(Tables):
    """`T` tables in the middle of their auctions; `step` moves all of them on in place.

    Four flags, one a seat, are kept as the four bytes of a 32-bit word (North's lowest), so that the view of another
    seat is a rotation of words. Word 0 of `history` says who passed before the opening; words `1 + 3 * bid + kind` who
    made (kind 0), doubled (1) or redoubled (2) that bid, bids counted from 0 for 1♣.
    """

    dealer: Array
    """int64 [T], seats 0..3."""
    vulnerability: Array
    """int64 [T], bit 0 North-South, bit 1 East-West."""
    history: Array
    """int32 [T, 106]."""
    length: Array
    """int64 [T], calls made."""
    highest: Array
    """int64 [T], the highest bid 0..34, or -1."""
    bidder: Array
    """int64 [T], the seat that made it."""
    doubled: Array
    """int64 [T], 0, 1 or 2 for redoubled."""
    passes: Array
    """int64 [T], passes since the last other call."""

    @classmethod
    def start(cls, dealer: Array, vulnerability: Array) -> Self:
        """New auctions, where (and in whose arrays) `dealer` lives."""
        xp, place = array_namespace(dealer), device(dealer)
        tables = dealer.shape[0]
        zeros = xp.zeros((tables,), dtype=xp.int64, device=place)
        return cls(
            dealer=xp.astype(dealer, xp.int64),
            vulnerability=xp.astype(vulnerability, xp.int64),
            history=xp.zeros((tables, HISTORY), dtype=xp.int32, device=place),
            length=zeros,
            highest=zeros - 1,
            bidder=zeros,
            doubled=zeros,
            passes=zeros,
        )

    def __len__(self) -> int:
        return int(self.dealer.shape[0])

    @property
    def turn(self) -> Array:
        """int64 [T]: who calls next."""
        return (self.dealer + self.length) & 3

    @property
    def over(self) -> Array:
        """bool [T]."""
        return (self.passes >= 4) | ((self.passes == 3) & (self.highest >= 0))

    def legal(self) -> Array:
        """bool [T, 38]: the legal calls by number; none at tables where the auction is over."""
        xp = array_namespace(self.highest)
        bids = xp.arange(-1, 35, device=device(self.highest))
        own = ((self.turn ^ self.bidder) & 1) == 0
        has_bid = self.highest >= 0
        can_double = has_bid & ~own & (self.doubled == 0)
        can_redouble = has_bid & own & (self.doubled == 1)
        higher = bids[None, :] > self.highest[:, None]
        higher[:, 0] = True  # the place before 1♣ serves as pass
        mask = xp.concat([higher[:, :1], can_double[:, None], can_redouble[:, None], higher[:, 1:]], axis=1)
        return mask & ~self.over[:, None]

    def step(self, calls: Array) -> None:
        """Make one call (int [T], by number, legal) at every table.

        Where the auction is over, or the call is negative, nothing happens.
        """
        xp = array_namespace(self.highest)
        tables = xp.arange(len(self), device=device(self.highest))
        turn, live = self.turn, ~self.over & (calls >= 0)
        calls = xp.where(live, calls, 0)
        bids, passed = calls >= 3, calls == 0

        self.highest = xp.where(bids, calls - 3, self.highest)
        word = xp.where(passed, 0, 1 + 3 * self.highest + xp.where(bids, 0, calls))
        flag = xp.astype(live & (~passed | (self.highest < 0)), xp.int32) << xp.astype(8 * turn, xp.int32)
        self.history[tables, word] |= flag

        self.bidder = xp.where(bids, turn, self.bidder)
        self.doubled = xp.where(passed, self.doubled, xp.where(bids, 0, calls))
        self.passes = xp.where(passed, self.passes + live, 0)
        self.length = self.length + live

    def restart(self, tables: Array) -> None:
        """Begin anew at these tables (bool [T]), each with the dealer and vulnerability it had."""
        xp = array_namespace(self.highest)
        self.history = xp.where(tables[:, None], 0, self.history)
        self.highest = xp.where(tables, -1, self.highest)
        for name in ("length", "bidder", "doubled", "passes"):
            setattr(self, name, xp.where(tables, 0, getattr(self, name)))

    def sequence(self) -> Array:
        """uint8 [T, 318]: the calls as marks in the longest possible auction (see docs/encodings.md).

        `history` holds no passes after the opening, but the seats of two calls tell how many lie between them.
        """
        xp = array_namespace(self.highest)
        opening, words = self.history[:, :1], self.history[:, 1:]
        passed = sum((opening >> (8 * seat)) & 1 for seat in range(4))
        seats = sum(seat * ((words >> (8 * seat)) & 1) for seat in range(1, 4))
        after = xp.zeros(words.shape, dtype=xp.int32, device=device(words))
        next_seat = xp.astype(self.turn, xp.int32)
        for word in reversed(range(HISTORY - 1)):
            made = words[:, word] != 0
            after[:, word] = xp.where(made, (next_seat - seats[:, word] - 1) & 3, 0)
            next_seat = xp.where(made, seats[:, word], next_seat)
        # The last pass of an auction has no place; neither has a fourth one before the opening.
        marks = xp.stack([words != 0, after >= 1, after >= 2], axis=2)
        before = passed > xp.arange(3, device=device(words))[None, :]
        return xp.astype(xp.concat([before, xp.reshape(marks, (len(self), -1))], axis=1), xp.uint8)

    def to_game(self, table: int) -> Auction:
        """One table's auction as a `cuebid.Auction`."""
        dealer = Seat(int(self.dealer[table]))
        calls: list[int] = []
        for word, seats in enumerate(self.history[table].tolist()):
            if word and seats:
                bid, kind = divmod(word - 1, 3)
                passes = (seats.bit_length() // 8 - dealer - len(calls)) & 3
                calls += [0] * passes + [kind or 3 + bid]
        return Auction(dealer, calls + [0] * (int(self.length[table]) - len(calls)))
