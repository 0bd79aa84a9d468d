"""Many agents, each against each other on the same boards: who stands where."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path

from cuebid.agents import seated
from cuebid.game import BridgeError
from cuebid.match import MatchBoards, Result, Tally, run

Watch = Callable[[int, int], None]
"""Told how many boards have been played, and of how many."""


@dataclass(frozen=True, slots=True)
class Rung:
    """An agent's place: its matches, seen from its side, plain and under perfect defence, by opponent."""

    agent: str
    version: str
    plain: dict[str, Tally]
    perfect_defence: dict[str, Tally]

    def mean(self, opponents: Collection[str]) -> float:
        """IMPs a board against those of these opponents that it met."""
        told = [tally.imps_per_board or 0.0 for name, tally in self.plain.items() if name in opponents]
        return sum(told) / max(len(told), 1)


def climb(
    names: Sequence[str],
    others: Sequence[str],
    boards: MatchBoards,
    folder: Path | None = None,
    watch: Watch | None = None,
) -> list[Result]:
    """Every match between two of `names`, and of each of them against each of `others`.

    With a `folder` each match is on record there, and those already begun go on.
    """
    pairs = [*combinations(names, 2), *product(names, others)]
    if not pairs or len({*names, *others}) < len(names) + len(others):
        raise BridgeError("a ladder needs two agents or more, each named once")
    if folder and len(set(map(_file_name, (*names, *others)))) < len(names) + len(others):
        raise BridgeError("the names of two of these agents make the same name of a record")
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    results = []
    for number, pair in enumerate(pairs):
        record = folder / f"{'-'.join(map(_file_name, pair))}.pbn" if folder else None
        with seated(*pair) as (first, second):
            told = _told(watch, number * len(boards), len(pairs) * len(boards))
            results.append(run((first, second), boards, record, told))
    return results


def _told(watch: Watch | None, before: int, total: int) -> Watch | None:
    return watch and (lambda done, _: watch(before + done, total))


def _file_name(agent: str) -> str:
    return re.sub(r"[^\w.]+", "_", agent)


def rungs(results: Sequence[Result]) -> list[Rung]:
    """The agents of these matches, the strongest first: by what it won against those whom most have met."""
    by_name: dict[str, Rung] = {}
    for result in results:
        for place, (name, version) in enumerate(zip(result.agents, result.versions, strict=True)):
            rung = by_name.setdefault(name, Rung(name, version, {}, {}))
            for told, tally in ((rung.plain, result.plain), (rung.perfect_defence, result.perfect_defence)):
                told[result.agents[1 - place]] = tally.reversed() if place else tally
    most = max(len(rung.plain) for rung in by_name.values())
    common = [rung.agent for rung in by_name.values() if len(rung.plain) == most]
    return sorted(by_name.values(), key=lambda rung: -rung.mean(common))


def markdown(ladder: Sequence[Rung]) -> str:
    """A table for people: what each row's agent won a board against each column's, `plain; perfect defence`."""
    order = [rung.agent for rung in ladder]
    lines = ["| IMPs/board | " + " | ".join(f"`{name}`" for name in order) + " |", "|---" * (len(order) + 1) + "|"]
    for rung in ladder:
        cells = [f"{rung.plain[name]}; {rung.perfect_defence[name]}" if name in rung.plain else "" for name in order]
        lines.append(f"| `{rung.agent}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)
