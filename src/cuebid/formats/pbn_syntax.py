"""PBN as written: boards of tags, each with the lines of its section, and comments. What they mean is in `pbn`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from cuebid.formats.board import plain_lines
from cuebid.formats.errors import FormatError, got

MANDATORY = (
    "Event", "Site", "Date", "Board", "West", "North", "East", "South",
    "Dealer", "Vulnerable", "Deal", "Scoring", "Declarer", "Contract", "Result",
)  # fmt: skip
"""The tags of every board in export format, in its order."""

HEADER = "% PBN 2.1\n% EXPORT\n%Content-type: text/x-pbn; charset=UTF-8\n"

_ONE_LINE = {*MANDATORY, "Note"}
_TOKENS = {"Auction", "Play"}
_TAG = re.compile(r'\[\s*([^\s"\[\]]+)\s*"((?:[^"\\]|\\.)*+)"\s*\]')
_ESCAPED = re.compile(r'\\([\\"])')
_TO_ESCAPE = re.compile(r'"|\\(?=[\\"]|\Z)')
_DIRECTIVE = re.compile(r"%\s*(PBN \d|EXPORT|IMPORT|Content-type:)", re.IGNORECASE)
_ENDS_TEXT = re.compile(r"[{;\[]")


@dataclass(slots=True)
class Line:
    """A line of a section, or a comment in it."""

    text: str
    number: int
    is_comment: bool = False


@dataclass(slots=True)
class Tag:
    name: str
    value: str
    line: int
    section: list[Line] = field(default_factory=list)


@dataclass(slots=True)
class RawBoard:
    tags: list[Tag] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)

    def has(self, name: str) -> bool:
        return any(tag.name == name for tag in self.tags)


def split(text: str) -> Iterator[RawBoard | FormatError]:
    """The boards of a text; a board that cannot be split into tags gives an error in its place."""
    return _Splitter(plain_lines(text).split("\n")).boards()


class _Splitter:
    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = 0  # lines taken so far, so also the number of the line at hand
        self.line = ""
        self.board = RawBoard()
        self.finished: list[RawBoard] = []
        self.skipping = False  # the rest of a malformed board
        self.last_open = len(lines)  # no } closes a comment from here on
        self.last_semicolon = -1  # line of the last ; comment: such comments on lines that follow each other are one

    def boards(self) -> Iterator[RawBoard | FormatError]:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            self.at += 1
            if not line.strip():
                self._finish()
                self.skipping = False
            elif not self.skipping or line.startswith("[Event "):
                self.skipping = False
                try:
                    self._read(line)
                except FormatError as error:
                    self.board, self.skipping = RawBoard(), True
                    yield from self._take_finished()
                    yield error
            yield from self._take_finished()
        self._finish()
        if self.board.comments:
            self.finished.append(self.board)
        yield from self._take_finished()

    def _take_finished(self) -> Iterator[RawBoard]:
        finished, self.finished = self.finished, []
        return iter(finished)

    def _finish(self) -> None:
        """Comments before a board are its own, so they do not make one."""
        if self.board.tags:
            self.finished.append(self.board)
            self.board = RawBoard()

    def _read(self, line: str) -> None:
        if line.startswith("%"):
            if not _DIRECTIVE.match(line):
                self.board.comments.append(line)
            return
        if self._in_table and line.lstrip()[0] not in "[{;":
            self.board.tags[-1].section.append(Line(line.rstrip(), self.at))
            return
        self.line, column = line, 0
        while column < len(self.line):
            letter = self.line[column]
            if letter.isspace():
                column += 1
            elif letter == "[":
                column = self._tag(column)
            elif letter == "{":
                column = self._comment(column + 1)
            elif letter == ";":
                self._semicolon(self.line[column + 1 :])
                return
            else:
                column = self._text(column)

    @property
    def _in_table(self) -> bool:
        name = self.board.tags[-1].name if self.board.tags else "Note"
        return name not in _ONE_LINE and name not in _TOKENS

    def _tag(self, column: int) -> int:
        found = _TAG.match(self.line, column)
        if not found:
            raise FormatError(self.at, 'a tag such as [Board "1"]', got(self.line[column:]))
        name, value = found[1], _ESCAPED.sub(r"\1", found[2])
        starts = {"Event": ("Event", "Deal"), "Board": ("Board",), "Deal": ("Deal",)}.get(name, ())
        if any(self.board.has(earlier) for earlier in starts):
            self._finish()
        self.board.tags.append(Tag(name, value, self.at))
        return found.end()

    def _comment(self, column: int) -> int:
        """It may go on over the next lines, the last of which becomes the line at hand."""
        start = self.at
        parts = []
        while (end := self.line.find("}", column)) < 0:
            parts.append(self.line[column:])
            if self.at >= self.last_open:
                self.at, self.last_open = start, min(start, self.last_open)
                raise FormatError(start, "} to end the comment", "got the end of the file")
            self.line, column = self.lines[self.at], 0
            self.at += 1
        self._keep("\n".join([*parts, self.line[column:end]]), start)
        return end + 1

    def _semicolon(self, text: str) -> None:
        if self.last_semicolon == self.at - 1 and self.line.lstrip().startswith(";"):
            self._extend(text)
        else:
            self._keep(text, self.at)
        self.last_semicolon = self.at

    def _extend(self, text: str) -> None:
        if self._in_tokens:
            self.board.tags[-1].section[-1].text += "\n" + text
        else:
            self.board.comments[-1] += "\n" + text

    @property
    def _in_tokens(self) -> bool:
        return bool(self.board.tags) and self.board.tags[-1].name in _TOKENS

    def _keep(self, comment: str, line: int) -> None:
        if self._in_tokens:
            self.board.tags[-1].section.append(Line(comment, line, is_comment=True))
        else:
            self.board.comments.append(comment)

    def _text(self, column: int) -> int:
        found = None if self._in_table else _ENDS_TEXT.search(self.line, column)
        end = found.start() if found else len(self.line)
        text = self.line[column:end].rstrip()
        if self._in_table and text.startswith("%"):
            text = " " + text  # a line of its own must not become an escape
        if self._in_table or self._in_tokens:
            self.board.tags[-1].section.append(Line(text, self.at))
        elif '"' in text or "]" in text or (found and found[0] == "["):
            raise FormatError(self.at, 'a tag such as [Board "1"] or a comment', got(self.line[column:]))
        else:
            # A stray line says something to a reader, so it is kept.
            self.board.comments.append(text)
        return end


def write_tag(name: str, value: str) -> str:
    """A tag pair as a line."""
    return f'[{name} "{_TO_ESCAPE.sub(lambda found: chr(92) + found[0], value)}"]\n'


def write_comment(text: str, in_section: bool = False) -> str:
    """A comment as lines of its own; a % line stands for the board, so it cannot be in a section."""
    if text.startswith("%") and not in_section and "\n" not in text and not _DIRECTIVE.match(text):
        return text + "\n"
    if "}" in text:
        # The empty comment keeps two ; comments apart that would be read as one.
        return "{}\n" + "".join(f";{line}\n" for line in text.split("\n"))
    return "{" + text + "}\n"
