"""`cuebid convert`: boards from one file format to another."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cuebid.formats import Board


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    convert = verbs.add_parser("convert", help="boards from one format to another: .pbn, .lin, .txt (OpenSpiel)")
    convert.add_argument("source", type=Path)
    convert.add_argument("target", type=Path)
    convert.add_argument("--skip", action="store_true", help="leave out malformed boards and say which")
    convert.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    from cuebid import formats

    reading = formats.read(options.source, strict=not options.skip)
    formats.write(options.target, reading.boards)
    for error in reading.skipped:
        print(f"cuebid: left out: {error}", file=sys.stderr)
    print(f"{options.target}: {len(reading.boards)} boards")
    lost = _lost(reading.boards, formats.read(options.target).boards)
    if lost:
        print(
            f"cuebid: {options.target.suffix} has no place for what these held of: {', '.join(lost)}", file=sys.stderr
        )


def _lost(before: Sequence[Board], after: Sequence[Board]) -> list[str]:
    """The parts of a board that did not all arrive."""
    pairs = list(zip(before, after, strict=True))
    names = (field.name for field in fields(before[0])) if before else ()
    return [name for name in names if any(getattr(one, name) != getattr(other, name) for one, other in pairs)]
