"""LIN as written: `code|value|` fields, grouped into boards. What they mean is in `lin`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from cuebid.formats.board import plain_lines
from cuebid.formats.errors import FormatError, got

TITLE = ("vg", "rs", "pw", "mp", "bt")
"""What a vugraph file begins with."""

_STARTS = re.compile(r"\n\s*+(?=(?:qx|pn|md|vg)\|)")
_FIRST = ("qx", "pn", "md")
_SPACE = re.compile(r"\s*+")
# LIN has no escape of its own: HTML's stand for the bar, the comma in a name, and an & that would seem to begin one.
_ENTITY = re.compile("&#(38|44|124);")
_TO_ESCAPE = re.compile(r"\||&(?=#(?:38|44|124);)")


@dataclass(slots=True)
class Field:
    code: str
    raw: str
    line: int

    @property
    def value(self) -> str:
        return _unescape(self.raw)

    def items(self) -> list[str]:
        """The parts of a value that commas separate."""
        return [_unescape(part) for part in self.raw.split(",")]


@dataclass(slots=True)
class Group:
    """The fields of one board."""

    line: int
    fields: list[Field] = field(default_factory=list)

    def is_whole(self, end: int) -> bool:
        """Whether nothing of the board is missing when what follows on a line cannot be read."""
        on_one_line = self.fields[-1].line == self.line < end
        return on_one_line or any(one.code == "mc" for one in self.fields)


def split(text: str) -> Iterator[Group | FormatError]:
    """The boards of a text. A malformed field gives an error, and reading goes on at the next board's line."""
    group: Group | None = None
    for one in _fields(plain_lines(text)):
        if isinstance(one, FormatError):
            if group and group.is_whole(one.line):
                yield group
            yield one
            group = None
            continue
        if group and one.code in _FIRST and _starts_board(one.code, {earlier.code for earlier in group.fields}):
            yield group
            group = None
        group = group or Group(one.line)
        group.fields.append(one)
    if group and any(one.raw or one.code not in ("pg", "st", "rh") for one in group.fields):
        yield group


def _starts_board(code: str, earlier: set[str]) -> bool:
    """A board begins with its room (qx), names (pn) or deal (md), in this order, any of which may be missing."""
    return "md" in earlier or (code == "qx" and "qx" in earlier)


def _fields(text: str) -> Iterator[Field | FormatError]:
    line, counted = 1, 0
    at = _skip_space(text, 0)
    while at < len(text):
        line, counted = line + text.count("\n", counted, at), at
        bar = text.find("|", at)
        end = text.find("|", bar + 1) if bar >= 0 else -1
        code = text[at:bar].strip() if bar >= 0 else text[at:].strip()
        is_code = len(code) == 2 and code.isascii() and code.isalnum()
        if is_code and end >= 0:
            value = text[bar + 1 : end]
            before, _, last = value.rpartition("\n")
            if before and last.strip() in _FIRST:
                # The bar that ends this value is missing; what looks like its end begins another board.
                yield FormatError(line, f"| to end the value of {code}", got(before))
                at = bar + 1 + len(before)
            else:
                yield Field(code.lower(), value, line)
                at = end + 1
            at = _skip_space(text, at)
        else:
            problem = "got the end of the file" if is_code else got(code)
            yield FormatError(line, "a two-letter tag and its value, such as sv|o|", problem)
            start = _STARTS.search(text, at)
            at = start.end() if start else len(text)


def _skip_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def one_line(value: str) -> str:
    """A value whose line breaks mean nothing."""
    return value.replace("\n", " ")


def escape(value: str) -> str:
    return _TO_ESCAPE.sub(lambda found: f"&#{ord(found[0])};", value)


def write_field(code: str, value: str = "") -> str:
    return f"{code}|{escape(value)}|"


def write_items(code: str, values: Iterable[str]) -> str:
    return f"{code}|{','.join(escape(value).replace(',', '&#44;') for value in values)}|"


def _unescape(text: str) -> str:
    return _ENTITY.sub(lambda found: chr(int(found[1])), text) if "&#" in text else text
