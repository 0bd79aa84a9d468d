"""A match from its first board to its last, in parts, so that it can be stopped and resumed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from cuebid import formats
from cuebid.agents import Agent
from cuebid.doubledummy import Exact
from cuebid.formats import Board, pbn
from cuebid.formats.pbn_syntax import HEADER
from cuebid.game import BridgeError
from cuebid.match.boards import MatchBoards
from cuebid.match.play import play
from cuebid.match.record import Record, pairs, result_of
from cuebid.match.result import Result
from cuebid.vector import Contracts

PART = 500
"""Boards bid at a time: what a stop can cost."""

Progress = Callable[[int, int], None]


def run(
    agents: tuple[Agent, Agent],
    boards: MatchBoards,
    record: str | Path | None = None,
    progress: Progress | None = None,
    part: int = PART,
) -> Result:
    """Play a match. With a `record` file it goes on from what stands there, and the file ends as one played at once."""
    if not len(boards):
        raise BridgeError("a match has a board or more")
    head = Record.of(agents, boards.source)
    path = Path(record) if record is not None else None
    done = _resume(path, head, boards, part) if path else []
    exact = Exact(known=boards.store)
    for start in range(len(done) // 2, len(boards), part):
        now = boards[start : start + part]
        auctioned = play(agents, now)
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


def _resume(path: Path, head: Record, boards: MatchBoards, part: int) -> list[Board]:
    """The boards of whole parts that the record holds; anything after them is cut off."""
    if not path.exists() or not path.stat().st_size:
        return []
    found = pairs(formats.read(path, strict=False).boards)
    if found and Record.read(found[0][0]) != head:
        raise BridgeError(f"{path} is the record of another match; name another file or remove it")
    keep = found[: len(boards) if len(found) >= len(boards) else len(found) // part * part]
    for place, (board, _) in enumerate(keep):
        if board.deal is None or board.deal.owner != tuple(boards.owner[place].tolist()):
            raise BridgeError(f"{path} is the record of other boards; name another file or remove it")
    whole = [board for pair in keep for board in pair]
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(pbn.render(whole) if whole else "", encoding="utf-8", newline="\n")
    os.replace(beside, path)
    return whole


def _append(path: Path, new: list[Board], fresh: bool) -> None:
    text = pbn.render(new)
    if not fresh:
        text = "\n" + text.removeprefix(HEADER)
    with path.open("w" if fresh else "a", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
