"""Solved deals that others made, read into our arrays.

| file | whose | what is in it |
|---|---|---|
| `.npy` | pgx's bridge_bidding (`dds_results_*.npy`) | int32 [2, N, 4]: keys and values |
| `.db` | JPS's `dda.db`, SQLite | a table `records`, a row a deal: JSON with `pbn` and `ddt` |
| `.json` | brl's boards against WBridge5 | `logs`, a board an entry, with `deal` and `dda` |
| `.pbn` | anybody's | boards with an `OptimumResultTable` |
| `.npz` | ours | `owner` and `tricks` |
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cuebid.doubledummy.errors import StoreError
from cuebid.doubledummy.solve import Exact
from cuebid.doubledummy.store import Manifest, Store, add_file, check_deals, random_bits, writing
from cuebid.game import Card, Seat, Strain

Bytes = npt.NDArray[np.uint8]
Solved = tuple[Bytes, Bytes]  # owner [N, 52] and tricks [N, 4, 5]
VERIFIED = 4
PER_FILE = 100_000  # deals in each file that an import writes

WRONG = (OSError, ValueError, ArithmeticError, LookupError, TypeError, AttributeError, EOFError, RecursionError)
"""What files that are not what their ending says make of a reader."""

_CARDS = {str(Card(number)): number for number in range(52)}  # SA, HT, …


def read(path: str | Path) -> Solved:
    """The solved deals of a file in any of the forms above: owner [N, 52] and tricks [N, 4, 5]. Nothing is solved."""
    path = Path(path)
    if not path.is_file():
        raise StoreError(f"no file at {path}")
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise StoreError(
            f"{path}: solved deals come as {', '.join(READERS)}, not {path.suffix or 'a file without ending'}"
        )
    try:
        owner, tricks = reader(path)
    except StoreError:
        raise
    except (*WRONG, sqlite3.Error) as error:
        raise StoreError(f"{path} does not hold solved deals as its ending says: {error}") from None
    if not len(owner):
        raise StoreError(f"{path} holds no solved deals")
    check_deals(path, owner, tricks)
    return owner, tricks


def verify(path: str | Path, owner: Bytes, tricks: Bytes, count: int = VERIFIED, cores: int | None = None) -> None:
    """Solve some of the deals, the same ones each time, and refuse tables that are wrong."""
    rows = np.sort(random_bits(0, 4, len(owner)).argsort()[:count])
    exact = Exact(cores, remembered=0).tables(owner[rows])
    for row, right in zip(rows.tolist(), exact, strict=True):
        if (wrong := np.argwhere(tricks[row] != right)).size:
            seat, strain = wrong[0].tolist()
            raise StoreError(
                f"{path}: deal {row} is solved wrongly ({len(wrong)} of 20 cells): {Seat(seat).word} takes "
                f"{right[seat, strain]} tricks in {Strain(strain)}, not {tricks[row, seat, strain]}"
            )


def import_deals(path: str | Path, folder: str | Path, *, verified: int = VERIFIED, cores: int | None = None) -> Store:
    """Verify a file's solved deals and add them to a store (a new one, or one of imports): all of them or none."""
    path, folder = Path(path), Path(folder)
    owner, tricks = read(path)
    verify(path, owner, tricks, verified, cores)
    with writing(folder):
        manifest = Manifest.read(folder)
        if manifest is None and next(folder.glob("deals-*.npz"), None):
            raise StoreError(f"{folder} holds deals that were not imported here; choose another folder")
        manifest = manifest or Manifest()
        if manifest.seed is not None:
            raise StoreError(f"{folder} holds the deals of seed {manifest.seed}; import into another folder")
        if path.name in manifest.sources:
            raise StoreError(f"{path.name} was already imported into {folder}")
        manifest.write(folder)  # first, so that files left by a kill are not taken for deals
        for start in range(0, len(owner), PER_FILE):
            manifest = add_file(folder, manifest, owner[start : start + PER_FILE], tricks[start : start + PER_FILE])
        Manifest(manifest.files, None, (*manifest.sources, path.name)).write(folder)
    return Store(folder)


def _read_pgx(path: Path) -> Solved:
    """A key is 52 digits of base 4, the seat of each card: one number a suit S H D C, ranks A 2 3 … K from the top.

    A value is 20 hexadecimal digits, one number a declarer N E S W, strains C D H S NT from the top.
    """
    keys, values = np.load(path, allow_pickle=False)
    if keys.dtype.kind not in "iu" or keys.shape != values.shape or keys.shape[1:] != (4,):
        raise StoreError(f"{path}: expected integers [2, N, 4], keys and values; got {keys.dtype}{[2, *keys.shape]}")
    seats = (keys[:, :, None] >> np.arange(24, -1, -2)) & 3
    owner = np.roll(seats, -1, axis=2)[:, ::-1].reshape(-1, 52).astype(np.uint8)
    tricks = ((values[:, :, None] >> np.arange(16, -1, -4)) & 15).astype(np.uint8)
    return owner, tricks


def _read_jps(path: Path) -> Solved:
    """`pbn` is a PBN Deal tag; `ddt` has 20 tricks: C by N E S W, then D, H, S, NT."""
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as base:
        rows = base.execute("select content from records order by idx")
        entries = ((record["pbn"], record["ddt"]) for record in (json.loads(row[0]) for row in rows))
        return _collect((_owner_from_pbn(pbn), np.reshape(ddt, (5, 4)).T) for pbn, ddt in entries)


def _read_brl(path: Path) -> Solved:
    """`deal` names each seat's cards, `dda` each seat's tricks by strain."""
    logs = json.loads(path.read_text("utf-8"))["logs"]
    strains = [str(strain) for strain in Strain]
    return _collect(
        (_owner_from_cards(log["deal"]), [[log["dda"][seat.name][strain] for strain in strains] for seat in Seat])
        for log in logs
    )


def _read_pbn(path: Path) -> Solved:
    from cuebid.formats import read as read_boards

    boards = read_boards(path)
    return _collect((board.deal.owner, board.tricks) for board in boards if board.deal and board.tricks)


def _read_ours(path: Path) -> Solved:
    store = Store(path)
    return store.owner, store.tricks


READERS: dict[str, Callable[[Path], Solved]] = {
    ".npy": _read_pgx,
    ".db": _read_jps,
    ".json": _read_brl,
    ".pbn": _read_pbn,
    ".npz": _read_ours,
}


def _collect(deals: Iterable[tuple[Any, Any]]) -> Solved:
    owners, tables = bytearray(), bytearray()
    for owner, table in deals:
        owners += bytes(owner)
        tables += np.asarray(table, dtype=np.uint8).reshape(20).tobytes()
    return (
        np.frombuffer(bytes(owners), dtype=np.uint8).reshape(-1, 52),
        np.frombuffer(bytes(tables), dtype=np.uint8).reshape(-1, 4, 5),
    )


def _owner_from_pbn(text: str) -> bytearray:
    """Read `[Deal "N:AKQ2.JT9.876.543 …"]`: the first seat, then the hands clockwise, suits S H D C."""
    first, _, hands = text.partition('"')[2].partition('"')[0].partition(":")
    owner = bytearray(b"\xff" * 52)  # a card nobody has is found by check_deals
    for place, hand in enumerate(hands.split()):
        seat = Seat(first) + place
        for suit, ranks in zip("SHDC", hand.split("."), strict=True):
            for rank in ranks:
                owner[_CARDS[suit + rank]] = seat
    return owner


def _owner_from_cards(hands: dict[str, list[str]]) -> bytearray:
    owner = bytearray(b"\xff" * 52)
    for seat in Seat:
        for card in hands[seat.name]:
            owner[_CARDS[card]] = seat
    return owner
