"""`cuebid match` and `cuebid rescore`: two agents, the same boards, both ways round."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from cuebid.cli import common

if TYPE_CHECKING:
    from cuebid.match import Result


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    match = verbs.add_parser("match", help="a duplicate match between two agents")
    match.add_argument("first", metavar="AGENT", help="whose result is told; `cuebid agents` lists what there is")
    match.add_argument("second", metavar="OTHER")
    match.add_argument(
        "--boards",
        type=_boards,
        default=1000,
        metavar="N|FILE",
        help="so many random boards (default 1000), a .pbn or .lin file, or a store of solved deals; `shipped` is ours",
    )
    match.add_argument("--limit", type=common.whole, metavar="N", help="only the first N boards")
    match.add_argument("--seed", type=common.whole, default=0, help="of the random boards (default 0)")
    match.add_argument("--dealer", type=common.seat, help="N, E, S or W (default: random, or as the file says)")
    match.add_argument("--vul", type=common.vulnerability, help="none, ns, ew or both (default: random, or the file's)")
    match.add_argument("--record", type=Path, metavar="FILE.pbn", help="write every call; an unfinished record goes on")
    match.add_argument("--json", action="store_true", help="the result as JSON")
    match.set_defaults(run=run_match)

    rescore = verbs.add_parser("rescore", help="the result of a match from its record alone")
    rescore.add_argument("record", type=Path)
    rescore.add_argument("--json", action="store_true", help="as JSON")
    rescore.set_defaults(run=run_rescore)


def _boards(text: str) -> int | str:
    """So many, or where they are."""
    return common.whole(text) if re.fullmatch(r"-?\d+", text) else text


def run_match(options: argparse.Namespace) -> None:
    from cuebid.agents import load_agent
    from cuebid.match import MatchBoards, run

    if isinstance(options.boards, int):
        boards = MatchBoards.random(options.boards, options.seed, options.dealer, options.vul)[: options.limit]
    else:
        boards = MatchBoards.read(options.boards, options.seed, options.dealer, options.vul, options.limit)
    agents = load_agent(options.first), load_agent(options.second)
    with common.progress("playing", "boards") as progress:
        result = run(agents, boards, options.record, progress)
    _show(result, options.json)


def run_rescore(options: argparse.Namespace) -> None:
    from cuebid.match import rescore

    _show(rescore(options.record), options.json)


def _show(result: Result, as_json: bool) -> None:
    if as_json:
        common.print_json(result.to_json())
        return
    (first, second), (version, other) = result.agents, result.versions
    print(f"{first} ({version})\n  against {second} ({other})\n  {result.plain.boards:,} boards, {result.source}\n")
    print(f"{'':24}{'IMPs/board':>14} {'won':>8} {'lost':>8} {'tied':>8} {'boards':>8}")
    rows = {"all boards": result.plain, "perfect defence": result.perfect_defence}
    rows |= {f"vulnerable: {which}": tally for which, tally in result.by_vulnerability.items()}
    rows |= {"contested": result.contested, "uncontested": result.uncontested}
    for name, tally in rows.items():
        print(f"{name:24}{tally!s:>14} {tally.won:8,} {tally.lost:8,} {tally.tied:8,} {tally.boards:8,}")
    print(f"\nvictory points {result.victory_points[0]:.2f} : {result.victory_points[1]:.2f}")
    for name, faults in zip(result.agents, result.faults, strict=True):
        if faults:
            print(f"faults of {name}, passed for: " + ", ".join(f"{kind} {count:,}" for kind, count in faults.items()))
