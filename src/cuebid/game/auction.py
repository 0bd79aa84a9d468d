"""The auction: who may call what, when it ends, and what it leads to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cuebid.game.calls import BIDS, DOUBLE, PASS, REDOUBLE, Call
from cuebid.game.contract import Contract
from cuebid.game.errors import BridgeError
from cuebid.game.seats import Seat


class Auction:
    """A dealer and the legal calls made so far. `after` gives the auction one call later; nothing changes in place."""

    __slots__ = ("_bidder", "_doubled", "_highest", "_passes", "calls", "dealer")
    dealer: Seat
    calls: tuple[Call, ...]
    _highest: Call | None
    _bidder: Seat
    _doubled: int
    _passes: int

    def __init__(self, dealer: Seat | str, calls: Iterable[Call | int | str] = ()) -> None:
        start = object.__setattr__
        start(self, "dealer", Seat(dealer))
        start(self, "calls", ())
        start(self, "_highest", None)
        start(self, "_bidder", self.dealer)
        start(self, "_doubled", 0)
        start(self, "_passes", 0)
        made = tuple(Call(call) for call in calls)
        for number, call in enumerate(made):
            self._check(call)
            self._advance(call, made[: number + 1])

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("an Auction does not change; use after()")

    def _advance(self, call: Call, calls: tuple[Call, ...]) -> None:
        put = object.__setattr__
        if call.is_bid:
            put(self, "_highest", call)
            put(self, "_bidder", self.turn)
        if call != PASS:
            put(self, "_doubled", 0 if call.is_bid else int(call))
        put(self, "_passes", self._passes + 1 if call == PASS else 0)
        put(self, "calls", calls)

    def after(self, call: Call | int | str) -> Auction:
        """The auction with one more call."""
        call = Call(call)
        self._check(call)
        later = object.__new__(Auction)
        for name in Auction.__slots__:
            object.__setattr__(later, name, getattr(self, name))
        later._advance(call, (*self.calls, call))
        return later

    def _check(self, call: Call) -> None:
        if self.is_over:
            raise BridgeError(f"the auction is over ({self}); {call} comes too late")
        if not self.allows(call):
            raise BridgeError(f"{self.turn} cannot call {call} after {self or 'nothing'}: {self._why_not(call)}")

    def _why_not(self, call: Call) -> str:
        if call.is_bid:
            return f"it is not above {self._highest}"
        if self._highest is None:
            return "there is no bid yet"
        if call == DOUBLE:
            return "only an opponent's bid that is not doubled yet can be doubled"
        return "only a bid of one's own side that an opponent doubled can be redoubled"

    def allows(self, call: Call) -> bool:
        """Whether the player whose turn it is may make this call."""
        if self.is_over:
            return False
        if call.is_bid:
            return self._highest is None or call > self._highest
        if call == PASS:
            return True
        if self._highest is None:
            return False
        own = self._bidder.side == self.turn.side
        return (self._doubled == 0 and not own) if call == DOUBLE else (self._doubled == 1 and own)

    @property
    def legal(self) -> tuple[Call, ...]:
        """The legal calls in the order of their numbers; none when the auction is over."""
        if self.is_over:
            return ()
        higher = BIDS if self._highest is None else BIDS[self._highest - 2 :]
        return (PASS, *filter(self.allows, (DOUBLE, REDOUBLE)), *higher)

    @property
    def turn(self) -> Seat:
        """Who calls next (or would, had the auction not ended)."""
        return self.dealer + len(self.calls)

    @property
    def is_over(self) -> bool:
        return self._passes >= (3 if self._highest is not None else 4)

    @property
    def highest_bid(self) -> Call | None:
        return self._highest

    @property
    def contract(self) -> Contract | None:
        """The contract as it stands, final when the auction is over; none before any bid and when all passed."""
        if self._highest is None:
            return None
        strain, side = self._highest.strain, self._bidder.side
        declarer = next(seat for seat, call in self if call.is_bid and call.strain == strain and seat.side == side)
        return Contract(self._highest.level, strain, declarer, self._doubled)

    def __iter__(self) -> Iterator[tuple[Seat, Call]]:
        """Each call with the seat that made it."""
        return ((self.dealer + number, call) for number, call in enumerate(self.calls))

    def __len__(self) -> int:
        return len(self.calls)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Auction) and (self.dealer, self.calls) == (other.dealer, other.calls)

    def __hash__(self) -> int:
        return hash((self.dealer, self.calls))

    def __str__(self) -> str:
        return " ".join(str(call) for call in self.calls)

    def __repr__(self) -> str:
        return f"Auction(dealer='{self.dealer}', calls={[str(call) for call in self.calls]})"

    def __reduce__(self) -> tuple[type[Auction], tuple[Seat, tuple[Call, ...]]]:
        return Auction, (self.dealer, self.calls)
