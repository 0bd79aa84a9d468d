"""Portable Bridge Notation 2.1.

All of a board comes back: what `Board` has no field for is in its `tags`, `sections` and `comments`. An auction or a
play section that the rules cannot follow (irregularities, skipped players, unknown cards, no contract) is kept as a
`Section`. PBN has no word for an alert, so a call with a note counts as alerted; the note of an explanation without an
alert begins with `not alerted: `.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cuebid.formats.board import (
    Board,
    Reading,
    gather,
)
from cuebid.formats.errors import FormatError
from cuebid.formats.pbn_meaning import Meaning
from cuebid.formats.pbn_syntax import RawBoard, Tag, split
from cuebid.formats.pbn_writing import render

__all__ = ["parse", "render"]

_NOT_INHERITED = {"Dealer", "Vulnerable", "Deal", "Declarer", "Contract", "Auction", "Play", "Note"}


def parse(text: str, file: str = "<text>", strict: bool = True) -> Reading:
    """Read the boards of a text; see `cuebid.formats.read`."""
    return gather(_boards(text), file, strict)


def _boards(text: str) -> Iterator[Board | FormatError]:
    inherited: dict[str, str] = {}
    defaults: dict[str, str] = {}
    last: Board | FormatError | None = None
    for raw in split(text):
        if isinstance(raw, RawBoard) and not raw.tags:
            # Comments after the last board belong to it.
            if isinstance(last, Board):
                last = replace(last, comments=(*last.comments, *filter(None, raw.comments)))
            continue
        if last is not None:
            yield last
        last = raw if isinstance(raw, FormatError) else _board(raw, inherited, defaults)
    if last is not None:
        yield last


def _board(raw: RawBoard, inherited: dict[str, str], defaults: dict[str, str]) -> Board | FormatError:
    _inherit(raw, inherited, defaults)
    try:
        return Meaning(raw).board()
    except FormatError as error:
        return error


def _inherit(raw: RawBoard, earlier: dict[str, str], defaults: dict[str, str]) -> None:
    """`#` stands for the value of the board before; `##text` for itself here and wherever the tag is missing later."""
    raw.tags += [Tag(name, value, raw.tags[0].line) for name, value in defaults.items() if not raw.has(name)]
    for tag in raw.tags:
        if tag.name in _NOT_INHERITED:
            continue
        if tag.value == "#":
            tag.value = earlier.get(tag.name, "")
        elif tag.value.startswith("##"):
            defaults[tag.name] = tag.value = tag.value[2:]
        elif tag.name in defaults:
            defaults[tag.name] = tag.value
        earlier[tag.name] = tag.value
