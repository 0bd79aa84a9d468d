"""LIN, the format of Bridge Base Online: hand records and vugraph files.

Tags a `Board` has no field for are in its `tags` by their two letters, `nt` in its comments. LIN cannot say marks,
explanations of cards, tables, sections, tags of other names, a contract without its auction, nor that a call is
awaited; these are not written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from cuebid.formats.board import AnnotatedCall, Board, Hands, Names, PlayedCard, Reading, gather
from cuebid.formats.cardplay import taken
from cuebid.formats.errors import FormatError, expecting, got
from cuebid.formats.lin_syntax import TITLE, Field, Group, one_line, split
from cuebid.formats.lin_writing import render
from cuebid.game import BIDS, DOUBLE, PASS, REDOUBLE, Card, Contract, Hand, Seat, Vulnerability

__all__ = ["parse", "render"]

_SEATS = (Seat.S, Seat.W, Seat.N, Seat.E)
_VULNERABILITY = {"o": 0, "0": 0, "-": 0, "n": 1, "e": 2, "b": 3}
_CALLS = {str(bid).lower().rstrip("t"): bid for bid in BIDS} | {"p": PASS, "d": DOUBLE, "r": REDOUBLE, "x": DOUBLE}
_CALLS["xx"] = REDOUBLE
_CALL = re.compile(r"([1-7](?:[cdhs]|nt?)|p|d|r|xx?)(!?)")
_CARDS = {str(card): card for card in map(Card, range(52))}
_CARD = re.compile(r"([SHDC])(10|[2-9TJQKA])")
_ROOM = re.compile(r"([oc])([0-9]{1,4})")
_ROOMS = {"o": "Open", "c": "Closed"}
_RESULT = re.compile(r"([1-7](?:[CDHS]|NT?))(X{0,2})([NESW])(X{0,2})(=|[+-][0-9]{1,2})", re.IGNORECASE | re.ASCII)
_LAYOUT = {"pg", "st", "rh"}  # without a value they only lay out the page; `render` puts them where BBO does
_OWN = {"qx", "pn", "md", "sv", "ah", "mb", "an", "pc", "mc", "nt"}


def parse(text: str, file: str = "<text>", strict: bool = True) -> Reading:
    """Read the boards of a text; see `cuebid.formats.read`."""
    return gather(_boards(text), file, strict)


def _boards(text: str) -> Iterator[Board | FormatError]:
    match = _Match()
    for group in split(text):
        if isinstance(group, FormatError):
            yield group
            continue
        try:
            yield match.complete(_Meaning(group).board(), group)
        except FormatError as error:
            yield error


class _Match:
    """What a vugraph file says once for all its boards: both rooms' names, the first number, the results."""

    def __init__(self) -> None:
        self.names: list[str | None] = []
        self.results: list[str] = []
        self.first: int | None = None

    def complete(self, board: Board, group: Group) -> Board:
        room, number = "o", None
        for field in group.fields:
            if field.code == "pn" and len(names := _names(field)) == 8:
                self.names = names
            elif field.code == "rs":
                self.results = field.value.split(",")
            elif field.code == "vg":
                first = (field.value.split(",") + [""] * 4)[3].strip()
                self.first = int(first) if re.fullmatch("[0-9]{1,4}", first) else self.first
            elif field.code == "qx" and (match := _ROOM.match(field.value.strip())):
                room, number = match[1], int(match[2])
                self.first = number if self.first is None else self.first
        if self.names and board.names == (None,) * 4:
            board = replace(board, names=_by_seat(self.names[4:] if room == "c" else self.names[:4]))
        if number is None or self.first is None:
            return board
        at = 2 * (number - self.first) + (room == "c")
        return _with_result(board, self.results[at]) if 0 <= at < len(self.results) else board


def _with_result(board: Board, text: str) -> Board:
    match = _RESULT.fullmatch(text.strip())
    if not match or (match[2] and match[4]) or (board.contract and board.result is not None):
        return board
    contract = Contract.parse(match[1] + match[2] + match[4] + match[3])
    tricks = contract.tricks_needed + (0 if match[5] == "=" else int(match[5]))
    if board.contract not in (None, contract) or not 0 <= tricks <= 13:
        return board
    return replace(board, contract=contract, result=tricks)


class _Meaning:
    """What the fields of one board mean."""

    def __init__(self, group: Group) -> None:
        self.group = group
        self.dealer: Seat | None = None
        self.hands: Hands = (None, None, None, None)
        self.vulnerability: Vulnerability | None = None
        self.names: Names = (None, None, None, None)
        self.number: str | None = None
        self.room = ""
        self.calls: list[AnnotatedCall] | None = None
        self.cards: list[PlayedCard] = []
        self.claim: Field | None = None
        self.tags: list[tuple[str, str]] = []
        self.comments: list[str] = []

    def board(self) -> Board:
        for field in self.group.fields:
            reader = getattr(self, f"_{field.code}", None) if field.code in _OWN else None
            if reader:
                reader(field)
            elif field.value or field.code not in _LAYOUT:
                self._keep(field)
        self._number_the_board()
        line = next((field.line for field in self.group.fields if field.code == "mb"), self.group.line)
        with expecting("a legal auction", line):
            board = Board(
                number=self.number,
                hands=self.hands,
                dealer=self.dealer,
                vulnerability=self.vulnerability,
                calls=None if self.calls is None else tuple(self.calls),
                names=self.names,
                comments=tuple(self.comments),
            )
        return self._played(board)

    def _played(self, board: Board) -> Board:
        """The play and the result, which without a contract are kept as tags."""
        contract, claim = board.contract, self.claim
        if not isinstance(contract, Contract):
            self.tags += [("pc", str(played.card)) for played in self.cards]
            self.tags += [("mc", claim.value.strip())] if claim else []
            comments = (*board.comments, *(played.comment for played in self.cards if played.comment))
            return replace(board, tags=tuple(self.tags), comments=comments)
        result = int(claim.value) if claim else taken([played.card for played in self.cards], contract)
        with expecting("different cards played", self.group.line):
            return replace(board, play=tuple(self.cards), result=result, tags=tuple(self.tags))

    def _keep(self, field: Field) -> None:
        self.tags.append((field.code, one_line(field.value)))

    def _number_the_board(self) -> None:
        """`qx|o3|` is board 3 in the open room; where `ah` numbers it otherwise, it stays as it is."""
        self.tags.sort(key=lambda tag: tag[0] not in TITLE)
        match = _ROOM.fullmatch(self.room)
        if match and self.number in (None, match[2]):
            self.number = match[2]
            self.tags.insert(0, ("Room", _ROOMS[match[1]]))
        elif self.room:
            self.tags.insert(0, ("qx", self.room))

    def _qx(self, field: Field) -> None:
        self.room = one_line(field.value)

    def _pn(self, field: Field) -> None:
        names = _names(field)
        if len(names) == 4:
            self.names = _by_seat(names)

    def _ah(self, field: Field) -> None:
        value = one_line(field.value)
        if value.startswith("Board ") and len(value) > 6:
            self.number = value[6:]
        else:
            self._keep(field)

    def _sv(self, field: Field) -> None:
        word = field.value.strip().lower()
        if word and word not in _VULNERABILITY:
            raise FormatError(field.line, "vulnerability o, n, e or b", got(field.value))
        self.vulnerability = Vulnerability(_VULNERABILITY[word]) if word else None

    def _md(self, field: Field) -> None:
        text = _compact(field).upper()
        if text[:1] in ("1", "2", "3", "4"):
            self.dealer = _SEATS[int(text[0]) - 1]
        texts = (text[1:] if text[:1] in ("0", "1", "2", "3", "4") else text).split(",")
        if len(texts) > 4:
            raise FormatError(field.line, "at most four hands", f"got {len(texts)}")
        hands = [_hand(text, field.line) for text in texts] + [None] * (4 - len(texts))
        south, west, north, east = hands
        with expecting("hands that share no card", field.line):
            self.hands = Board(hands=(north, east, south, west)).hands

    def _mb(self, field: Field) -> None:
        """Usually one call; older files have several in one field."""
        text = _compact(field).lower()
        if self.dealer is None and text:
            raise FormatError(field.line, "md with the dealer before the calls", got(field.value))
        calls = self.calls = self.calls or []
        at = 0
        while at < len(text):
            match = _CALL.match(text, at)
            if not match:
                raise FormatError(field.line, "a call p, d, r, 1c … 7n, with ! for an alert", got(field.value))
            calls.append(AnnotatedCall(_CALLS[match[1].rstrip("t")], alerted=bool(match[2])))
            at = match.end()

    def _an(self, field: Field) -> None:
        if not self.calls:
            self._keep(field)
            return
        last = self.calls[-1]
        texts = [text for text in (last.explanation, one_line(field.value)) if text]
        self.calls[-1] = replace(last, explanation="; ".join(texts))

    def _pc(self, field: Field) -> None:
        text = _compact(field).upper()
        at = 0
        while at < len(text):
            match = _CARD.match(text, at)
            if not match:
                raise FormatError(field.line, "a card such as SA", got(field.value))
            self.cards.append(PlayedCard(_CARDS[match[1] + match[2].replace("10", "T")]))
            at = match.end()

    def _mc(self, field: Field) -> None:
        word = field.value.strip()
        if not (word.isascii() and word.isdecimal() and len(word) < 3 and int(word) <= 13):
            raise FormatError(field.line, "0 to 13 tricks", got(field.value))
        self.claim = field

    def _nt(self, field: Field) -> None:
        """A comment on the last card or call, else on the board."""
        if not field.value:
            return
        if self.cards:
            self.cards[-1] = replace(self.cards[-1], comment=_join(self.cards[-1].comment, field.value))
        elif self.calls:
            self.calls[-1] = replace(self.calls[-1], comment=_join(self.calls[-1].comment, field.value))
        else:
            self.comments.append(field.value)


def _compact(field: Field) -> str:
    """A value of cards or calls without its spaces. Other alphabets have letters whose upper or lower case is ours."""
    if not field.value.isascii():
        raise FormatError(field.line, "letters and digits", got(field.value))
    return "".join(field.value.split())


def _join(before: str, comment: str) -> str:
    return f"{before}\n{comment}" if before else comment


def _names(field: Field) -> list[str | None]:
    """Four names, or eight: those of the open room and those of the closed."""
    names = [one_line(name) or None for name in field.items()]
    if len(names) > 8:
        raise FormatError(field.line, "four names, or eight for two rooms", f"got {len(names)}")
    return names + [None] * (-len(names) % 4)


def _by_seat(names: list[str | None]) -> Names:
    south, west, north, east = names
    return north, east, south, west


def _hand(text: str, line: int) -> Hand | None:
    if not text:
        return None
    cards: list[Card] = []
    suit = ""
    for letter in text.replace("10", "T"):
        if letter in "SHDC":
            suit = letter
        elif (card := _CARDS.get(suit + letter)) is not None:
            cards.append(card)
        else:
            raise FormatError(line, "a hand such as SAK2HQJT9D876C543", got(text))
    if not cards:
        return None
    with expecting("a hand of 13 cards", line):
        return Hand(cards)
