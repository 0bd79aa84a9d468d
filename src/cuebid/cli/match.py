"""`cuebid match`, `cuebid rescore`, `cuebid ladder`: the same boards both ways round, for two agents or for many."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from cuebid.cli import common

if TYPE_CHECKING:
    from cuebid.match import MatchBoards, Result


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    match = verbs.add_parser("match", help="a duplicate match between two agents")
    match.add_argument("first", metavar="AGENT", help="whose result is told; `cuebid agents` lists what there is")
    match.add_argument("second", metavar="OTHER")
    _add_boards(match)
    match.add_argument("--record", type=Path, metavar="FILE.pbn", help="write every call; an unfinished record goes on")
    match.add_argument("--seconds", type=common.seconds, help="time for each decision of agents that search")
    match.add_argument("--json", action="store_true", help="the result as JSON")
    match.set_defaults(run=run_match)

    rescore = verbs.add_parser("rescore", help="the result of a match from its record alone")
    rescore.add_argument("record", type=Path)
    rescore.add_argument("--json", action="store_true", help="as JSON")
    rescore.set_defaults(run=run_rescore)

    compare = verbs.add_parser("compare", help="who won more from the same opponent on the same boards, by two records")
    compare.add_argument("first", type=Path, metavar="FIRST.pbn")
    compare.add_argument("second", type=Path, metavar="SECOND.pbn")
    compare.add_argument("--json", action="store_true", help="as JSON")
    compare.set_defaults(run=run_compare)

    ladder = verbs.add_parser("ladder", help="duplicate matches between many agents, as a table")
    ladder.add_argument("agents", nargs="+", metavar="AGENT", help="each meets each other one …")
    ladder.add_argument("--against", nargs="*", default=[], metavar="OTHER", help="… and each of these")
    _add_boards(ladder)
    ladder.add_argument("--records", type=Path, metavar="FOLDER", help="write every match there; unfinished ones go on")
    ladder.add_argument("--json", action="store_true", help="the results as JSON")
    ladder.set_defaults(run=run_ladder)


def _add_boards(parser: argparse.ArgumentParser) -> None:
    """Which boards are played."""
    parser.add_argument(
        "--boards",
        type=_boards,
        default=1000,
        metavar="N|FILE",
        help="so many random boards (default 1000), a .pbn, .lin or OpenSpiel .txt file, or a store of solved deals "
        "(`shipped` is ours)",
    )
    parser.add_argument("--limit", type=common.whole, metavar="N", help="only the first N boards")
    parser.add_argument("--seed", type=common.whole, default=0, help="of the random boards (default 0)")
    parser.add_argument("--dealer", type=common.seat, help="N, E, S or W (default: random, or as the file says)")
    parser.add_argument(
        "--vul", type=common.vulnerability, help="none, ns, ew or both (default: random, or the file's)"
    )


def _boards(text: str) -> int | str:
    """So many, or where they are."""
    return common.whole(text) if re.fullmatch(r"-?\d+", text) else text


def _read_boards(options: argparse.Namespace) -> MatchBoards:
    from cuebid.match import MatchBoards

    if isinstance(options.boards, int):
        return MatchBoards.random(options.boards, options.seed, options.dealer, options.vul)[: options.limit]
    return MatchBoards.read(options.boards, options.seed, options.dealer, options.vul, options.limit)


def run_match(options: argparse.Namespace) -> None:
    from cuebid.agents import seated
    from cuebid.match import run

    boards = _read_boards(options)
    common.check_searches(options.seconds, options.first, options.second)
    names = (common.taking(name, options.seconds) for name in (options.first, options.second))
    with seated(*names) as (first, second), common.progress("playing", "boards") as progress:
        result = run((first, second), boards, options.record, progress)
    searches = {agent.name: agent.told() for agent in (first, second) if hasattr(agent, "told")}
    if options.json:
        common.print_json(result.to_json() | ({"searches": searches} if searches else {}))
        return
    _show(result)
    for name, told in searches.items():
        _show_search(name, told)


def _show_search(name: str, told: dict[str, float]) -> None:
    """How an agent's searches went in this run (a match that was stopped and goes on counts anew)."""
    decisions = told["decisions"]
    outcomes = ("not needed", "agreed", "overrode", "fell back")
    shares = ", ".join(f"{word} {told[word] / max(decisions, 1):.1%}" for word in outcomes)
    print(f"\n{name}: {decisions:,.0f} decisions, {told['a second']:.1f} a second: {shares}")
    print(f"  a search took {told['median seconds']:.2f} s, 95 % of them at most {told['95 % seconds']:.2f} s")


def run_ladder(options: argparse.Namespace) -> None:
    from cuebid.report import ladder

    with common.progress("playing", "boards") as progress:
        results = ladder.climb(options.agents, options.against, _read_boards(options), options.records, progress)
    if options.json:
        common.print_json([result.to_json() for result in results])
        return
    rungs = ladder.rungs(results)
    print(f"{results[0].plain.boards:,} boards a match, {results[0].source}. Plain IMPs/board; under perfect defence\n")
    print(ladder.markdown(rungs) + "\n")
    for rung in rungs:
        print(f"{rung.agent:24} {rung.version}")
    for result in results:
        _show_faults(result)


def run_compare(options: argparse.Namespace) -> None:
    from cuebid.match import compare

    found = compare(options.first, options.second)
    if options.json:
        common.print_json(found.to_json())
        return
    first, second = found.agents
    print(f"{first} beside {second}, each against {found.against}")
    print(f"  {found.plain.boards:,} boards, {found.different:,} of them with different results\n")
    print(f"{'IMPs/board more':24}{found.plain!s:>14}")
    print(f"{'perfect defence':24}{found.perfect_defence!s:>14}")


def run_rescore(options: argparse.Namespace) -> None:
    from cuebid.match import rescore

    result = rescore(options.record)
    if options.json:
        common.print_json(result.to_json())
    else:
        _show(result)


def _show(result: Result) -> None:
    (first, second), (version, other) = result.agents, result.versions
    print(f"{first} ({version})\n  against {second} ({other})\n  {result.plain.boards:,} boards, {result.source}\n")
    print(f"{'':24}{'IMPs/board':>14} {'won':>8} {'lost':>8} {'tied':>8} {'boards':>8}")
    rows = {"all boards": result.plain, "perfect defence": result.perfect_defence}
    rows |= {f"vulnerable: {which}": tally for which, tally in result.by_vulnerability.items()}
    rows |= {"contested": result.contested, "uncontested": result.uncontested}
    for name, tally in rows.items():
        print(f"{name:24}{tally!s:>14} {tally.won:8,} {tally.lost:8,} {tally.tied:8,} {tally.boards:8,}")
    plain, perfect = (
        "{:.2f} : {:.2f}".format(*pair) for pair in (result.victory_points, result.perfect_defence_victory_points)
    )
    print(f"\nvictory points {plain}, under perfect defence {perfect}")
    _show_faults(result)


def _show_faults(result: Result) -> None:
    for name, faults in zip(result.agents, result.faults, strict=True):
        if faults:
            print(f"faults of {name}, passed for: " + ", ".join(f"{kind} {count:,}" for kind, count in faults.items()))
