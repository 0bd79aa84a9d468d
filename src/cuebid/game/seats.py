"""The four seats, the two sides and who is vulnerable."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Self

from cuebid.game.errors import BridgeError
from cuebid.game.shown import Shown


class Side(Shown, IntEnum):
    """A partnership."""

    NS = 0
    EW = 1

    def __str__(self) -> str:
        return self.name

    @property
    def other(self) -> Side:
        return Side(1 - self)


class Seat(Shown, IntEnum):
    """A place at the table, clockwise from North. Made from `0..3` or from text: `Seat("N")`, `Seat("south")`."""

    N = 0
    E = 1
    S = 2
    W = 3

    if TYPE_CHECKING:

        def __new__(cls, value: int | str) -> Self: ...

    @classmethod
    def _missing_(cls, value: object) -> Seat:
        names = ("NORTH", "EAST", "SOUTH", "WEST")
        if isinstance(value, str):
            word = value.strip().upper()
            for seat in cls:
                if word in (seat.name, names[seat]):
                    return seat
        raise BridgeError(f"no such seat: {value!r} (expected N, E, S or W)")

    def __str__(self) -> str:
        return self.name

    @property
    def word(self) -> str:
        """`North`, `East`, `South` or `West`."""
        return ("North", "East", "South", "West")[self]

    @property
    def side(self) -> Side:
        return Side(self % 2)

    @property
    def lho(self) -> Seat:
        """The left-hand opponent, who acts next."""
        return self + 1

    @property
    def partner(self) -> Seat:
        return self + 2

    @property
    def rho(self) -> Seat:
        return self + 3

    def __add__(self, steps: int) -> Seat:
        """The seat that many places to the left."""
        return _SEATS[(int(self) + steps) % 4]

    def __sub__(self, other: int) -> int:
        """How many places to the left of `other` this seat is."""
        return (int(self) - int(other)) % 4

    @classmethod
    def deals_board(cls, number: int) -> Seat:
        """The dealer of a numbered duplicate board."""
        return cls((number - 1) % 4)


_SEATS = tuple(Seat)

_VULNERABILITY_WORDS = {
    "NONE": 0, "-": 0, "LOVE": 0, "O": 0, "NEITHER": 0, "": 0,
    "NS": 1, "N-S": 1, "N/S": 1, "N": 1,
    "EW": 2, "E-W": 2, "E/W": 2, "E": 2,
    "BOTH": 3, "ALL": 3, "B": 3,
}  # fmt: skip


class Vulnerability(Shown, IntEnum):
    """Who is vulnerable: bit 0 stands for North-South, bit 1 for East-West.

    Made from `0..3` or from text: `none`, `ns`, `ew`, `both`, and the other words in use (`All`, `Love`, `-`, `o`…).
    """

    NONE = 0
    NS = 1
    EW = 2
    BOTH = 3

    if TYPE_CHECKING:

        def __new__(cls, value: int | str) -> Self: ...

    @classmethod
    def _missing_(cls, value: object) -> Vulnerability:
        if isinstance(value, str) and (number := _VULNERABILITY_WORDS.get(value.strip().upper())) is not None:
            return cls(number)
        raise BridgeError(f"no such vulnerability: {value!r} (expected none, ns, ew or both)")

    def __str__(self) -> str:
        return self.name.lower()

    @classmethod
    def of(cls, *, ns: bool, ew: bool) -> Vulnerability:
        return cls(int(ns) + 2 * int(ew))

    @classmethod
    def of_board(cls, number: int) -> Vulnerability:
        """The vulnerability of a numbered duplicate board (it repeats every 16)."""
        index = (number - 1) % 16
        return cls((index + index // 4) % 4)

    def includes(self, who: Seat | Side) -> bool:
        """Whether that seat or side is vulnerable."""
        return bool(self >> (who % 2) & 1)
