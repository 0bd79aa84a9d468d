"""What is wrong with a file, and where."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cuebid.game import BridgeError

if TYPE_CHECKING:
    from cuebid.formats.board import Board

_SHOWN = 60


class FormatError(BridgeError):
    """A malformed file, in one line: `file:line: expected …, got …`.

    `boards` holds those read before it, so that one bad board does not cost a file.
    """

    def __init__(self, line: int, expected: str, problem: str, file: str = "<text>") -> None:
        super().__init__(line, expected, problem, file)
        self.line = line
        self.expected = expected
        self.problem = problem
        self.file = file
        self.boards: tuple[Board, ...] = ()

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: expected {self.expected}, {self.problem}"


def got(text: str) -> str:
    """The offending text, quoted and cut to fit a line."""
    return f"got {text if len(text) <= _SHOWN else text[:_SHOWN] + '…'!r}"


@contextmanager
def expecting(expected: str, line: int) -> Iterator[None]:
    """Give a `BridgeError` its place in the file."""
    try:
        yield
    except FormatError:
        raise
    except BridgeError as error:
        raise FormatError(line, expected, f"but {error}") from None
