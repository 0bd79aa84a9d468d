"""What a bidder may see."""

from __future__ import annotations

from collections.abc import Iterable

from cuebid.game.auction import Auction
from cuebid.game.calls import Call
from cuebid.game.cards import Hand
from cuebid.game.deal import Deal
from cuebid.game.errors import BridgeError
from cuebid.game.seats import Seat, Vulnerability


class Situation:
    """A player's view: own hand, seat, dealer, vulnerability and the calls so far, and nothing else.

    `Situation(hand="AKQ2.JT9.876.543", seat="N", dealer="W", vulnerability="none", calls=["1H"])`: text or typed
    values. Without `seat` it is the view of the player whose turn it is.
    """

    __slots__ = ("auction", "hand", "seat", "vulnerability")
    hand: Hand
    seat: Seat
    vulnerability: Vulnerability
    auction: Auction

    def __init__(
        self,
        hand: Hand | str,
        seat: Seat | str | None = None,
        dealer: Seat | str = Seat.N,
        vulnerability: Vulnerability | str = Vulnerability.NONE,
        calls: Iterable[Call | int | str] = (),
    ) -> None:
        put = object.__setattr__
        put(self, "hand", Hand(hand))
        put(self, "vulnerability", Vulnerability(vulnerability))
        put(self, "auction", Auction(dealer, calls))
        put(self, "seat", self.auction.turn if seat is None else Seat(seat))

    @classmethod
    def at(cls, deal: Deal, auction: Auction, vulnerability: Vulnerability) -> Situation:
        """What the player whose turn it is sees."""
        return cls(deal[auction.turn], auction.turn, auction.dealer, vulnerability, auction.calls)

    @property
    def dealer(self) -> Seat:
        return self.auction.dealer

    @property
    def calls(self) -> tuple[Call, ...]:
        return self.auction.calls

    @property
    def legal(self) -> tuple[Call, ...]:
        """The calls this player may make now: none when it is another's turn or the auction is over."""
        return self.auction.legal if self.seat == self.auction.turn else ()

    def check_turn(self) -> None:
        """Complain unless this player is to call."""
        if self.auction.is_over:
            raise BridgeError(f"the auction is over: {self.auction}")
        if self.seat != self.auction.turn:
            raise BridgeError(
                f"it is {self.auction.turn}'s turn, not {self.seat}'s ({self.dealer} dealt, calls so far: "
                f"{self.auction or 'none'})"
            )

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Situation does not change")

    def _key(self) -> tuple[Hand, Seat, Auction, Vulnerability]:
        return self.hand, self.seat, self.auction, self.vulnerability

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Situation) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[type[Situation], tuple[object, ...]]:
        return Situation, (self.hand, self.seat, self.dealer, self.vulnerability, self.calls)

    def __repr__(self) -> str:
        return (
            f"Situation(hand='{self.hand}', seat='{self.seat}', dealer='{self.dealer}', "
            f"vulnerability='{self.vulnerability}', calls={[str(call) for call in self.calls]})"
        )
