"""Boards in files: PBN 2.1, LIN and OpenSpiel trajectories, in and out.

from cuebid import formats

for board in formats.read("match.pbn"):
    print(board.number, board.deal, board.auction)
formats.write("match.lin", formats.read("match.pbn"))
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cuebid.files import write_whole
from cuebid.formats import lin, openspiel, pbn
from cuebid.formats.board import PASSED_OUT, AnnotatedCall, Board, PlayedCard, Reading, Section
from cuebid.formats.errors import FormatError
from cuebid.game import BridgeError

__all__ = [
    "PASSED_OUT",
    "AnnotatedCall",
    "Board",
    "FormatError",
    "PlayedCard",
    "Reading",
    "Section",
    "lin",
    "openspiel",
    "pbn",
    "read",
    "write",
]


def read(path: str | Path, strict: bool = True) -> Reading:
    """The boards of a file, whose suffix tells the format: `.pbn`, `.lin`, or `.txt` for OpenSpiel trajectories.

    A malformed board raises a `FormatError`, which holds the boards before it; with `strict=False` it is skipped, and
    its error is in `Reading.skipped`.
    """
    path = Path(path)
    parse = {".pbn": pbn.parse, ".lin": lin.parse, ".txt": openspiel.parse}[_suffix(path)]
    return parse(decode(path.read_bytes()), str(path), strict)


def write(path: str | Path, boards: Iterable[Board]) -> None:
    """Write boards to a file in the format its suffix tells; an old file is replaced in one step."""
    path = Path(path)
    suffix = _suffix(path)
    text = (
        openspiel.render(boards, str(path)) if suffix == ".txt" else {".pbn": pbn, ".lin": lin}[suffix].render(boards)
    )
    write_whole(path, text.encode())


def decode(content: bytes) -> str:
    """UTF-8, or Latin-1 where it is not that."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in (".pbn", ".lin", ".txt"):
        raise BridgeError(f"{path}: expected a file that ends in .pbn, .lin or .txt (OpenSpiel trajectories)")
    return suffix
