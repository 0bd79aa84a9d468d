"""The 38 calls: pass, double, redouble and 35 bids."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import TYPE_CHECKING, Self

from cuebid.game.cards import SYMBOLS, Suit
from cuebid.game.errors import BridgeError
from cuebid.game.shown import Shown


class Strain(Shown, IntEnum):
    """What is trumps, lowest first. Made from `0..4` or from text: `Strain("S")`, `Strain("NT")`, `Strain("♠")`."""

    C = 0
    D = 1
    H = 2
    S = 3
    N = 4

    if TYPE_CHECKING:

        def __new__(cls, value: int | str) -> Self: ...

    @classmethod
    def _missing_(cls, value: object) -> Strain:
        if isinstance(value, str):
            word = value.strip().upper()
            for strain in cls:
                if word in (strain.name, strain.symbol):
                    return strain
        raise BridgeError(f"no such strain: {value!r} (expected C, D, H, S or NT)")

    def __str__(self) -> str:
        return "NT" if self == Strain.N else self.name

    @property
    def symbol(self) -> str:
        return "NT" if self == Strain.N else SYMBOLS[self]

    @property
    def suit(self) -> Suit | None:
        """The trump suit, none at notrump."""
        return None if self == Strain.N else Suit(self)

    @property
    def trick_value(self) -> int:
        """Points for each odd trick (the first at notrump counts 10 more)."""
        return 20 if self < Strain.H else 30


_SPECIAL = {
    "P": 0, "PASS": 0, "-": 0, "--": 0, "/": 0,
    "X": 1, "D": 1, "DBL": 1, "DOUBLE": 1, "*": 1,
    "XX": 2, "R": 2, "RDBL": 2, "REDBL": 2, "REDOUBLE": 2, "**": 2,
}  # fmt: skip
_BID = re.compile(r"([1-7])(C|D|H|S|NT|N)")


class Call(Shown, int):
    """A call, numbered 0 pass, 1 double, 2 redouble, then 3 for 1♣ up to 37 for 7NT.

    Made from its number or from text as players write it: `Call("1NT")`, `Call("1n")`, `Call("Pass")`, `Call("Dbl")`.
    """

    __slots__ = ()

    def __new__(cls, value: int | str) -> Call:
        if isinstance(value, Call):
            return value
        if isinstance(value, str):
            return cls.parse(value)
        if not 0 <= value < 38:
            raise BridgeError(f"no such call number: {value} (expected 0..37)")
        return super().__new__(cls, value)

    @classmethod
    def parse(cls, text: str) -> Call:
        """Read `P`, `Pass`, `X`, `Dbl`, `XX`, `Redouble`, `1H`, `1♥`, `1N`, `1NT`; upper or lower case."""
        word = text.strip().upper()
        if word in _SPECIAL:
            return cls(_SPECIAL[word])
        for suit in Suit:
            word = word.replace(suit.symbol, suit.name)
        if match := _BID.fullmatch(word):
            return cls.bid(int(match[1]), Strain[match[2][0]])
        raise BridgeError(f"no such call: {text!r} (expected P, X, XX or a bid such as 1H or 3NT)")

    @classmethod
    def bid(cls, level: int, strain: Strain) -> Call:
        if not 1 <= level <= 7:
            raise BridgeError(f"no such level: {level} (expected 1..7)")
        return cls(3 + (level - 1) * 5 + strain)

    @property
    def is_bid(self) -> bool:
        return self >= 3

    @property
    def level(self) -> int:
        """The level of a bid, 1 to 7."""
        return self._bid_number() // 5 + 1

    @property
    def strain(self) -> Strain:
        """The strain of a bid."""
        return Strain(self._bid_number() % 5)

    def _bid_number(self) -> int:
        if self < 3:
            raise BridgeError(f"{self} is not a bid")
        return self - 3

    @property
    def symbol(self) -> str:
        """As it is drawn: `Pass`, `X`, `1♥`, `3NT`."""
        return f"{self.level}{self.strain.symbol}" if self.is_bid else ("Pass", "X", "XX")[self]

    def __str__(self) -> str:
        return f"{self.level}{self.strain}" if self.is_bid else ("P", "X", "XX")[self]

    def __repr__(self) -> str:
        return f"Call('{self}')"


PASS, DOUBLE, REDOUBLE = Call(0), Call(1), Call(2)
BIDS = tuple(Call(number) for number in range(3, 38))
