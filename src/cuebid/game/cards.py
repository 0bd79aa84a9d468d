"""Cards and hands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import TYPE_CHECKING, Self

from cuebid.game.errors import BridgeError
from cuebid.game.shown import Shown

RANKS = "23456789TJQKA"
SUITS = "CDHS"
SYMBOLS = "♣♦♥♠"


class Suit(Shown, IntEnum):
    """A suit, lowest first. Made from `0..3` or from text: `Suit("S")`, `Suit("♠")`."""

    C = 0
    D = 1
    H = 2
    S = 3

    if TYPE_CHECKING:

        def __new__(cls, value: int | str) -> Self: ...

    @classmethod
    def _missing_(cls, value: object) -> Suit:
        if isinstance(value, str):
            word = value.strip().upper()
            for suit in cls:
                if word in (suit.name, suit.symbol):
                    return suit
        raise BridgeError(f"no such suit: {value!r} (expected C, D, H or S)")

    def __str__(self) -> str:
        return self.name

    @property
    def symbol(self) -> str:
        return SYMBOLS[self]


class Card(Shown, int):
    """One of the 52 cards, numbered `suit * 13 + rank` (clubs first, deuce first).

    Made from its number or from text: `Card("SA")`.
    """

    __slots__ = ()

    def __new__(cls, value: int | str) -> Card:
        if isinstance(value, Card):
            return value
        if isinstance(value, str):
            return cls.parse(value)
        if not 0 <= value < 52:
            raise BridgeError(f"no such card number: {value} (expected 0..51)")
        return super().__new__(cls, value)

    @classmethod
    def parse(cls, text: str) -> Card:
        """Read `SA`, `AS`, `♠A`, `H10` or `HT`."""
        word = text.strip().upper().replace("10", "T")
        for number, symbol in enumerate(SYMBOLS):
            word = word.replace(symbol, SUITS[number])
        if len(word) == 2:
            for suit, rank in ((word[0], word[1]), (word[1], word[0])):
                if suit in SUITS and rank in RANKS:
                    return cls(SUITS.index(suit) * 13 + RANKS.index(rank))
        raise BridgeError(f"no such card: {text!r} (expected suit and rank, such as SA or H10)")

    @property
    def suit(self) -> Suit:
        return Suit(self // 13)

    @property
    def rank(self) -> int:
        """0 for a deuce to 12 for an ace."""
        return self % 13

    @property
    def hcp(self) -> int:
        """High-card points: ace 4, king 3, queen 2, jack 1."""
        return max(self.rank - 8, 0)

    def __str__(self) -> str:
        return SUITS[self // 13] + RANKS[self % 13]

    def __repr__(self) -> str:
        return f"Card('{self}')"


class Hand:
    """Thirteen cards. Made from cards or from text: `Hand("AKQ2.JT9.876.543")` (spades first)."""

    __slots__ = ("_mask",)
    _mask: int

    def __init__(self, cards: Iterable[int] | str | Hand) -> None:
        if isinstance(cards, Hand):
            mask = cards._mask
        elif isinstance(cards, str):
            mask = _read_hand(cards)
        else:
            mask = _mask_of(cards)
        object.__setattr__(self, "_mask", mask)

    @classmethod
    def parse(cls, text: str) -> Hand:
        """Read `AKQ2.JT9.876.543`, `AKQ2 JT9 876 543` (spades, hearts, diamonds, clubs; `10` for T, `-` for a void)."""
        return cls(text)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Hand does not change")

    def __reduce__(self) -> tuple[type[Hand], tuple[str]]:
        return Hand, (str(self),)

    def __iter__(self) -> Iterator[Card]:
        """The cards by number: clubs first, deuces first."""
        return (Card(card) for card in range(52) if self._mask >> card & 1)

    def __len__(self) -> int:
        return 13

    def __contains__(self, card: object) -> bool:
        return isinstance(card, int) and 0 <= card < 52 and bool(self._mask >> card & 1)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hand) and self._mask == other._mask

    def __hash__(self) -> int:
        return hash(self._mask)

    @property
    def mask(self) -> int:
        """The cards as a 52-bit number: bit `n` is set where card `n` is held."""
        return self._mask

    def holding(self, suit: Suit) -> str:
        """The ranks held in one suit, highest first: `AKQ2`."""
        held = self._mask >> (13 * suit)
        return "".join(RANKS[rank] for rank in range(12, -1, -1) if held >> rank & 1)

    def length(self, suit: Suit) -> int:
        return (self._mask >> (13 * suit) & 0x1FFF).bit_count()

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Suit lengths, spades first."""
        return self.length(Suit.S), self.length(Suit.H), self.length(Suit.D), self.length(Suit.C)

    @property
    def hcp(self) -> int:
        """High-card points."""
        return sum(card.hcp for card in self)

    def __str__(self) -> str:
        return ".".join(self.holding(suit) for suit in reversed(Suit))

    def __repr__(self) -> str:
        return f"Hand('{self}')"


def _read_hand(text: str) -> int:
    word = text.strip().upper().replace("10", "T")
    suits = word.split(".") if "." in word else re.split(r"\s+", word)
    if len(suits) != 4:
        raise BridgeError(f"a hand has four suits, spades first, such as AKQ2.JT9.876.543; {text!r} has {len(suits)}")
    cards = []
    for suit, ranks in zip(reversed(Suit), suits, strict=True):
        for rank in re.sub(r"\s+", "", ranks) if ranks.strip() != "-" else "":
            if rank not in RANKS:
                raise BridgeError(f"no such rank: {rank!r} in {text!r} (expected one of AKQJT98765432, or 10)")
            cards.append(suit * 13 + RANKS.index(rank))
    return _mask_of(cards)


def _mask_of(cards: Iterable[int]) -> int:
    numbers = [Card(card) for card in cards]
    mask = 0
    for card in numbers:
        if mask >> card & 1:
            raise BridgeError(f"a hand holds a card once; {card} is there twice")
        mask |= 1 << card
    if len(numbers) != 13:
        raise BridgeError(f"a hand has 13 cards; this one has {len(numbers)}")
    return mask
