"""A match from its first board to its last, in parts, so that it can be stopped and resumed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from cuebid import formats
from cuebid.agents import Agent
from cuebid.doubledummy import Exact
from cuebid.files import write_whole
from cuebid.formats import Board, pbn
from cuebid.formats.board import plain_lines
from cuebid.formats.pbn_syntax import HEADER
from cuebid.game import BridgeError
from cuebid.match.boards import MatchBoards
from cuebid.match.play import Watch, play
from cuebid.match.record import EVENT, Record, pairs, result_of
from cuebid.match.result import Result
from cuebid.vector import Contracts

PART = 500
"""Boards bid at a time, unless an agent wants fewer (`boards_at_once`): what a stop can cost."""
BEGINNING = f'{HEADER}[Event "{EVENT}"]\n'
"""Of every record."""

Progress = Callable[[int, int], None]


def run(
    agents: tuple[Agent, Agent],
    boards: MatchBoards,
    record: str | Path | None = None,
    progress: Progress | None = None,
    part: int | None = None,
) -> Result:
    """Play a match. With a `record` file it goes on from what stands there, and the file ends as one played at once."""
    if not len(boards):
        raise BridgeError("a match has a board or more")
    head = Record.of(agents, boards.source)
    part = part or min(getattr(agent, "boards_at_once", PART) for agent in agents)
    path = Path(record) if record is not None else None
    done = _resume(path, head, boards, part) if path else []
    exact = Exact(known=boards.store)
    for start in range(len(done) // 2, len(boards), part):
        now = boards[start : start + part]
        auctioned = play(agents, now, _watched(progress, start, len(boards)))
        contracts = Contracts.of(auctioned.auctions)
        bid = np.flatnonzero(contracts.level)
        cells = np.stack([bid % len(now), contracts.strain[bid], contracts.declarer[bid]], axis=1)
        tricks = np.zeros(2 * len(now), dtype=np.int64)
        tricks[bid] = exact.cells(now.owner, cells)
        new = head.boards(now, auctioned, tricks, first=start + 1)
        if path:
            _append(path, new, fresh=not done)
        done += new
        if progress:
            progress(start + len(now), len(boards))
    return result_of(done, str(path or "this match"))


def _watched(progress: Progress | None, start: int, boards: int) -> Watch | None:
    """Progress in boards while a part is bid: each board is two auctions."""
    return progress and (lambda ended: progress(start + ended // 2, boards))


def _resume(path: Path, head: Record, boards: MatchBoards, part: int) -> list[Board]:
    """The boards of the whole parts that the record holds; what a stop left behind them is cut off.

    A file that is not the beginning of this very match's record is an error and stays as it is.
    """
    if path.suffix != ".pbn":
        raise BridgeError(f"a record is a PBN file, its name ends in .pbn; got {path}")
    with path.open("a", encoding="utf-8"):  # is it there to be written, before hours of play?
        text = plain_lines(formats.decode(path.read_bytes()))
    found = pairs(formats.read(path, strict=False).boards)
    begun = text.startswith(BEGINNING) or BEGINNING.startswith(text)
    if not begun or (found and Record.read(found[0][0]) != head):
        raise BridgeError(f"{path} is not the record of this match; name another file or remove it")
    if len(found) > len(boards):
        raise BridgeError(f"{path} holds {len(found)} boards, more than the {len(boards)} asked for")
    for place, (board, _) in enumerate(found):
        expected = (tuple(boards.owner[place].tolist()), boards.dealer[place], boards.vulnerability[place])
        if board.deal is None or (board.deal.owner, board.dealer, board.vulnerability) != expected:
            raise BridgeError(f"{path} is the record of other boards; name another file or remove it")
    if not text.startswith(pbn.render([board for pair in found[:-1] for board in pair]) if found[1:] else ""):
        raise BridgeError(f"{path} was altered since it was written; name another file, or rescore this one")
    count = len(found) if len(found) == len(boards) else len(found) // part * part
    while True:
        whole = [board for pair in found[:count] for board in pair]
        again = pbn.render(whole) if whole else ""
        if text.startswith(again):
            break
        count = (count - 1) // part * part  # the last board was cut in a place where it still reads as a board
    if again != text:
        write_whole(path, again.encode())
    return whole


def _append(path: Path, new: list[Board], fresh: bool) -> None:
    text = pbn.render(new)
    if not fresh:
        text = "\n" + text.removeprefix(HEADER)
    with path.open("w" if fresh else "a", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
