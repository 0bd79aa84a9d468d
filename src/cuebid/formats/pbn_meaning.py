"""What the tags of a PBN board mean."""

from __future__ import annotations

import re
from dataclasses import replace

from cuebid.formats.board import (
    PASSED_OUT,
    AnnotatedCall,
    Board,
    Hands,
    PassedOut,
    PlayedCard,
    Section,
    Table,
)
from cuebid.formats.errors import FormatError, expecting, got
from cuebid.formats.pbn_syntax import MANDATORY, Line, RawBoard, Tag
from cuebid.formats.pbn_tables import read_hex_table, read_table
from cuebid.formats.pbn_tokens import Token, read_calls, read_cards, section_words, tokens
from cuebid.game import Auction, Contract, Hand, Seat, Side, Strain, Vulnerability

_NAMES = ("North", "East", "South", "West")
_ORDER = {name: place for place, name in enumerate(MANDATORY)}
_UNKNOWN = ("", "?")
_CONTRACT = re.compile(r"([1-7]) ?(C|D|H|S|NT|N) ?(X{0,2})", re.IGNORECASE | re.ASCII)
_RESULT = re.compile(r"(\^?)(?:([0-9]{1,2})|(NS|EW) ([0-9]{1,2})(?: (?:NS|EW) [0-9]{1,2})?)")


class Meaning:
    """What the tags of one board mean. Each reader takes the tags it can say in a field; the rest stay as they are."""

    def __init__(self, raw: RawBoard) -> None:
        self.line = raw.tags[0].line
        self.comments = raw.comments
        self.tags: dict[str, Tag] = {}
        self.rest: list[Tag] = []
        self.notes: dict[str, dict[str, Tag]] = {"Auction": {}, "Play": {}}
        section = None
        for tag in raw.tags:
            if tag.name == "Note" and section and (number := _note_number(tag)):
                self.notes[section].setdefault(number, tag)
            elif tag.name not in self.tags or tag.name == "Note":  # the standard has a repeated tag ignored
                self.tags[tag.name] = tag
                self.rest.append(tag)
                section = tag.name if tag.name in self.notes else section

    def board(self) -> Board:
        dealer = self._dealer()
        calls, calling = self._auction(dealer)
        auction = Auction(dealer, [call.call for call in calls]) if dealer is not None and calls else None
        contract = self._contract(auction)
        result = self._result(contract)
        play, playing = self._play(contract)
        north, east, south, west = (self._text(name) for name in _NAMES)
        number, hands, vulnerability, tricks = self._text("Board"), self._hands(), self._vulnerability(), self._table()
        for name in ("Event", "Site", "Date", "Scoring"):
            self._text(name, take=False)
        with expecting("a board that obeys the rules", self.line):
            return Board(
                number=number,
                hands=hands,
                dealer=dealer,
                vulnerability=vulnerability,
                calls=calls,
                contract=contract,
                result=result,
                play=play,
                in_progress=calling or playing,
                tricks=tricks,
                names=(north, east, south, west),
                tags=tuple(
                    sorted(((tag.name, tag.value) for tag in self.rest if not _is_section(tag)), key=_export_order)
                ),
                sections=tuple(_as_section(tag) for tag in self.rest if _is_section(tag)),
                comments=tuple(comment for comment in self.comments if comment),
            )

    def _take(self, name: str) -> None:
        """This tag is said by a field."""
        self.rest = [tag for tag in self.rest if tag.name != name]

    def _text(self, name: str, take: bool = True) -> str | None:
        value = self.tags[name].value if name in self.tags else ""
        if take or not value:
            self._take(name)
        return value or None

    def _known(self, name: str) -> Tag | None:
        """A tag that says something; else it needs no keeping."""
        tag = self.tags.get(name)
        if tag and tag.value in _UNKNOWN and not tag.section:
            self._take(name)
            return None
        return tag

    def _dealer(self) -> Seat | None:
        auction = self.tags.get("Auction")
        dealers: list[Seat] = []
        for tag in (self._known("Dealer"), auction):
            if tag and tag.value not in _UNKNOWN:
                with expecting("a seat N, E, S or W", tag.line):
                    dealers.append(Seat(tag.value))
        if auction and len(set(dealers)) > 1:
            raise FormatError(auction.line, f"the dealer {dealers[0]} to open the auction", got(auction.value))
        self._take("Dealer")
        return dealers[0] if dealers else None

    def _hands(self) -> Hands:
        tag = self._known("Deal")
        if not tag:
            return None, None, None, None
        first, colon, rest = tag.value.partition(":")
        words = rest.split()
        if not colon or len(words) != 4:
            raise FormatError(
                tag.line, "a seat, a colon and four hands, such as N:AKQ2.JT9.876.543 - - -", got(tag.value)
            )
        with expecting("a deal", tag.line):
            turn = Seat(first)
            north, east, south, west = (None if word == "-" else Hand(word) for word in _from_north(words, turn))
            self._take("Deal")
            return Board(hands=(north, east, south, west)).hands

    def _vulnerability(self) -> Vulnerability | None:
        tag = self._known("Vulnerable")
        if not tag:
            return None
        self._take("Vulnerable")
        with expecting("None, NS, EW or All", tag.line):
            return Vulnerability(tag.value)

    def _table(self) -> Table | None:
        hex_tag, tag = self.tags.get("DoubleDummyTricks"), self.tags.get("OptimumResultTable")
        from_hex = read_hex_table(hex_tag) if hex_tag else None
        table = read_table(tag) if tag else None
        if table:
            self._take("OptimumResultTable")
        return table or from_hex

    def _words(self, tag: Tag) -> list[Token]:
        words, before = tokens(tag)
        self.comments += before
        return words

    def _auction(self, dealer: Seat | None) -> tuple[tuple[AnnotatedCall, ...] | None, bool]:
        tag = self._known("Auction")
        if not tag:
            return None, False
        words = self._words(tag)
        if dealer is None or any(word.is_irregular for word in words):
            self._keep(tag, words)
            return None, False
        self._take("Auction")
        return read_calls(words, dealer, self._notes("Auction", words))

    def _play(self, contract: Contract | PassedOut | None) -> tuple[tuple[PlayedCard, ...], bool]:
        tag = self._known("Play")
        if not tag:
            return (), False
        words = self._words(tag)
        used = self._notes("Play", words)
        read = read_cards(words, contract, tag.value.strip().upper(), used)
        if read is None:
            self._keep(tag, words)
            return (), False
        self._take("Play")
        return read

    def _keep(self, tag: Tag, words: list[Token]) -> None:
        self.comments += [comment for word in words for comment in word.comments]
        tag.section = [Line(text, tag.line) for text in section_words(words)]
        self.rest += self.notes[tag.name].values()

    def _notes(self, section: str, words: list[Token]) -> dict[str, str]:
        """The notes referred to; the others stay tags."""
        used = {number for word in words for number in word.notes}
        notes = self.notes[section]
        self.rest += [tag for number, tag in notes.items() if number not in used]
        return {number: tag.value.partition(":")[2] for number, tag in notes.items() if number in used}

    def _contract(self, auction: Auction | None) -> Contract | PassedOut | None:
        settled = (auction.contract or PASSED_OUT) if auction and auction.is_over else None
        declarer = self._declarer(settled)
        said = self._said_contract(declarer, settled)
        tag = self._known("Contract") or self._known("Declarer")
        if tag and said and settled not in (None, said) and not self._is_irregular("Declarer"):
            raise FormatError(tag.line, f"the contract of the auction, {settled}", got(str(said)))
        return said or settled

    def _said_contract(
        self, declarer: Seat | None, settled: Contract | PassedOut | None
    ) -> Contract | PassedOut | None:
        tag = self._known("Contract")
        if not tag:
            if isinstance(settled, Contract) and declarer is not None:
                return replace(settled, declarer=declarer)
            return None
        if tag.value.strip().upper() in ("PASS", "P", "PASSED OUT") and tag.value.isascii():
            self._take("Contract")
            return PASSED_OUT
        match = _CONTRACT.fullmatch(tag.value.strip())
        if not match:
            raise FormatError(tag.line, "a contract such as 4H, 3NTX or Pass", got(tag.value))
        if declarer is None and settled:
            raise FormatError(tag.line, f"the contract of the auction, {settled}", got(tag.value))
        if declarer is None:
            return None
        self._take("Contract")
        return Contract(int(match[1]), Strain[match[2][0].upper()], declarer, len(match[3]))

    def _is_irregular(self, name: str) -> bool:
        return name in self.tags and self.tags[name].value.startswith("^")

    def _declarer(self, settled: Contract | PassedOut | None) -> Seat | None:
        """Kept as a tag too where it says more: `^W` for an irregular declarer, or a declarer of no known contract."""
        tag = self._known("Declarer")
        if not tag:
            return settled.declarer if isinstance(settled, Contract) else None
        with expecting("a declarer N, E, S or W", tag.line):
            declarer = Seat(tag.value.removeprefix("^"))
        if self._is_irregular("Declarer"):
            tag.value = f"^{declarer}"
        elif settled or self._known("Contract"):
            self._take("Declarer")
        return declarer

    def _result(self, contract: Contract | PassedOut | None) -> int | None:
        tag = self._known("Result")
        if not tag:
            return None
        match = _RESULT.fullmatch(tag.value)
        if not match:
            raise FormatError(tag.line, "a number of tricks such as 9, EW 7 or ^9", got(tag.value))
        tricks = int(match[2] or match[4])
        if tricks > 13:
            raise FormatError(tag.line, "0 to 13 tricks", got(tag.value))
        if not isinstance(contract, Contract):
            return None
        if match[3] and Side[match[3]] != contract.declarer.side:
            tricks = 13 - tricks
        if match[1]:
            tag.value = f"^{tricks}"
        else:
            self._take("Result")
        return tricks


def _export_order(tag: tuple[str, str]) -> int:
    return _ORDER.get(tag[0], len(_ORDER))


def _note_number(tag: Tag) -> str:
    number, colon, _ = tag.value.partition(":")
    return (number.lstrip("0") or "0") if colon and number.isascii() and number.isdecimal() else ""


def _is_section(tag: Tag) -> bool:
    return bool(tag.section) or tag.name in ("Auction", "Play")


def _as_section(tag: Tag) -> Section:
    return Section(tag.name, tag.value, tuple(line.text for line in tag.section))


def _from_north(hands: list[str], first: Seat) -> list[str]:
    return [hands[seat - first] for seat in Seat]
