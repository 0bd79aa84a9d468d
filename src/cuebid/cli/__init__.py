"""The `cuebid` command: one thin verb a module, each importing what it needs when it runs."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import cuebid
import cuebid.cli.bid as bid
import cuebid.cli.convert as convert
import cuebid.cli.deals as deals
import cuebid.cli.match as match
import cuebid.cli.train as train
from cuebid.game import BridgeError

DESCRIPTION = """\
A contract bridge bidding engine.

  cuebid bid AKQ2.JT9.876.543 --auction "1H P"   what to call
  cuebid auction --seed 3                         a board bid by four agents
  cuebid match max sayc --boards 1000             who is better, and by how much
  cuebid solve "N:AKQ2.JT9.876.543 …"             double dummy table and par
"""


class Parser(argparse.ArgumentParser):
    """Tells what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def parser() -> argparse.ArgumentParser:
    top: argparse.ArgumentParser = Parser(
        prog="cuebid", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    top.add_argument("--version", action="version", version=f"cuebid {cuebid.__version__}")
    verbs = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    bid.add(verbs)
    deals.add(verbs)
    convert.add(verbs)
    match.add(verbs)
    train.add(verbs)
    return top


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Like `parse_args`, but a training's settings may also stand after options, and `-.AKQ…` is a void in spades."""
    reader = parser()
    options, words = reader.parse_known_args([f" {word}" if word.startswith("-.") else word for word in arguments])
    if words and not (hasattr(options, "settings") and not any(word.startswith("-") for word in words)):
        reader.error(f"unrecognized arguments: {' '.join(words)}; what has spaces needs quotes")
    if words:
        options.settings += words
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 when it did what was asked, 2 with one line on standard error for bad input."""
    options = _parsed(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # where suit symbols cannot be shown, question marks can
    try:
        options.run(options)
    except BrokenPipeError:  # the reader (head, less) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except BridgeError as error:
        print(f"cuebid: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"cuebid: {error.filename or 'a file'}: {error.strerror or error}", file=sys.stderr)
        return 2
    except MemoryError:
        print("cuebid: there is not enough memory for so much at once", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("cuebid: stopped", file=sys.stderr)
        return 130
    return 0
