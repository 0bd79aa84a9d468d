"""`cuebid deal`, `cuebid solve`, `cuebid deals`: hands, their double dummy tables, and stores of solved deals."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cuebid.cli import common
from cuebid.game import BridgeError, Deal, Seat, Strain, Vulnerability

if TYPE_CHECKING:
    from cuebid.doubledummy import Solution
    from cuebid.formats import Board

SUFFIXES = (".pbn", ".lin", ".txt")
PART = 20  # deals solved between two writings of the output


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    deal = verbs.add_parser("deal", help="deal boards, show them with their double dummy tables and par")
    deal.add_argument(
        "--seed", type=common.whole, help="the same seed deals the same boards (default: a new one, told)"
    )
    deal.add_argument("--boards", type=common.whole, default=1, metavar="N", help="how many boards (default 1)")
    deal.add_argument("--json", action="store_true", help="one JSON object a line")
    deal.set_defaults(run=run_deal)

    solve = verbs.add_parser("solve", help="double dummy table and par of a deal, or of every deal in a file")
    solve.add_argument("deal", help='"N:AKQ2.JT9.876.543 …" clockwise from that seat, or a .pbn, .lin or .txt file')
    solve.add_argument("--dealer", type=common.seat, help="for a deal given as text (default N)")
    solve.add_argument("--vul", type=common.vulnerability, help="for a deal given as text (default none)")
    solve.add_argument(
        "--out", type=Path, metavar="FILE.pbn", help="write a file's boards with their tables; goes on from there"
    )
    solve.add_argument("--json", action="store_true", help="one JSON object a line")
    solve.set_defaults(run=run_solve)

    _add_stores(verbs)


def _add_stores(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    stores = verbs.add_parser("deals", help="make, describe and import stores of solved deals")
    kinds = stores.add_subparsers(title="commands", metavar="COMMAND", required=True)

    make = kinds.add_parser("make", help="solve random deals into a store; stop it at will, run it again to go on")
    make.add_argument("store", type=Path, help="a folder, made if missing")
    make.add_argument("--deals", type=common.whole, required=True, metavar="N", help="how many deals it shall hold")
    make.add_argument("--seed", type=common.whole, default=0, help="which deals (default 0)")
    make.add_argument("--cores", type=common.whole, help="how many cores (default: all)")
    make.set_defaults(run=run_make)

    info = kinds.add_parser("info", help="what a store holds, and whether every file is whole")
    info.add_argument("store", type=Path, nargs="?", help="a folder or a .npz file (default: the shipped deals)")
    info.add_argument("--json", action="store_true", help="as JSON")
    info.set_defaults(run=run_info)

    imported = kinds.add_parser("import", help="add deals that others solved: pgx .npy, JPS .db, brl .json, .pbn, .npz")
    imported.add_argument("file", type=Path)
    imported.add_argument("store", type=Path, help="a folder, made if missing")
    imported.set_defaults(run=run_import)


def run_deal(options: argparse.Namespace) -> None:
    from cuebid.doubledummy import solve

    seed = common.new_seed() if options.seed is None else options.seed
    for number in range(1, options.boards + 1):
        dealt = (common.deal_of(seed, number), Seat.deals_board(number), Vulnerability.of_board(number))
        _show(*dealt, solve(*dealt), options.json, f"Board {number}", f"seed {seed}")


def run_solve(options: argparse.Namespace) -> None:
    if Path(options.deal).suffix.lower() in SUFFIXES:
        _solve_file(options)
        return

    from cuebid.doubledummy import solve

    if options.out:
        raise BridgeError("--out takes the boards of a file; a deal given as text is only shown")
    dealt = (Deal(options.deal), options.dealer or Seat.N, options.vul or Vulnerability.NONE)
    _show(*dealt, solve(*dealt), options.json)


def _solve_file(options: argparse.Namespace) -> None:
    """Solve the boards of a file; those before a malformed one are solved before it is told."""
    from cuebid import formats
    from cuebid.doubledummy import owner_of, solve_tables, table_of

    if options.dealer is not None or options.vul is not None:
        raise BridgeError("--dealer and --vul are for a deal given as text; a file says its own")
    if options.out and options.out.suffix.lower() != ".pbn":
        raise BridgeError(
            f"--out is a PBN file, its name ends in .pbn: other formats hold no tables; got {options.out}"
        )
    try:
        boards, wrong = list(formats.read(options.deal)), None
    except formats.FormatError as error:
        boards, wrong = list(error.boards), error
    if options.out and options.out.exists():
        boards = _solved_before(boards, list(formats.read(options.out)), options.out)
    deals = [(place, board.deal) for place, board in enumerate(boards) if board.deal and board.tricks is None]
    with common.progress("solving", "deals") as progress:
        for start in range(0, len(deals), PART):
            part = deals[start : start + PART]
            tables = solve_tables(owner_of([deal for _, deal in part]))
            for (place, _), table in zip(part, tables, strict=True):
                boards[place] = replace(boards[place], tricks=table_of(table))
            if options.out:
                formats.write(options.out, boards)
            progress(start + len(part), len(deals))
    if options.out:
        print(f"{options.out}: {len(boards):,} boards, {len(deals):,} solved now")
    else:
        for place, board in enumerate(boards, start=1):
            _show_board(board, f"Board {board.number or place}", options.json)
    if wrong:
        raise wrong


def _solved_before(boards: list[Board], out: list[Board], path: Path) -> list[Board]:
    """The boards as an earlier run left them."""
    if [board.hands for board in boards] != [board.hands for board in out]:
        raise BridgeError(f"{path} holds other boards; name another file or remove it")
    return out


def _show_board(board: Board, name: str, as_json: bool) -> None:
    from cuebid.doubledummy import Solution
    from cuebid.game import par

    if board.deal is None or board.tricks is None:
        print(f"cuebid: {name} has an unknown hand and is not solved", file=sys.stderr)
        return
    dealer, vulnerability = board.dealer or Seat.N, board.vulnerability or Vulnerability.NONE
    solution = Solution(board.tricks, par(board.tricks, dealer, vulnerability))
    _show(board.deal, dealer, vulnerability, solution, as_json, name)


def _show(
    deal: Deal, dealer: Seat, vulnerability: Vulnerability, solution: Solution, as_json: bool, *titles: str
) -> None:
    if as_json:
        common.print_json({"title": ", ".join(titles)} | _as_json(deal, dealer, vulnerability, solution))
        return

    from cuebid import draw

    out = draw.console()
    out.print(draw.deal(deal, dealer, vulnerability, *titles))
    out.print()
    out.print(draw.double_dummy(solution.tricks))
    out.print(draw.par(solution.par))
    out.print()


def _as_json(deal: Deal, dealer: Seat, vulnerability: Vulnerability, solution: Solution) -> dict[str, Any]:
    return {
        "deal": str(deal),
        "dealer": str(dealer),
        "vulnerability": str(vulnerability),
        "tricks": {str(seat): {str(strain): solution.tricks[seat][strain] for strain in Strain} for seat in Seat},
        "par": {
            "score": solution.par.score,
            "contracts": [{"contract": str(contract), "tricks": tricks} for contract, tricks in solution.par.contracts],
        },
    }


def run_make(options: argparse.Namespace) -> None:
    from cuebid.doubledummy import make

    with common.progress("solving", "deals") as progress:
        store = make(options.store, options.deals, options.seed, cores=options.cores, progress=progress)
    print(f"{store.path} holds {len(store):,} solved deals of seed {options.seed}")


def run_info(options: argparse.Namespace) -> None:
    from cuebid.doubledummy import Store, shipped_store

    store = Store(options.store) if options.store else shipped_store()
    wrong = store.check()
    facts = {
        "store": str(store.path),
        "deals": len(store),
        "files": len(store.manifest.files),
        "seed": store.manifest.seed,
        "sources": list(store.manifest.sources),
        "checksums": store.made_here,
        "damaged": wrong,
    }
    if options.json:
        common.print_json(facts)
    else:
        for name, fact in facts.items():
            if fact not in (None, [], False):
                print(f"{name:10} {fact if not isinstance(fact, list) else ', '.join(fact)}")
        whole = "every file is whole" if store.made_here else "every file can be read; it has no checksums"
        print(whole if not wrong else f"{len(wrong)} of {facts['files']} files are damaged")
    if wrong:
        raise BridgeError(wrong[0])


def run_import(options: argparse.Namespace) -> None:
    from cuebid.doubledummy import import_deals

    store = import_deals(options.file, options.store)
    print(f"{store.path} holds {len(store):,} solved deals")
