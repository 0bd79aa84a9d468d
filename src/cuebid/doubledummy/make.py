"""Making a store: random deals of a seed, solved exactly, a chunk at a time."""

from __future__ import annotations

from pathlib import Path

from cuebid.doubledummy.errors import StoreError
from cuebid.doubledummy.solve import Exact, Progress
from cuebid.doubledummy.store import Manifest, Store, add_file, random_deals, writing

CHUNK = 1000  # three minutes of one core: what a kill can cost


def make(
    folder: str | Path,
    deals: int,
    seed: int,
    *,
    chunk: int = CHUNK,
    cores: int | None = None,
    progress: Progress | None = None,
) -> Store:
    """Make a store of that many deals, or go on with one that was stopped, or lengthen a finished one.

    Deal k of a seed is always the same deal. Stop it in any way: it loses at most the chunk in work. `progress` is
    told deals done and wanted.
    """
    folder = Path(folder)
    if deals < 0 or chunk < 1:
        raise StoreError(f"a store has 0 deals or more, in chunks of 1 or more; got {deals} and {chunk}")
    with writing(folder):
        manifest = _manifest_for(folder, seed)
        while (done := manifest.deals) < deals:
            owner = random_deals(seed, done, min(chunk, deals - done))
            exact = Exact(cores, remembered=0)
            tricks = exact.tables(owner, _in_deals(progress, done, deals))
            manifest = add_file(folder, manifest, owner, tricks)
            manifest.write(folder)
    return Store(folder)


def _manifest_for(folder: Path, seed: int) -> Manifest:
    """What the folder already holds of this seed."""
    manifest = Manifest.read(folder)
    if manifest is None:
        if next(folder.glob("deals-*.npz"), None):
            raise StoreError(f"{folder} holds deals that were not made here; choose another folder")
        manifest = Manifest(seed=seed)
        manifest.write(folder)
    if manifest.seed != seed:
        what = "imported deals" if manifest.seed is None else f"the deals of seed {manifest.seed}"
        raise StoreError(f"{folder} holds {what}, not those of seed {seed}")
    return manifest


def _in_deals(progress: Progress | None, done: int, deals: int) -> Progress | None:
    """Progress in deals, from a solver that counts cells."""
    return progress and (lambda cells, _: progress(done + cells // 20, deals))
