"""`cuebid convert`: boards from one file format to another."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


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
