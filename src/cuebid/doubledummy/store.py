"""A store of solved deals: a folder of `deals-K.npz` files, or one `.npz`, with `owner` [N, 52] and `tricks` [N, 4, 5].

A store we make has `store.json` beside its files: where the deals come from, and every file's count and SHA-256. It is
rewritten after each file, never in place, so it always names complete files only. Folders without it are readable too.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cache, cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cuebid.doubledummy.errors import StoreError
from cuebid.doubledummy.symmetry import CARDS, INVERSES, SYMMETRIES, TURNS, transform
from cuebid.files import write_whole

Bytes = npt.NDArray[np.uint8]
SHAPES = {"owner": (52,), "tricks": (4, 5)}
MANIFEST = "store.json"
UNREADABLE = (ValueError, LookupError, EOFError, OSError, RuntimeError, zipfile.BadZipFile, zlib.error)  # of a bad .npz
BLOCK = 8192  # deals looked up at once, to bound the memory


@dataclass(frozen=True, slots=True)
class StoreFile:
    """One file of a store; without a manifest its checksum is unknown and empty."""

    name: str
    deals: int
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What `store.json` says. `seed` is None where the deals were imported; `sources` names the imported files."""

    files: tuple[StoreFile, ...] = ()
    seed: int | None = None
    sources: tuple[str, ...] = ()
    format: int = field(default=1, kw_only=True)

    @property
    def deals(self) -> int:
        return sum(file.deals for file in self.files)

    @classmethod
    def read(cls, folder: Path) -> Manifest | None:
        """The folder's manifest, None where it has none."""
        path = folder / MANIFEST
        try:
            said = json.loads(path.read_text("utf-8"))
            if said["format"] != 1:
                raise StoreError(f"{path} has format {said['format']}; this version of cuebid reads format 1")
            files = tuple(
                StoreFile(str(file["name"]), int(file["deals"]), str(file["sha256"])) for file in said["files"]
            )
            return cls(files, said["seed"], tuple(said["sources"]))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StoreError(f"{path} is damaged: {error!r}") from None

    def write(self, folder: Path) -> None:
        write_whole(folder / MANIFEST, (json.dumps(asdict(self), indent=1) + "\n").encode())


class Store:
    """Solved deals on disk. Opening reads only headers; `owner` and `tricks` are read, and checked, when first used."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if self.path.is_dir():
            self.folder, manifest = self.path, Manifest.read(self.path)
            names = [] if manifest else [file.name for file in sorted(self.path.glob("deals-*.npz"), key=_number)]
        elif self.path.is_file():
            self.folder, manifest, names = self.path.parent, None, [self.path.name]
        else:
            raise StoreError(f"no store at {self.path}: neither a folder nor a file")
        self.manifest = manifest or Manifest(tuple(StoreFile(name, _count(self.folder / name)) for name in names))
        self.made_here = manifest is not None  # so every file has its checksum
        if not self.manifest.files and not manifest:
            raise StoreError(f"{self.path} holds no solved deals (files named deals-0.npz, deals-1.npz, …)")

    def __len__(self) -> int:
        return self.manifest.deals

    @cached_property
    def _arrays(self) -> tuple[Bytes, Bytes]:
        parts = [read_file(self.folder, file) for file in self.manifest.files]
        owner = np.concatenate([np.empty((0, 52), np.uint8), *(part[0] for part in parts)])
        tricks = np.concatenate([np.empty((0, 4, 5), np.uint8), *(part[1] for part in parts)])
        return owner, tricks

    @property
    def owner(self) -> Bytes:
        """The seat that holds each card: [N, 52]."""
        return self._arrays[0]

    @property
    def tricks(self) -> Bytes:
        """Tricks of each declarer in each strain: [N, 4, 5]."""
        return self._arrays[1]

    def check(self) -> list[str]:
        """Read every file again; what is wrong with the damaged ones, a line each."""
        wrong = []
        for file in self.manifest.files:
            try:
                read_file(self.folder, file)
            except StoreError as error:
                wrong.append(str(error))
        return wrong

    def sample(self, count: int, seed: int, symmetries: bool = True) -> tuple[Bytes, Bytes]:
        """Deals drawn at random, the same for the same seed: owner [count, 52] and tricks [count, 4, 5].

        No deal comes a second time before all have come once. With `symmetries` each is one of its 96 images.
        """
        if not len(self):
            raise StoreError(f"{self.path} is empty")
        passes = -(-count // len(self))
        rows = random_bits(seed, 1, passes * len(self)).reshape(passes, len(self)).argsort(axis=1).reshape(-1)[:count]
        owner, tricks = self.owner[rows], self.tricks[rows]
        if not symmetries:
            return owner, tricks
        return transform(owner, tricks, (random_bits(seed, 2, count) % SYMMETRIES).astype(np.int64))

    @cached_property
    def _index(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
        """Keys of the deals as stored, sorted, and the row of each."""
        keys = image_keys(self.owner, 1)[:, 0]
        rows = keys.argsort(kind="stable")
        return keys[rows], rows

    def lookup(self, owner: Bytes) -> tuple[npt.NDArray[np.bool_], Bytes]:
        """Which of the deals [N, 52] the store has, in any of their 96 images, and their tricks [N, 4, 5] (else 0)."""
        found, tricks = np.zeros(len(owner), dtype=bool), np.zeros((len(owner), 4, 5), dtype=np.uint8)
        keys, rows = self._index
        if not len(keys):
            return found, tricks
        for images in (1, SYMMETRIES):  # most deals are there as they are, or not at all
            rest = np.flatnonzero(~found)
            for part in np.array_split(rest, len(rest) // BLOCK + 1):
                wanted = image_keys(owner[part], images)
                place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
                deal, symmetry = np.nonzero(keys[place] == wanted)
                row, asked = rows[place[deal, symmetry]], part[deal]
                image, table = transform(self.owner[row], self.tricks[row], INVERSES[symmetry])
                same = (image == owner[asked]).all(axis=1)  # a key may be shared by chance
                found[asked[same]], tricks[asked[same]] = True, table[same]
        return found, tricks

    def knows(self, owner: Bytes) -> npt.NDArray[np.bool_]:
        """Which of the deals [N, 52] are in the store, in any of their 96 images."""
        return self.lookup(owner)[0]


def shipped_store() -> Store:
    """The 20,000 solved deals that come with cuebid, for examples, tests and evaluation.

    Training must leave them out, in all their 96 images: `keep = ~shipped_store().knows(owner)`.
    """
    return _shipped()


@cache
def _shipped() -> Store:
    return Store(Path(__file__).with_name("data") / "deals.npz")


def image_keys(owner: Bytes, images: int = SYMMETRIES) -> npt.NDArray[np.uint64]:
    """A 64-bit key for each of the first `images` images of each deal: [N, images]."""
    blocks = [_image_keys(owner[start : start + BLOCK], images) for start in range(0, len(owner), BLOCK)]
    return np.concatenate([np.empty((0, images), np.uint64), *blocks])


def _image_keys(owner: Bytes, images: int) -> npt.NDArray[np.uint64]:
    """A deal's key is a sum over its suits, so it takes only each old suit in each new place at each turn."""
    table, rank, hands = random_bits(0, 3, 4 * 13 * 4).reshape(4, 13, 4), np.arange(13), owner.reshape(-1, 4, 13)
    sums = np.zeros((len(owner), 4, 4, 4), dtype=np.uint64)  # [deal, old suit, new place, turn]
    for turn in range(min(images, 4)):
        turned = (hands + np.uint8(turn)) & 3
        for place in range(4):
            sums[:, :, place, turn] = table[place][rank, turned].sum(axis=2)
    old_suits, turns = CARDS[:images, ::13] // 13, TURNS[:images].astype(int)
    keys: npt.NDArray[np.uint64] = sums[:, old_suits, np.arange(4), turns].sum(axis=2)
    return keys


def random_bits(seed: int, stream: int, count: int, first: int = 0) -> npt.NDArray[np.uint64]:
    """Random 64-bit numbers of a seed's stream, from number `first` (a multiple of 4), the same in every NumPy."""
    if not 0 <= seed < 1 << 64:
        raise StoreError(f"a seed is a whole number from 0 to 2^64 - 1; got {seed}")
    return np.asarray(np.random.Philox(key=seed + (stream << 64), counter=first // 4).random_raw(count))


def random_deals(seed: int, first: int, count: int) -> Bytes:
    """Deals `first`, `first + 1`, … of a seed: owner [count, 52]. Deal k depends on the seed and k alone."""
    order = random_bits(seed, 0, 52 * count, first=52 * first).reshape(count, 52).argsort(axis=1)
    return (order // 13).astype(np.uint8)


def pack(owner: Bytes, tricks: Bytes) -> bytes:
    """The bytes of a store file; the same deals give the same bytes."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, owner=owner, tricks=tricks)
    return buffer.getvalue()


def add_file(folder: Path, manifest: Manifest, owner: Bytes, tricks: Bytes) -> Manifest:
    """Write the next file; the manifest that names it too is returned, for the caller to write."""
    name, data = f"deals-{len(manifest.files)}.npz", pack(owner, tricks)
    write_whole(folder / name, data)
    file = StoreFile(name, len(owner), hashlib.sha256(data).hexdigest())
    return Manifest((*manifest.files, file), manifest.seed, manifest.sources)


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Hold a store's folder for writing, to the end of the process at most; another process holding it is an error."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("ab") as lock:
        try:
            if os.name == "posix":
                import fcntl

                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            else:
                import msvcrt

                msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            raise StoreError(f"another process is writing to {folder}") from None
        for left in folder.glob(".*.tmp"):
            left.unlink()
        yield


def read_file(folder: Path, file: StoreFile) -> tuple[Bytes, Bytes]:
    """One file's owner [N, 52] and tricks [N, 4, 5], checked; anything wrong with it is an error that names it."""
    path = folder / file.name
    try:
        data = path.read_bytes()
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from None
    if file.sha256 and hashlib.sha256(data).hexdigest() != file.sha256:
        raise StoreError(f"{path} was cut short or altered: its checksum is not the one in {MANIFEST}")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:  # np.load would not read on to where the CRC is checked
            owner, tricks = (np.load(io.BytesIO(archive.read(f"{name}.npy"))) for name in SHAPES)
    except UNREADABLE as error:
        raise StoreError(f"{path} was cut short or altered: {error}") from None
    check_deals(path, owner, tricks)
    if len(owner) != file.deals:
        raise StoreError(f"{path} holds {len(owner)} deals, not {file.deals}")
    return owner, tricks


def check_deals(path: Path, owner: Bytes, tricks: Bytes) -> None:
    """Whether these can be solved deals at all: shapes, thirteen cards a hand, at most thirteen tricks."""
    for name, array in (("owner", owner), ("tricks", tricks)):
        if array.dtype != np.uint8 or array.shape != (len(owner), *SHAPES[name]):
            raise StoreError(f"{path}: {name} is {array.dtype}{list(array.shape)}, not uint8 [N, {SHAPES[name]}]")
    cards = np.stack([(owner == seat).sum(axis=1) for seat in range(4)], axis=1)
    for wrong, what in (
        ((cards != 13).any(axis=1), "does not have 13 cards in each hand"),
        ((tricks > 13).any(axis=(1, 2)), "has a table with more than 13 tricks"),
    ):
        if wrong.any():
            raise StoreError(f"{path}: deal {int(wrong.argmax())} {what}")


def _count(path: Path) -> int:
    """How many deals a file says it holds, from its header alone."""
    try:
        with zipfile.ZipFile(path) as archive, archive.open("owner.npy") as array:
            version = np.lib.format.read_magic(array)
            read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape: tuple[int, ...] = read(array)[0]
            return shape[0]
    except UNREADABLE as error:
        raise StoreError(f"{path} is no file of solved deals, or was cut short: {error}") from None


def _number(path: Path) -> tuple[int, str]:
    digits = path.stem.removeprefix("deals-")
    return (int(digits) if digits.isdigit() else 1 << 62, path.name)
