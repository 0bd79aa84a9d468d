"""The record of a match: a PBN file from which the result can be worked out again.

Every board stands twice, in the open and in the closed room. `HomeTeam` and `VisitTeam` name the agents, the home team
sitting North-South in the open room, `HomeVersion` and `VisitVersion` what exactly played; `Generator` says where the
boards come from; `Faults`, on the last board of a part, what went wrong in that part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

import cuebid
from cuebid import formats
from cuebid.agents import Agent
from cuebid.formats import PASSED_OUT, AnnotatedCall, Board
from cuebid.game import BridgeError, Call, Contract, Deal, Seat, Vulnerability, imps
from cuebid.match.boards import MatchBoards
from cuebid.match.play import Auctioned
from cuebid.match.result import Result

EVENT = "cuebid match"
ROOMS = ("Open", "Closed")


@dataclass(frozen=True, slots=True)
class Record:
    """The head of a record: who played what."""

    names: tuple[str, str]
    versions: tuple[str, str]
    source: str

    @classmethod
    def of(cls, agents: tuple[Agent, Agent], source: str) -> Self:
        first, second = agents
        return cls((first.name, second.name), (first.version, second.version), source)

    @classmethod
    def read(cls, board: Board) -> Self:
        tags = dict(board.tags)
        try:
            names, versions = (tags["HomeTeam"], tags["VisitTeam"]), (tags["HomeVersion"], tags["VisitVersion"])
            return cls(names, versions, tags["Generator"].partition(", ")[2])
        except KeyError:
            raise BridgeError("this PBN file is not the record of a cuebid match") from None

    def boards(
        self, played: MatchBoards, auctioned: Auctioned, tricks: npt.NDArray[np.int64], first: int
    ) -> list[Board]:
        """Both rooms of each board, numbered from `first`; `tricks` [2N] are the declarers'."""
        out = []
        for place in range(len(played)):
            deal = Deal.from_owner(played.owner[place].tolist())
            for room, name in enumerate(ROOMS):
                row = room * len(played) + place
                made = [Call(call) for call in auctioned.calls[row].tolist() if call >= 0]
                contract = auctioned.auctions.to_game(row).contract
                last = room == 1 and place == len(played) - 1
                out.append(
                    Board(
                        number=str(first + place),
                        hands=deal.hands,
                        dealer=Seat(int(played.dealer[place])),
                        vulnerability=Vulnerability(int(played.vulnerability[place])),
                        calls=tuple(AnnotatedCall(call) for call in made),
                        contract=contract or PASSED_OUT,
                        result=None if contract is None else int(tricks[row]),
                        names=self._seated(room),
                        tags=self._tags(name, auctioned.faults if last else None),
                    )
                )
        return out

    def _seated(self, room: int) -> tuple[str, str, str, str]:
        north_south, east_west = self.names if room == 0 else self.names[::-1]
        return north_south, east_west, north_south, east_west

    def _tags(self, room: str, faults: Sequence[Counter[str]] | None) -> tuple[tuple[str, str], ...]:
        tags = {
            "Event": EVENT,
            "HomeTeam": self.names[0],
            "VisitTeam": self.names[1],
            "HomeVersion": self.versions[0],
            "VisitVersion": self.versions[1],
            "Room": room,
            "Scoring": "IMP",
            "Generator": f"cuebid {cuebid.__version__}, {self.source}",
        }
        if faults is not None and any(faults):
            tags["Faults"] = "; ".join(
                f"{team}: " + ", ".join(f"{kind} {count}" for kind, count in sorted(counted.items()))
                for team, counted in zip(("home", "visit"), faults, strict=True)
                if counted
            )
        return tuple(tags.items())


def pairs(boards: Iterable[Board]) -> list[tuple[Board, Board]]:
    """The boards that stand in both rooms, one after the other; none after the first that does not."""
    listed = list(boards)
    return list(takewhile(_same_board, zip(listed[::2], listed[1::2], strict=False)))


def _same_board(pair: tuple[Board, Board]) -> bool:
    rooms = tuple(dict(board.tags).get("Room") for board in pair)
    one, other = ((board.number, board.hands, board.dealer, board.vulnerability) for board in pair)
    return rooms == ROOMS and one == other


def rescore(path: str | Path) -> Result:
    """The result of a match, from its record alone."""
    return result_of(formats.read(path).boards, str(path))


def result_of(boards: Sequence[Board], place: str) -> Result:
    """The result of the boards of a record."""
    matched = pairs(boards)
    if not matched or 2 * len(matched) != len(boards):
        raise BridgeError(
            f"{place} is not the record of a cuebid match: boards stand there in both rooms, one after the other"
        )
    head = Record.read(matched[0][0])
    numbers: dict[Any, int] = {}
    columns: list[list[int]] = [[], [], [], [], []]
    faults: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    for open_room, closed_room in matched:
        values = (
            swing((open_room, closed_room), perfect_defence=False),
            swing((open_room, closed_room), perfect_defence=True),
            numbers.setdefault(open_room.deal, len(numbers)),
            int(open_room.vulnerability or 0),
            int(_contested(open_room) or _contested(closed_room)),
        )
        for column, value in zip(columns, values, strict=True):
            column.append(value)
        _count_faults(faults, dict(closed_room.tags).get("Faults", ""))
    imps_plain, imps_perfect, deal, vulnerability, contested = (np.array(column) for column in columns)
    return Result.of(
        head.names,
        head.versions,
        head.source,
        imps_plain,
        imps_perfect,
        deal,
        vulnerability,
        contested == 1,
        (dict(faults[0]), dict(faults[1])),
    )


def swing(rooms: tuple[Board, Board], perfect_defence: bool) -> int:
    """The first agent's IMPs at a board."""
    return imps(_points(rooms[0], perfect_defence) - _points(rooms[1], perfect_defence))


def _points(board: Board, perfect_defence: bool) -> int:
    """North-South's score."""
    contract = board.contract
    if not isinstance(contract, Contract) or board.result is None:
        if contract == PASSED_OUT:
            return 0
        raise BridgeError(f"board {board.number} has no contract or result")
    if perfect_defence and board.result < contract.tricks_needed and not contract.doubled:
        contract = Contract(contract.level, contract.strain, contract.declarer, doubled=1)
    vulnerable = board.vulnerability is not None and board.vulnerability.includes(contract.declarer)
    points = contract.score(board.result, vulnerable)
    return points if contract.declarer % 2 == 0 else -points


def _contested(board: Board) -> bool:
    auction = board.auction
    return auction is not None and len({seat.side for seat, call in auction if call}) == 2


def _count_faults(faults: tuple[Counter[str], Counter[str]], told: str) -> None:
    for part in filter(None, told.split("; ")):
        team, _, kinds = part.partition(": ")
        for kind in kinds.split(", "):
            name, _, count = kind.rpartition(" ")
            if not count.isdecimal():
                raise BridgeError(f"expected faults such as 'home: slow 2'; got {told!r}")
            faults[team == "visit"][name] += int(count)
