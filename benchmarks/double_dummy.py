"""Exact tricks: ours, DDS called directly, and the ratio, from one run on one core.

python benchmarks/double_dummy.py [--deals 30]

*Cells*: what bidders need of a deal — the par contract, for half of the deals the same contract from the other side of
the table, and the other side's best strain: 2 to 3 cells — solved by us and by DDS's own batch (`SolveAllBoardsBin`).
*Need*: the same cells against what others solve for them, full tables (`CalcAllTables`).
*Tables*: full tables by us and by `CalcAllTables`.

Time is that of the processor, the best of four for every ten deals, ours and the peer first in turn, so that other work
on the machine counts less; nothing is remembered from one turn to the next.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Cells = npt.NDArray[np.int64]
PART = 10  # deals a turn
ROUNDS = 4


def needed(owner: Bytes, tricks: Bytes) -> Cells:
    """The cells that bidders need of each deal, rows of (deal, strain, declarer), 2 or 3 a deal."""
    from cuebid.doubledummy import table_of
    from cuebid.game import Seat, Vulnerability, par

    cells = []
    for deal, table in enumerate(tricks):
        contract = par(table_of(table), Seat.N, Vulnerability.NONE).contracts[-1][0]
        declarer, strain = contract.declarer, contract.strain
        cells.append((deal, int(strain), int(declarer)))
        if deal % 2:
            cells.append((deal, int(strain), int(declarer.partner)))
        best = max((table[seat, other], -seat, other) for seat in (declarer.lho, declarer.rho) for other in range(5))
        cells.append((deal, int(best[2]), -int(best[1])))
    return np.array(cells)


def dds_cells(dds: Any, owner: Bytes, cells: Cells) -> Bytes:
    """DDS's own batch of boards, at most 200."""
    boards, solved = dds.boards(), dds.solvedBoards()
    boards.noOfBoards = len(cells)
    for number, (deal, strain, declarer) in enumerate(cells.tolist()):
        board = boards.deals[number]
        board.trump, board.first = (4 if strain == 4 else 3 - strain), (declarer + 1) % 4
        for card, seat in enumerate(owner[deal].tolist()):
            board.remainCards[seat][3 - card // 13] |= 1 << (card % 13 + 2)
        boards.target[number], boards.solutions[number], boards.mode[number] = -1, 1, 1
    dds.SolveAllBoardsBin(boards, solved)
    return np.array([13 - solved.solvedBoard[number].score[0] for number in range(len(cells))], dtype=np.uint8)


def dds_tables(dds: Any, owner: Bytes) -> Bytes:
    """DDS's own batch of full tables, at most 40: [N, 4, 5]."""
    deals, results, par = dds.ddTableDeals(), dds.ddTablesRes(), dds.allParResults()
    deals.noOfTables = len(owner)
    for number, deal in enumerate(owner.tolist()):
        for card, seat in enumerate(deal):
            deals.ddTableDeal[number].cards[seat][3 - card // 13] |= 1 << (card % 13 + 2)
    dds.CalcAllTables(deals, -1, (ctypes.c_int * 5)(0, 0, 0, 0, 0), results, par)
    tables = [np.array(results.results[number].resTable) for number in range(len(owner))]  # [5 strains S H D C NT, 4]
    return np.array(tables, dtype=np.uint8)[:, [3, 2, 1, 0, 4]].transpose(0, 2, 1)


def timed(works: list[Callable[[], Bytes]], right: Bytes) -> list[float]:
    """Seconds of processor time of each work, the best of the rounds; the answers must be right."""
    took = [float("inf")] * len(works)
    for turn in range(ROUNDS):
        for number, work in list(enumerate(works))[:: 1 if turn % 2 else -1]:  # who comes second has it a little easier
            begin = time.process_time()
            answer = work()
            took[number] = min(took[number], time.process_time() - begin)
            assert (answer == right).all(), "wrong tricks"
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--deals", type=int, default=30, help="how many deals (%(default)s; one takes two seconds)")
    wanted = parser.parse_args().deals
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

    from endplay import _dds

    from cuebid.doubledummy import Exact, shipped_store

    _dds.SetMaxThreads(1)
    owner, tricks = shipped_store().sample(wanted, 2026)
    cells = needed(owner, tricks)
    right = tricks[cells[:, 0], cells[:, 2], cells[:, 1]]
    took = np.zeros(4)  # our cells, their cells, our tables, their tables
    for start in range(0, wanted, PART):
        part, tables = owner[start : start + PART], tricks[start : start + PART]
        mine = (cells[:, 0] >= start) & (cells[:, 0] < start + PART)
        some = cells[mine] - (start, 0, 0)
        took[:2] += timed(
            [partial(Exact(1, remembered=0).cells, part, some), partial(dds_cells, _dds, part, some)], right[mine]
        )
        took[2:] += timed([partial(Exact(1, remembered=0).tables, part), partial(dds_tables, _dds, part)], tables)
    report(wanted, len(cells), *took.tolist())


def report(
    deals: int, cells: int, our_cells: float, their_cells: float, our_tables: float, their_tables: float
) -> None:
    print(f"{deals} deals, {cells / deals:.2f} cells a deal, one core")
    for name, unit, ours, theirs, goal in (
        ("cells", "cells/s", cells / our_cells, cells / their_cells, 0.95),
        ("need", "deals/s", deals / our_cells, deals / their_tables, 4.0),
        ("tables", "tables/s", deals / our_tables, deals / their_tables, 0.95),
    ):
        print(f"{name:7} ours {ours:7.2f} {unit:8}  DDS {theirs:7.2f}  ratio {ours / theirs:5.2f}  (goal ≥ {goal})")


if __name__ == "__main__":
    main()
