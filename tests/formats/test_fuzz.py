"""Broken files: a `FormatError` or boards, nothing else, and soon."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from cuebid.formats import Board, FormatError, Reading, decode, lin, openspiel, pbn

SAMPLES = Path(__file__).parent / "samples"
INPUTS = int(os.environ.get("CUEBID_FUZZ", "100000"))
"""Over all formats."""

LONGEST = 2.0  # seconds for one input of some kilobytes, of the processor


def _flip(data: bytearray, source: random.Random) -> None:
    for _ in range(source.randint(1, 6)):
        data[source.randrange(len(data))] = source.randrange(256)


def _swap_letters(data: bytearray, source: random.Random) -> None:
    for _ in range(source.randint(1, 4)):
        data[source.randrange(len(data))] = data[source.randrange(len(data))]


def _delete(data: bytearray, source: random.Random) -> None:
    start = source.randrange(len(data))
    del data[start : start + source.choice((1, 1, 2, 5, 40))]


def _duplicate(data: bytearray, source: random.Random) -> None:
    start = source.randrange(len(data))
    data[start:start] = data[start : start + source.choice((1, 3, 20, 200))] * source.choice((1, 1, 2, 10))


WORDS = '| " [ ] { } ; % \\ # =1= * + - ^S AP ²٣ ß pn|'
PIECES = [*(word.encode() for word in WORDS.split()), b"\n", b"\n\n", b"\r", b" ", b"\xff", b"\x00", b"9" * 5000]


def _insert(data: bytearray, source: random.Random) -> None:
    at = source.randrange(len(data))
    data[at:at] = source.choice(PIECES)


def _swap_lines(data: bytearray, source: random.Random) -> None:
    mark = b"|" if data.count(b"|") > 20 else b"\n"
    lines = data.split(mark)
    one, other = source.randrange(len(lines)), source.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    data[:] = mark.join(lines)


def _truncate(data: bytearray, source: random.Random) -> None:
    del data[source.randrange(1, len(data)) :]


MUTATIONS = (_flip, _swap_letters, _delete, _duplicate, _insert, _swap_lines, _truncate)


def _seeds(pattern: str) -> list[bytes]:
    """Whole files and their single boards: small inputs are quick, and break in more places."""
    found = []
    for path in sorted(SAMPLES.glob(pattern)):
        data = path.read_bytes()
        found += [data, *(data.split(b"\n\n") if path.suffix == ".pbn" else data.splitlines(keepends=True))]
    return [data for data in found if len(data) > 10]


def _read(module: ModuleType, text: str, strict: bool) -> tuple[tuple[Board, ...], tuple[FormatError, ...]]:
    try:
        reading = module.parse(text, strict=strict)
    except FormatError as error:
        return error.boards, (error,)
    return reading.boards, reading.skipped


@pytest.mark.parametrize(("pattern", "module"), [("*.pbn", pbn), ("*.lin", lin), ("*.txt", openspiel)])
def test_broken_files(pattern: str, module: ModuleType) -> None:
    """What is read of them comes back, too."""
    source = random.Random(pattern)
    seeds = _seeds(pattern)
    refused = 0
    for number in range(INPUTS // 3 + 1):
        data = bytearray(source.choice(seeds))
        for _ in range(source.choice((1, 1, 2, 4))):
            if len(data) > 1:
                source.choice(MUTATIONS)(data, source)
        start = time.process_time()
        boards, errors = _read(module, decode(bytes(data)), strict=source.random() < 0.5)
        assert time.process_time() - start < LONGEST, bytes(data)
        assert all(1 <= error.line <= len(data) + 1 and "\n" not in str(error) for error in errors)
        refused += bool(errors)
        if number % 10 == 0:
            assert module.parse(module.render(boards)).boards == boards, bytes(data)
    assert refused > INPUTS // 30


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (pbn.parse, "{" * 200_000),
        (pbn.parse, "{\n\n" * 50_000),
        (pbn.parse, '[A "' + "\\" * 200_000),
        (pbn.parse, '[A "' * 50_000),
        (pbn.parse, '[A "b"]' * 20_000),
        (pbn.parse, '[Auction "N"]\n' + "1C " * 50_000),
        (pbn.parse, '[Auction "N"]\n' + "=" * 100_000),
        (pbn.parse, ";x\n" * 50_000),
        (lin.parse, "|" * 200_000),
        (lin.parse, "a|" * 100_000),
        (lin.parse, "md|" + "S" * 100_000),
        (lin.parse, "md|3|mb|" + "p" * 100_000 + "|"),
        (lin.parse, "\n" * 200_000 + "x"),
        (lin.parse, "qx|o1|" * 30_000),
        (openspiel.parse, "1 " * 200_000),
    ],
)
def test_no_input_takes_long(parse: Callable[..., Reading], text: str) -> None:
    start = time.process_time()
    parse(text, strict=False)
    assert time.process_time() - start < 10
