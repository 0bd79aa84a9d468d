"""Four hands."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence

from cuebid.game.cards import Hand
from cuebid.game.errors import BridgeError
from cuebid.game.seats import Seat


class Deal:
    """All four hands, North first. Made from hands or from text: `Deal("N:AKQ2.JT9.876.543 … … …")`."""

    __slots__ = ("hands",)
    hands: tuple[Hand, Hand, Hand, Hand]

    def __init__(self, hands: Iterable[Hand | str] | str | Deal) -> None:
        if isinstance(hands, Deal):
            four = hands.hands
        else:
            four = tuple(_read_deal(hands) if isinstance(hands, str) else map(Hand, hands))  # type: ignore[assignment]
        if len(four) != 4:
            raise BridgeError(f"a deal has four hands; this one has {len(four)}")
        seen: dict[int, Seat] = {}
        for seat, hand in zip(Seat, four, strict=True):
            for card in hand:
                if card in seen:
                    raise BridgeError(f"{card} is held by both {seen[card]} and {seat}")
                seen[card] = seat
        object.__setattr__(self, "hands", four)

    @classmethod
    def parse(cls, text: str) -> Deal:
        """Read PBN's form: the first seat, a colon, and the four hands clockwise from it."""
        return cls(text)

    @classmethod
    def random(cls, seed: int | random.Random) -> Deal:
        """Every deal equally likely; the same seed gives the same deal (another than `cuebid deal --seed` gives)."""
        source = seed if isinstance(seed, random.Random) else random.Random(seed)
        cards = list(range(52))
        source.shuffle(cards)
        return cls(Hand(cards[start : start + 13]) for start in range(0, 52, 13))

    @classmethod
    def from_owner(cls, owner: Sequence[int]) -> Deal:
        """From the seat that holds each of the 52 cards."""
        return cls(Hand(card for card in range(52) if owner[card] == seat) for seat in Seat)

    @property
    def owner(self) -> tuple[Seat, ...]:
        """The seat that holds each of the 52 cards."""
        return tuple(next(seat for seat in Seat if card in self.hands[seat]) for card in range(52))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Deal does not change")

    def __reduce__(self) -> tuple[type[Deal], tuple[str]]:
        return Deal, (str(self),)

    def __getitem__(self, seat: Seat | str | int) -> Hand:
        return self.hands[Seat(seat)]

    def __iter__(self) -> Iterator[Hand]:
        return iter(self.hands)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Deal) and self.hands == other.hands

    def __hash__(self) -> int:
        return hash(self.hands)

    def __str__(self) -> str:
        return "N:" + " ".join(map(str, self.hands))

    def __repr__(self) -> str:
        return f"Deal('{self}')"


def _read_deal(text: str) -> list[Hand]:
    first, colon, rest = text.strip().partition(":")
    if not colon:
        raise BridgeError(f"a deal starts with a seat and a colon, such as N:AKQ2.JT9.876.543 …; got {text!r}")
    hands = rest.split()
    if len(hands) != 4:
        raise BridgeError(f"a deal has four hands; {text!r} has {len(hands)}")
    turn = Seat(first)
    return [Hand(hands[seat - turn]) for seat in Seat]
