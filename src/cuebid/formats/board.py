"""What a file says about one board, whatever its format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from cuebid.formats.errors import FormatError
from cuebid.game import Auction, BridgeError, Call, Card, Contract, Deal, Hand, Seat, Vulnerability

PassedOut = Literal["passed out"]
PASSED_OUT: Final[PassedOut] = "passed out"

Hands = tuple[Hand | None, Hand | None, Hand | None, Hand | None]
Names = tuple[str | None, str | None, str | None, str | None]
Table = tuple[tuple[int, ...], ...]

_TAG_NAME = re.compile(r'[^\s"\[\]]+')


@dataclass(frozen=True, slots=True)
class AnnotatedCall:
    """A call with what was said about it. `marks` are PBN's `!`, `?` and `$n`."""

    call: Call
    alerted: bool = False
    explanation: str = ""
    comment: str = ""
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlayedCard:
    """A card with what was said about it. `marks` are PBN's `!`, `?`, `$n` and `^R`."""

    card: Card
    explanation: str = ""
    comment: str = ""
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A table, or anything else of several lines, kept as it stood in the file."""

    name: str
    value: str
    rows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Board:
    """One board. Whatever the file does not say is `None` or empty; seats are N E S W throughout.

    A board obeys the rules: hands share no card (and three of them determine the fourth), calls are legal, a finished
    auction determines the contract (though the declarer's partner may have played it).
    """

    number: str | None = None
    hands: Hands = (None, None, None, None)
    dealer: Seat | None = None
    vulnerability: Vulnerability | None = None
    calls: tuple[AnnotatedCall, ...] | None = None
    """`None` when the file gives no auction; `()` when nobody has called yet."""
    contract: Contract | PassedOut | None = None
    result: int | None = None
    """Tricks the declarer took."""
    play: tuple[PlayedCard, ...] = ()
    """In the order they were played, from the opening lead."""
    in_progress: bool = False
    """The next call or card is awaited (PBN's `+`), rather than left out (`*`)."""
    tricks: Table | None = None
    """Double dummy tricks `[declarer][strain]`, strains C D H S NT."""
    names: Names = (None, None, None, None)
    tags: tuple[tuple[str, str], ...] = ()
    """Everything else the file said in one line: PBN tags by name, LIN tags by their two letters."""
    sections: tuple[Section, ...] = ()
    comments: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "hands", _complete(self.hands))
        self._check_auction()
        self._check_play()
        self._check_table()
        self._check_texts()

    def _check_auction(self) -> None:
        if self.calls and self.dealer is None:
            raise BridgeError("calls need a dealer")
        auction = self.auction
        if auction is None or not auction.is_over:
            return
        settled = auction.contract or PASSED_OUT
        if self.contract is None:
            object.__setattr__(self, "contract", settled)
        elif not _is_same_contract(self.contract, settled):
            raise BridgeError(f"the auction {auction} ends in {settled}, not in {self.contract}")

    def _check_play(self) -> None:
        known = isinstance(self.contract, Contract)
        if (self.play or self.result is not None) and not known:
            raise BridgeError("cards and a result need a contract and its declarer")
        if self.result is not None and not 0 <= self.result <= 13:
            raise BridgeError(f"there are 13 tricks; {self.result} cannot be taken")
        if len({played.card for played in self.play}) < len(self.play):
            raise BridgeError("a card is played twice")
        if self.in_progress and not (self._is_calling or (known and len(self.play) < 52)):
            raise BridgeError("neither a call nor a card is awaited")

    def _check_table(self) -> None:
        if self.tricks is None:
            return
        cells = [cell for row in self.tricks for cell in row]
        if [len(row) for row in self.tricks] != [5] * 4 or not all(0 <= cell <= 13 for cell in cells):
            raise BridgeError("a double dummy table has 4 declarers x 5 strains, 0 to 13 tricks each")

    def _check_texts(self) -> None:
        """A text of more than one line, where a format has one line for it, would not come back."""
        lines = [self.number, *self.names, *(text for tag in self.tags for text in tag)]
        lines += [call.explanation for call in self.calls or ()] + [card.explanation for card in self.play]
        if any(text and ("\n" in text or "\r" in text) for text in lines):
            raise BridgeError("only comments may have several lines")
        comments = [*self.comments, *(call.comment for call in self.calls or ()), *(card.comment for card in self.play)]
        if any("\r" in comment for comment in comments):
            raise BridgeError("lines of a comment end in \\n alone")
        if not all(_TAG_NAME.fullmatch(name) for name, _ in self.tags):
            raise BridgeError("the name of a tag is a word without quotes and brackets")
        if "" in (self.number, *self.names):
            raise BridgeError("an unknown name or number is None, not empty")

    @property
    def _is_calling(self) -> bool:
        return self.auction is not None and not self.auction.is_over

    @property
    def deal(self) -> Deal | None:
        """All four hands, when all are known."""
        known = [hand for hand in self.hands if hand is not None]
        return Deal(known) if len(known) == 4 else None

    @property
    def auction(self) -> Auction | None:
        """The calls without their annotations; none when the file gives no auction."""
        if self.dealer is None or self.calls is None:
            return None
        return Auction(self.dealer, [annotated.call for annotated in self.calls])

    def tag(self, name: str) -> str | None:
        """The value of another tag."""
        return next((value for found, value in self.tags if found == name), None)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file gave: its boards, and what was wrong with those skipped."""

    boards: tuple[Board, ...]
    skipped: tuple[FormatError, ...] = ()

    def __iter__(self) -> Iterator[Board]:
        return iter(self.boards)

    def __len__(self) -> int:
        return len(self.boards)


def plain_lines(text: str) -> str:
    """The text without a byte order mark, its lines ended by a line feed alone."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def gather(found: Iterable[Board | FormatError], file: str, strict: bool) -> Reading:
    """Collect boards; an error is raised with the boards before it, or skipped and counted."""
    boards: list[Board] = []
    skipped = []
    for one in found:
        if isinstance(one, Board):
            boards.append(one)
            continue
        one.file = file
        if strict:
            one.boards = tuple(boards)
            raise one
        skipped.append(one)
    return Reading(tuple(boards), tuple(skipped))


def _is_same_contract(played: Contract | PassedOut, settled: Contract | PassedOut) -> bool:
    """Now and then the wrong one of a pair plays a contract."""
    if isinstance(played, Contract) and isinstance(settled, Contract):
        return played in (settled, replace(settled, declarer=settled.declarer.partner))
    return played == settled


def _complete(hands: Hands) -> Hands:
    if len(hands) != 4:
        raise BridgeError(f"a board has four hands; this one has {len(hands)}")
    held = 0
    for seat, hand in zip(Seat, hands, strict=True):
        if hand is None:
            continue
        if common := held & hand.mask:
            raise BridgeError(f"{Card(common.bit_length() - 1)} is held by {seat} and by another")
        held |= hand.mask
    if hands.count(None) != 1:
        return hands
    left = Hand(card for card in range(52) if not held >> card & 1)
    north, east, south, west = (left if hand is None else hand for hand in hands)
    return north, east, south, west
