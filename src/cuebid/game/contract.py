"""Contracts and what they score."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cuebid.game.calls import Call, Strain
from cuebid.game.cards import Suit
from cuebid.game.errors import BridgeError
from cuebid.game.seats import Seat

_CONTRACT = re.compile(r"([1-7]) ?(C|D|H|S|NT|N) ?(|X|XX) ?(?:BY )?([NESW])")


@dataclass(frozen=True, slots=True)
class Contract:
    """A final contract: level, strain, declarer, and 0, 1 or 2 for undoubled, doubled, redoubled."""

    level: int
    strain: Strain
    declarer: Seat
    doubled: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.level <= 7 or not 0 <= self.doubled <= 2:
            raise BridgeError(f"no such contract: level {self.level}, doubled {self.doubled} (expected 1..7 and 0..2)")

    @classmethod
    def parse(cls, text: str) -> Contract:
        """Read level, strain, `X` or `XX`, declarer: `4HXN`, `3NTS`, `6♠xxw`, `2D by E`."""
        word = text.strip().upper()
        for suit in Suit:
            word = word.replace(suit.symbol, suit.name)
        match = _CONTRACT.fullmatch(word)
        if not match:
            raise BridgeError(f"no such contract: {text!r} (expected level, strain, X or XX, declarer, such as 4HXN)")
        return cls(int(match[1]), Strain[match[2][0]], Seat[match[4]], len(match[3]))

    @property
    def bid(self) -> Call:
        return Call.bid(self.level, self.strain)

    @property
    def tricks_needed(self) -> int:
        return self.level + 6

    def score(self, tricks: int, vulnerable: bool) -> int:
        """Duplicate score for the declaring side that takes `tricks` tricks."""
        if not 0 <= tricks <= 13:
            raise BridgeError(f"there are 13 tricks; {tricks} cannot be taken")
        over = tricks - self.tricks_needed
        return -self._penalty(-over, vulnerable) if over < 0 else self._made(over, vulnerable)

    def _made(self, over: int, vulnerable: bool) -> int:
        odd_tricks = (self.strain.trick_value * self.level + 10 * (self.strain == Strain.N)) << self.doubled
        game = (500 if vulnerable else 300) if odd_tricks >= 100 else 50
        slam = {6: 500, 7: 1000}.get(self.level, 0) * (3 if vulnerable else 2) // 2
        each_over = (200 if vulnerable else 100) * self.doubled if self.doubled else self.strain.trick_value
        return odd_tricks + game + slam + 50 * self.doubled + each_over * over

    def _penalty(self, down: int, vulnerable: bool) -> int:
        if not self.doubled:
            return (100 if vulnerable else 50) * down
        if vulnerable:
            return (300 * down - 100) * self.doubled
        return (200 * down - 100 if down <= 3 else 300 * down - 400) * self.doubled

    def result(self, tricks: int) -> str:
        """`=`, `+1` or `-2`."""
        over = tricks - self.tricks_needed
        return f"{over:+d}" if over else "="

    def __str__(self) -> str:
        return f"{self.level}{self.strain}{'X' * self.doubled}{self.declarer}"
