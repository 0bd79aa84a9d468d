"""PBN's auction and play sections: calls and cards with notes, marks and comments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from cuebid.formats.board import AnnotatedCall, PassedOut, PlayedCard
from cuebid.formats.cardplay import Trick, next_player, tricks, winner
from cuebid.formats.errors import FormatError, expecting, got
from cuebid.formats.pbn_syntax import Tag, write_comment, write_tag
from cuebid.game import BIDS, DOUBLE, PASS, REDOUBLE, Auction, BridgeError, Call, Card, Contract, Seat

_TOKEN = re.compile(r"=([0-9]+)=|(\$[0-9]+|[!?]{1,2})|(\^[A-Za-z])|([^\s=$^!?]+)|\S")
_CALLS = {str(call): call for call in BIDS} | {str(call).rstrip("T"): call for call in BIDS}
_CALLS |= {"PASS": PASS, "P": PASS, "X": DOUBLE, "DBL": DOUBLE, "XX": REDOUBLE, "RDBL": REDOUBLE}
_CARDS = {str(card).replace("T", ten): card for card in map(Card, range(52)) for ten in ("T", "10")}
_NOT_ALERTED = "not alerted: "
_ALERTED = "alerted: "

Notes = Mapping[str, str]


@dataclass(slots=True)
class Token:
    """A word of a section with what belongs to it."""

    word: str
    line: int
    notes: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)

    @property
    def is_irregular(self) -> bool:
        return self.word == "-" or self.word.startswith("^") or any(mark.startswith("^") for mark in self.marks)


def tokens(tag: Tag) -> tuple[list[Token], list[str]]:
    """The words of a section, and the comments before the first."""
    found: list[Token] = []
    before: list[str] = []
    comments = before
    for line in tag.section:
        if line.is_comment:
            comments.append(line.text)
            continue
        for match in _TOKEN.finditer(line.text):
            note, mark, irregular, word = match.groups()
            if word and word.isascii():  # upper case makes SS of ß
                found.append(Token(word, line.number))
                # A comment after * says something about the last call or card, so it goes to that.
                comments = comments if word in ("-", "*", "+") else found[-1].comments
            elif irregular and not found:
                found.append(Token(irregular, line.number))
            elif word or not found or not match.lastindex:
                raise FormatError(line.number, f"a word of the section [{tag.name}]", got(match[0]))
            elif note:
                found[-1].notes.append(note.lstrip("0") or "0")
            else:
                found[-1].marks.append(mark or irregular)
    return found, before


def read_calls(words: list[Token], dealer: Seat, notes: Notes) -> tuple[tuple[AnnotatedCall, ...], bool]:
    """The calls, and whether the next one is awaited."""
    auction = Auction(dealer)
    calls: list[AnnotatedCall] = []
    for at, token in enumerate(words):
        if token.word in ("*", "+"):
            if at + 1 < len(words):
                raise FormatError(words[at + 1].line, f"nothing after {token.word}", got(words[at + 1].word))
            return tuple(calls), token.word == "+"
        with expecting("a legal call", token.line):
            for call in _read_word(token, auction):
                auction = auction.after(call)
                calls.append(AnnotatedCall(call))
        calls[-1] = _annotate(calls[-1].call, token, notes)
    return tuple(calls), False


def _read_word(token: Token, auction: Auction) -> list[Call]:
    word = token.word.upper()
    if word == "AP":
        return [PASS] * max(_passes_left(auction), 1)
    if word not in _CALLS:
        raise BridgeError(f"{got(token.word)}, none of Pass, X, XX, AP, 1C … 7NT, * and +")
    return [_CALLS[word]]


def _passes_left(auction: Auction) -> int:
    """How many passes end the auction; after its end one too many complains."""
    if auction.highest_bid is None:
        return 4 - len(auction)
    made = 0
    while auction.calls[-1 - made] == PASS:
        made += 1
    return 3 - made


def _annotate(call: Call, token: Token, notes: Notes) -> AnnotatedCall:
    texts = [notes.get(number, "") for number in token.notes]
    alerted = bool(texts) and not all(text.startswith(_NOT_ALERTED) for text in texts)
    texts = [text.removeprefix(_ALERTED if alerted else _NOT_ALERTED) for text in texts]
    explanation = "; ".join(text for text in texts if text)
    return AnnotatedCall(call, alerted, explanation, _join(token.comments), tuple(token.marks))


def _join(comments: list[str]) -> str:
    return "\n".join(comment for comment in comments if comment)


def note_of(call: AnnotatedCall) -> str | None:
    """The note that says a call's alert and explanation; in PBN only alerted calls have one by custom."""
    if call.alerted:
        is_marked = call.explanation.startswith((_ALERTED, _NOT_ALERTED))
        return _ALERTED + call.explanation if is_marked else call.explanation
    return _NOT_ALERTED + call.explanation if call.explanation else None


def read_cards(
    words: list[Token], contract: Contract | PassedOut | None, leader: str, notes: Notes
) -> tuple[tuple[PlayedCard, ...], bool] | None:
    """The cards in the order played and whether the next is awaited; none when the table does not tell the order."""
    grid: list[Token | None] = []
    awaited = False
    for token in words:
        if token.word == "*":
            break
        awaited = awaited or token.word == "+"
        if token.word not in ("-", "+") and token.word.upper() not in _CARDS:
            raise FormatError(token.line, "a card such as SA, or - * +", got(token.word))
        grid.append(None if token.word in ("-", "+") else token)
    if not isinstance(contract, Contract) or leader != str(contract.declarer.lho) or len(grid) > 52:
        return None
    ordered = _in_order(grid, contract)
    return None if ordered is None else (tuple(_played(token, notes) for token in ordered), awaited)


def _in_order(grid: list[Token | None], contract: Contract) -> list[Token] | None:
    """From columns by seat to the order of play; none when a card before the last is missing or comes twice."""
    first = leader = contract.declarer.lho
    ordered: list[Token] = []
    for start in range(0, len(grid), 4):
        row = [*grid[start : start + 4], None, None, None][:4]
        trick: Trick = []
        for seat in (leader + place for place in range(4)):
            token = row[seat - first]
            if token is None:
                break
            trick.append((seat, _CARDS[token.word.upper()]))
            ordered.append(token)
        if len(trick) < 4:
            break
        leader = winner(trick, contract)
    complete = len(ordered) == sum(token is not None for token in grid)
    once = len({token.word.upper() for token in ordered}) == len(ordered)
    return ordered if complete and once else None


def _played(token: Token, notes: Notes) -> PlayedCard:
    explanation = "; ".join(text for number in token.notes if (text := notes.get(number, "")))
    return PlayedCard(_CARDS[token.word.upper()], explanation, _join(token.comments), tuple(token.marks))


class Writer:
    """Writes the words of a section, four to a line, and the notes they need after it."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.row: list[str] = []
        self.numbers: dict[str, int] = {}

    def put(self, word: str, note: str | None = None, comment: str = "", marks: tuple[str, ...] = ()) -> None:
        if note is not None:
            marks = (*marks, f"={self.numbers.setdefault(note, len(self.numbers) + 1)}=")
        self.row.append(" ".join([word, *marks]))
        if comment:
            self.end_row()
            self.lines.append(write_comment(comment, in_section=True))

    def end_row(self) -> None:
        if self.row:
            self.lines.append(" ".join(self.row) + "\n")
            self.row = []

    def text(self) -> str:
        self.end_row()
        notes = (write_tag("Note", f"{number}:{note}") for note, number in self.numbers.items())
        return "".join([*self.lines, *notes])


def write_calls(calls: tuple[AnnotatedCall, ...], is_over: bool, in_progress: bool) -> str:
    writer = Writer()
    for number, call in enumerate(calls, 1):
        word = "Pass" if call.call == PASS else str(call.call)
        writer.put(word, note_of(call), call.comment, call.marks)
        if number % 4 == 0:
            writer.end_row()
    if not is_over:
        writer.put("+" if in_progress else "*")
    return writer.text()


def write_cards(play: tuple[PlayedCard, ...], contract: Contract, in_progress: bool) -> str:
    """Tricks as rows, each seat in its column."""
    writer = Writer()
    first = contract.declarer.lho
    cards = [played.card for played in play]
    annotations = iter(play)
    made = tricks(cards, contract)
    turn = next_player(cards, contract)
    if in_progress and len(play) % 4 == 0:
        made.append([])
    for trick in made:
        said = {seat: next(annotations) for seat, _ in trick}
        for place in range(4):
            seat = first + place
            if seat in said:
                card = said[seat]
                writer.put(str(card.card), card.explanation or None, card.comment, card.marks)
            else:
                writer.put("+" if in_progress and seat == turn else "-")
        writer.end_row()
    if len(play) < 52 and not in_progress:
        writer.put("*")
    return writer.text()


def section_words(words: list[Token]) -> Iterator[str]:
    """An irregular section as lines, word by word, without its comments."""
    row: list[str] = []
    line = words[0].line if words else 0
    for token in words:
        if token.line != line:
            yield " ".join(row)
            row, line = [], token.line
        row.append(" ".join([token.word, *token.marks, *(f"={number}=" for number in token.notes)]))
    if row:
        yield " ".join(row)
