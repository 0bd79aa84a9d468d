"""What a supervised policy learns from: boards with their auctions, turned into situations and the calls made there."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from cuebid.game import BridgeError
from cuebid.vector import Auctions, Hands, encodings

TEST_SHARE = 0.02
"""The last part of every corpus file, by position, is for testing only."""

Bytes = npt.NDArray[np.uint8]


@dataclass(slots=True)
class Boards:
    """`N` boards with complete auctions."""

    owner: Bytes
    """[N, 52], the seat that holds each card."""
    dealer: Bytes
    """[N]."""
    vulnerability: Bytes
    """[N], bit 0 North-South, bit 1 East-West."""
    calls: npt.NDArray[np.int8]
    """[N, L], by number, padded with -1."""

    def __len__(self) -> int:
        return len(self.owner)

    def __getitem__(self, rows: slice) -> Self:
        return type(self)(self.owner[rows], self.dealer[rows], self.vulnerability[rows], self.calls[rows])

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """From a corpus `.npz` (see shared/data/README.md), or a `.pbn`, `.lin` or `.txt` file of whole boards."""
        path = Path(path)
        if path.suffix != ".npz":
            return cls._of_file(path)
        try:
            with np.load(path) as arrays:
                vulnerable = arrays["vul"].astype(np.uint8)
                return cls(arrays["owner"], arrays["dealer"], vulnerable[:, 0] | vulnerable[:, 1] << 1, arrays["calls"])
        except (ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            raise BridgeError(f"{path} is no corpus of auctions: {error}") from None

    @classmethod
    def _of_file(cls, path: Path) -> Self:
        from cuebid import formats

        rows = [
            (board.deal.owner, board.dealer, board.vulnerability, [call.call for call in board.calls])
            for board in formats.read(path)
            if board.deal and None not in (board.dealer, board.vulnerability)
            if board.calls and board.auction and board.auction.is_over
        ]
        if not rows:
            raise BridgeError(f"{path} has no board with four hands, dealer, vulnerability and a complete auction")
        calls = np.full((len(rows), max(len(row[3]) for row in rows)), -1, dtype=np.int8)
        for place, row in enumerate(rows):
            calls[place, : len(row[3])] = row[3]
        owner, dealer, vulnerability = (np.array([row[part] for row in rows], dtype=np.uint8) for part in range(3))
        return cls(owner, dealer, vulnerability, calls)

    def split(self, test_share: float = TEST_SHARE) -> tuple[Self, Self]:
        """The part to train on and the part to test on, which is the last."""
        first_test = len(self) - round(len(self) * test_share)
        return self[:first_test], self[first_test:]


@dataclass(slots=True)
class Examples:
    """`M` situations, bits packed eight to a byte, and the call made in each."""

    bits: Bytes
    """[M, 60], the 480 bits of `encodings.policy`."""
    legal: Bytes
    """[M, 5], the 38 legal calls."""
    call: npt.NDArray[np.int8]
    """[M]."""
    length: npt.NDArray[np.int16]
    """[M], calls made before."""
    sides: Bytes
    """[M], how many sides had called anything but pass: 0 before any bid, 1 uncontested, 2 contested."""

    def __len__(self) -> int:
        return len(self.call)

    @classmethod
    def of(cls, boards: Boards, block: int = 20_000) -> Self:
        """Every situation of every board."""
        parts: list[Any] = [
            part for start in range(0, len(boards), block) for part in _by_length(boards[start : start + block])
        ]
        return cls.joined(parts)

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        if not parts:
            raise BridgeError("there are no auctions to learn from or to test on")
        names = cls.__slots__
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    def __getitem__(self, rows: npt.NDArray[np.intp] | slice) -> Self:
        return type(self)(*(getattr(self, name)[rows] for name in self.__slots__))


def _by_length(boards: Boards) -> Iterator[Examples]:
    """The situations before the first call of all boards, then before the second, …"""
    auctions = Auctions.start(boards.dealer.astype(np.int64), boards.vulnerability.astype(np.int64))
    hands, calls = Hands.of(boards.owner), boards.calls
    for length in range(calls.shape[1]):
        going = calls[:, length] >= 0
        if not going.all():
            auctions, hands, calls = auctions.select(going), hands.select(going), calls[going]
        if not len(calls):
            return
        call, legal = calls[:, length], auctions.legal()
        if not legal[np.arange(len(call)), call].all():
            raise BridgeError("a corpus holds an illegal call")
        bits = np.packbits(encodings.policy(auctions, hands), axis=1)
        spoken = np.bitwise_or.reduce(auctions.history[:, 1:], axis=1)
        sides = ((spoken & 0x00010001) != 0).astype(np.uint8) + ((spoken & 0x01000100) != 0)
        yield Examples(bits, np.packbits(legal, axis=1), call, np.full(len(call), length, dtype=np.int16), sides)
        auctions.step(call.astype(np.int64))
