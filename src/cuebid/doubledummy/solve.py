"""Tricks: exact ones, solved only where they are asked for, and the interface that estimates share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Protocol

import numpy as np
import numpy.typing as npt

from cuebid.doubledummy.dds import hands_of, library
from cuebid.doubledummy.errors import SolverError
from cuebid.doubledummy.store import Store
from cuebid.game import Deal, Par, Seat, Vulnerability, par
from cuebid.machine import cores as all_cores

Bytes = npt.NDArray[np.uint8]
Cells = npt.NDArray[np.integer]
Progress = Callable[[int, int], None]  # cells done, cells to do; called in the caller's thread
UNKNOWN = 255


class Tricks(Protocol):
    """Where tricks come from: the exact solver, or an estimate (whose numbers may be floats)."""

    def cells(self, owner: Bytes, cells: Cells) -> npt.NDArray[np.generic]:
        """Tricks [M] of the cells [M, 3], rows of (deal, strain, declarer), `deal` counting in owner [N, 52]."""

    def tables(self, owner: Bytes) -> npt.NDArray[np.generic]:
        """Tricks [N, 4, 5] of every declarer in every strain."""


class Exact:
    """Exact tricks through DDS, on `cores` cores (all by default).

    The last `remembered` deals keep their cells; deals of the store `known`, and their 95 images, are looked up in it.
    """

    def __init__(self, cores: int | None = None, known: Store | None = None, remembered: int = 100_000) -> None:
        if cores is not None and cores < 1:
            raise SolverError(f"solving takes at least one core; got {cores}")
        self.cores = cores
        self.known = known
        self.remembered = remembered
        self.solved = 0  # cells that DDS was asked for
        self._memory: dict[bytes, bytearray] = {}  # deal -> 20 cells by declarer and strain, oldest deal first
        self._lock = Lock()

    def cells(self, owner: Bytes, cells: Cells, progress: Progress | None = None) -> Bytes:
        """Tricks [M] of the cells [M, 3], rows of (deal, strain, declarer), `deal` counting in owner [N, 52]."""
        owner, cells = checked(owner, cells)
        deals, place = np.unique(cells[:, 0], return_inverse=True)
        wanted = np.zeros((len(deals), 20), dtype=bool)
        wanted[place, cells[:, 2] * 5 + cells[:, 1]] = True
        table = self._recall(owner[deals])
        open_cells = wanted & (table == UNKNOWN)
        if open_cells.any():
            self._solve(owner[deals], open_cells, table, progress)
            self._remember(owner[deals], table)
        tricks: Bytes = table[place, cells[:, 2] * 5 + cells[:, 1]]
        return tricks

    def tables(self, owner: Bytes, progress: Progress | None = None) -> Bytes:
        """Tricks [N, 4, 5] of every declarer in every strain."""
        deal, strain, declarer = np.meshgrid(np.arange(len(owner)), np.arange(5), np.arange(4), indexing="ij")
        cells = np.stack([deal, strain, declarer], axis=-1).reshape(-1, 3)
        return self.cells(owner, cells, progress).reshape(-1, 5, 4).transpose(0, 2, 1).copy()

    def _recall(self, owner: Bytes) -> Bytes:
        """What is known already: [N, 20], UNKNOWN elsewhere."""
        table = np.full((len(owner), 20), UNKNOWN, dtype=np.uint8)
        if self.known is not None:
            found, tricks = self.known.lookup(owner)
            table[found] = tricks[found].reshape(-1, 20)
        with self._lock:
            for row, deal in enumerate(owner):
                if (memory := self._memory.get(deal.tobytes())) is not None:
                    table[row] = np.minimum(table[row], np.frombuffer(memory, dtype=np.uint8))
        return table

    def _remember(self, owner: Bytes, table: Bytes) -> None:
        with self._lock:
            for deal, row in zip(owner, table, strict=True):
                key = deal.tobytes()
                self._memory.pop(key, None)
                self._memory[key] = bytearray(row.tobytes())
            while len(self._memory) > self.remembered:
                del self._memory[next(iter(self._memory))]

    def _solve(self, owner: Bytes, wanted: npt.NDArray[np.bool_], table: Bytes, progress: Progress | None) -> None:
        """Fill the wanted cells of the table [N, 20]; the unit of work is one strain of one deal."""
        solver, hands = library(), hands_of(owner)
        by_strain = wanted.reshape(-1, 4, 5).transpose(0, 2, 1)
        groups = np.argwhere(by_strain.any(axis=2)).tolist()
        at_once = min(self.cores or all_cores(), solver.size, len(groups))
        step = max(1, min(16, len(groups) // (8 * at_once)))

        def work(part: list[list[int]]) -> int:
            thread, done = solver.threads.get(), 0
            try:
                for deal, strain in part:
                    declarers = np.flatnonzero(by_strain[deal, strain]).tolist()
                    for declarer, tricks in solver.solve(hands[deal], strain, declarers, thread).items():
                        table[deal, declarer * 5 + strain] = tricks
                    done += len(declarers)
            finally:
                solver.threads.put(thread)
            return done

        total = int(wanted.sum())
        self._run(
            [groups[start : start + step] for start in range(0, len(groups), step)], work, at_once, total, progress
        )
        self.solved += total

    @staticmethod
    def _run(
        parts: list[list[list[int]]],
        work: Callable[[list[list[int]]], int],
        at_once: int,
        total: int,
        progress: Progress | None,
    ) -> None:
        """Do the parts on that many threads (ctypes lets them run side by side) and report how far it is."""
        done = 0
        if at_once == 1:
            for part in parts:
                done += work(part)
                if progress:
                    progress(done, total)
            return
        with ThreadPoolExecutor(at_once) as pool:
            try:
                for future in as_completed([pool.submit(work, part) for part in parts]):
                    done += future.result()
                    if progress:
                        progress(done, total)
            except BaseException:  # Ctrl-C must not wait for all that is queued
                pool.shutdown(wait=False, cancel_futures=True)
                raise


def checked(owner: Bytes, cells: Cells) -> tuple[Bytes, npt.NDArray[np.int64]]:
    """Deals [N, 52] and cells [M, 3] as they are worked with, unless they cannot be meant."""
    owner = np.ascontiguousarray(owner, dtype=np.uint8)
    numbers = np.asarray(cells, dtype=np.int64)
    if owner.ndim != 2 or owner.shape[1] != 52 or numbers.ndim != 2 or numbers.shape[1] != 3:
        raise SolverError(f"expected owner [N, 52] and cells [M, 3]; got {list(owner.shape)} and {list(numbers.shape)}")
    if len(numbers) and ((numbers < 0) | (numbers >= (len(owner), 5, 4))).any():
        raise SolverError(f"a cell is (deal below {len(owner)}, strain 0..4, declarer 0..3); got {numbers.max(axis=0)}")
    used = np.unique(numbers[:, 0])
    counts = (owner[used, :, None] == np.arange(4)).sum(axis=1)
    if (wrong := (counts != 13).any(axis=1)).any():
        raise SolverError(f"deal {used[wrong][0]} does not have 13 cards in each hand: {counts[wrong][0].tolist()}")
    return owner, numbers


@cache
def _exact() -> Exact:
    return Exact()


def solve_cells(owner: Bytes, cells: Cells, *, cores: int | None = None, progress: Progress | None = None) -> Bytes:
    """Exact tricks [M] of cells [M, 3], rows of (deal, strain, declarer), of the deals owner [N, 52].

    Cells may come in any order and more than once; without `cores` all are used and answers are remembered.
    """
    return (Exact(cores) if cores else _exact()).cells(owner, cells, progress)


def solve_tables(owner: Bytes, *, cores: int | None = None, progress: Progress | None = None) -> Bytes:
    """Exact tricks [N, 4, 5] of the deals owner [N, 52]: declarers N E S W, strains C D H S NT."""
    return (Exact(cores) if cores else _exact()).tables(owner, progress)


@dataclass(frozen=True, slots=True)
class Solution:
    """One deal solved: `tricks[declarer][strain]` and par."""

    tricks: tuple[tuple[int, ...], ...]
    par: Par


def solve(
    deal: Deal, dealer: Seat = Seat.N, vulnerability: Vulnerability = Vulnerability.NONE, *, exact: Exact | None = None
) -> Solution:
    """The double dummy table of a deal and its par."""
    tricks = table_of((exact or _exact()).tables(owner_of([deal]))[0])
    return Solution(tricks, par(tricks, dealer, vulnerability))


def owner_of(deals: Sequence[Deal]) -> Bytes:
    """The seat that holds each card: [N, 52]."""
    return np.array([deal.owner for deal in deals], dtype=np.uint8).reshape(-1, 52)


def table_of(tricks: Bytes) -> tuple[tuple[int, ...], ...]:
    """A table [4, 5] as plain numbers."""
    return tuple(tuple(row) for row in tricks.tolist())
