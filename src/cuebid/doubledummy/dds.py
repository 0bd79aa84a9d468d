"""Bo Haglund's DDS, called directly: one cell, or several declarers of one strain.

The library is the one that endplay ships. `import endplay` itself takes most of a second (it brings matplotlib), so the
library is found without importing it; the environment variable CUEBID_DDS names another copy.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from queue import LifoQueue
from threading import Lock

import numpy as np
import numpy.typing as npt

from cuebid.doubledummy.errors import SolverError
from cuebid.machine import cores

SUFFIXES = (".so", ".dylib", ".dll")
DECLARERS = (0, 2, 1, 3)  # partners next to each other: the second costs almost nothing after the first


class _Deal(ctypes.Structure):
    """DDS numbers suits S H D C from 0, notrump 4, seats N E S W, and keeps rank r of 2..14 in bit r."""

    _fields_ = (
        ("trump", ctypes.c_int),
        ("first", ctypes.c_int),
        ("trick_suit", ctypes.c_int * 3),
        ("trick_rank", ctypes.c_int * 3),
        ("remaining", (ctypes.c_uint * 4) * 4),
    )


class _FutureTricks(ctypes.Structure):
    _fields_ = (
        ("nodes", ctypes.c_int),
        ("cards", ctypes.c_int),
        ("suit", ctypes.c_int * 13),
        ("rank", ctypes.c_int * 13),
        ("equals", ctypes.c_int * 13),
        ("score", ctypes.c_int * 13),
    )


class _Info(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_int),
        ("minor", ctypes.c_int),
        ("patch", ctypes.c_int),
        ("version", ctypes.c_char * 10),
        ("system", ctypes.c_int),
        ("bits", ctypes.c_int),
        ("compiler", ctypes.c_int),
        ("constructor", ctypes.c_int),
        ("cores", ctypes.c_int),
        ("threading", ctypes.c_int),
        ("threads", ctypes.c_int),
        ("text", ctypes.c_char * 4096),
    )


def library_path() -> Path:
    """Where the library is: CUEBID_DDS, or inside the endplay package."""
    if named := os.environ.get("CUEBID_DDS"):
        if Path(named).is_file():
            return Path(named)
        raise SolverError(f"CUEBID_DDS names {named}, which is no file")
    package = importlib.util.find_spec("endplay")
    for folder in (package and package.submodule_search_locations) or ():
        for path in sorted((Path(folder) / "_dds").glob("*")):
            if path.suffix in SUFFIXES:
                return path
    raise SolverError("no double dummy solver: `pip install endplay`, or set CUEBID_DDS to the path of a libdds")


class Library:
    """The loaded library. DDS keeps its memory per thread index; `threads` holds the indices nobody is using."""

    def __init__(self, path: Path) -> None:
        try:
            self._dll = ctypes.CDLL(str(path))
        except OSError as error:
            raise SolverError(f"{path} cannot be loaded as the double dummy solver: {error}") from None
        self._dll.SolveBoard.argtypes = (
            _Deal, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.POINTER(_FutureTricks), ctypes.c_int
        )  # fmt: skip
        self._dll.SetMaxThreads(cores())
        self.path = path
        self.size = max(1, min(cores(), self._info().threads))
        self.threads: LifoQueue[int] = LifoQueue()  # the last one used comes first: its memory is there already
        for thread in reversed(range(self.size)):
            self.threads.put(thread)

    def _info(self) -> _Info:
        info = _Info()
        self._dll.GetDDSInfo(ctypes.byref(info))
        return info

    @property
    def version(self) -> str:
        info = self._info()
        return f"DDS {info.major}.{info.minor}.{info.patch}"

    def solve(
        self, remaining: npt.NDArray[np.uint32], strain: int, declarers: Sequence[int], thread: int
    ) -> dict[int, int]:
        """Tricks of some declarers in one strain of one deal (`hands_of` makes `remaining` [4, 4]).

        DDS recognises a deal and trump suit it has just solved on this thread and keeps its transposition table.
        """
        deal, found = _Deal(trump=4 if strain == 4 else 3 - strain), _FutureTricks()
        ctypes.memmove(deal.remaining, remaining.ctypes.data, 64)
        tricks = {}
        for declarer in DECLARERS:
            if declarer in declarers:
                deal.first = (declarer + 1) % 4
                if (code := self._dll.SolveBoard(deal, -1, 1, 1, ctypes.byref(found), thread)) != 1:
                    raise SolverError(f"the double dummy solver refused a deal: {self._message(code)}")
                tricks[declarer] = 13 - found.score[0]
        return tricks

    def _message(self, code: int) -> str:
        text = ctypes.create_string_buffer(80)
        self._dll.ErrorMessage(code, text)
        return f"{text.value.decode()} (code {code})"


_loading = Lock()


@cache
def _load(path: Path) -> Library:
    return Library(path)


def library() -> Library:
    """The library, loaded once."""
    with _loading:
        return _load(library_path())


def hands_of(owner: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
    """DDS's form of deals: from owner [N, 52] to [N, 4 seats, 4 suits S H D C], a bit a rank."""
    bits = np.left_shift(np.uint32(1), np.arange(2, 15, dtype=np.uint32))
    suits = owner.reshape(-1, 1, 4, 13)[:, :, ::-1] == np.arange(4, dtype=np.uint8)[:, None, None]
    return np.ascontiguousarray((suits * bits).sum(axis=3, dtype=np.uint32))
