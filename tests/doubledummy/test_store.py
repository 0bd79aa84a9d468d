"""The store: fast, seeded, exact about damage, and safe against being killed."""

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from cuebid.doubledummy import Store, StoreError, make, random_deals, shipped_store, solve_tables
from cuebid.doubledummy.store import MANIFEST, Manifest, random_bits

FOREIGN = Path("/work/shared/data/dd")
GOLDEN = "0321001100130120132321231220330022210133231301321032"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Six deals of seed 7 in chunks of two."""
    return make(tmp_path_factory.mktemp("store"), 6, 7, chunk=2).path


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != ".lock"}


def test_the_shipped_deals():
    store = shipped_store()
    assert len(store) == 20_000
    assert store.owner.shape == (20_000, 52)
    assert store.tricks.shape == (20_000, 4, 5)
    assert store.check() == []
    rows = random_bits(2026, 5, 20_000).argsort()[:8]
    assert (solve_tables(store.owner[rows]) == store.tricks[rows]).all()


def test_sampling_is_seeded():
    store = shipped_store()
    owner, tricks = store.sample(100, 3)
    assert all((a == b).all() for a, b in zip(store.sample(100, 3), (owner, tricks), strict=True))
    assert (store.sample(50, 3)[0] == owner[:50]).all()
    assert (store.sample(100, 4)[0] != owner).any()
    assert len(np.unique(store.sample(20_000, 1, symmetries=False)[0], axis=0)) == 20_000
    assert store.sample(0, 1)[0].shape == (0, 52)
    assert (solve_tables(owner[:3]) == tricks[:3]).all()
    with pytest.raises(StoreError, match="seed"):
        store.sample(1, -1)


def test_a_small_store_is_sampled_evenly(made):
    owner, _ = Store(made).sample(18, 1, symmetries=False)
    assert (np.unique(owner, axis=0, return_counts=True)[1] == 3).all()


def test_golden_deals():
    """A seed's deals are for ever: these bytes may not change."""
    assert "".join(map(str, random_deals(0, 0, 1)[0])) == GOLDEN
    assert ((random_deals(9, 0, 500)[:, :, None] == np.arange(4)).sum(axis=1) == 13).all()
    assert (random_deals(1, 0, 100)[37:50] == random_deals(1, 37, 13)).all()
    assert (random_deals(1, 0, 5) != random_deals(2, 0, 5)).any()


def test_random_deals_are_uniform():
    """Each card is with each seat a quarter of the time, and four hearts with North as often as they should be."""
    owner = random_deals(11, 0, 40_000)
    assert abs((owner[:, :, None] == np.arange(4)).mean(axis=0) - 0.25).max() < 0.012
    hearts = (owner[:, 26:39] == 0).sum(axis=1)
    assert abs((hearts == 4).mean() - 0.23861) < 0.01


def test_made_deals_are_those_of_the_seed_and_solved(made):
    store = Store(made)
    assert len(store) == 6
    assert store.manifest.seed == 7
    assert (store.owner == random_deals(7, 0, 6)).all()
    assert (store.tricks == solve_tables(store.owner)).all()


def test_chunks_and_stops_do_not_matter(made, tmp_path):
    make(tmp_path, 3, 7, chunk=1)
    store = make(tmp_path, 6, 7, chunk=4)
    assert [file.deals for file in store.manifest.files] == [1, 1, 1, 3]
    assert (store.owner == Store(made).owner).all()
    assert (store.tricks == Store(made).tricks).all()
    before = files(tmp_path)
    make(tmp_path, 2, 7)
    assert files(tmp_path) == before


def test_progress_counts_deals(tmp_path):
    seen = []
    make(tmp_path, 2, 1, chunk=1, progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1] == (2, 2)


def test_kill_at_random_moments_then_resume(made, tmp_path):
    """kill -9, over and over, and in the end the folder is the same, byte for byte."""
    code = f"from cuebid.doubledummy import make; make({str(tmp_path)!r}, 6, 7, chunk=2, cores=1)"
    kills, source = 0, random.Random(1)
    for attempt in range(60):
        process = subprocess.Popen([sys.executable, "-c", code])
        try:
            assert process.wait(timeout=source.uniform(0.2, 0.5) * (0.5 + attempt / 4)) == 0
            break
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
        if (tmp_path / MANIFEST).exists():
            assert Store(tmp_path).check() == []
    else:
        pytest.fail("never finished")
    assert kills >= 2
    assert files(tmp_path) == files(made)


@pytest.mark.parametrize("step", range(8))
def test_dying_between_any_two_writes(made, tmp_path, monkeypatch, step):
    """Die at every place where the disk is touched: what is there can be read, and going on repairs the rest."""
    count = 0
    for name in ("open", "replace"):
        real = getattr(Path, name)

        def touched(self, *args, real=real, **kwargs):
            nonlocal count
            if self.name.endswith(".tmp"):
                count += 1
                if count > step:
                    raise KeyboardInterrupt
            return real(self, *args, **kwargs)

        monkeypatch.setattr(Path, name, touched)
    with pytest.raises(KeyboardInterrupt):
        make(tmp_path, 6, 7, chunk=2)
    monkeypatch.undo()
    if Manifest.read(tmp_path):
        store = Store(tmp_path)
        assert store.check() == []
        assert (store.owner == random_deals(7, 0, len(store))).all()
    make(tmp_path, 6, 7, chunk=2)
    assert files(tmp_path) == files(made)


def cut(path):
    path.write_bytes(path.read_bytes()[:-100])


def alter(path):
    data = bytearray(path.read_bytes())
    data[data.index(b"owner.npy") + 100] ^= 1  # within the compressed cards
    path.write_bytes(bytes(data))


def swap(path):
    shutil.copy(path.with_name("deals-0.npz"), path)


@pytest.mark.parametrize("damage", [cut, alter, swap, Path.unlink])
def test_damage_is_named(made, tmp_path, damage):
    folder = tmp_path / "store"
    shutil.copytree(made, folder)
    damage(folder / "deals-1.npz")
    store = Store(folder)
    with pytest.raises(StoreError, match=r"deals-1\.npz"):
        _ = store.owner
    assert len(store.check()) == 1


@pytest.mark.parametrize("damage", [cut, alter])
def test_damage_is_named_without_a_manifest(made, tmp_path, damage):
    for name in ("deals-0.npz", "deals-1.npz"):
        shutil.copy(made / name, tmp_path / name)
    assert len(Store(tmp_path)) == 4
    damage(tmp_path / "deals-1.npz")
    with pytest.raises(StoreError, match=r"deals-1\.npz"):
        _ = Store(tmp_path).owner


@pytest.mark.parametrize(
    ("owner", "tricks", "message"),
    [
        (np.zeros((2, 52), np.uint8), np.zeros((2, 4, 5), np.uint8), "deal 0 does not have 13 cards"),
        (random_deals(1, 0, 2), np.full((2, 4, 5), 14, np.uint8), "more than 13 tricks"),
        (random_deals(1, 0, 2), np.zeros((3, 4, 5), np.uint8), "tricks is"),
        (random_deals(1, 0, 2).astype(int), np.zeros((2, 4, 5), np.uint8), "owner is int64"),
        (random_deals(1, 0, 2)[:, :40], np.zeros((2, 4, 5), np.uint8), "owner is"),
    ],
)
def test_what_cannot_be_solved_deals_is_refused(tmp_path, owner, tricks, message):
    np.savez(tmp_path / "deals-0.npz", owner=owner, tricks=tricks)
    with pytest.raises(StoreError, match=message):
        _ = Store(tmp_path).owner


def test_a_damaged_manifest_is_named(made, tmp_path):
    for text in ("{", "[]", '{"format": 1}', '{"format": 9}'):
        (tmp_path / MANIFEST).write_text(text)
        with pytest.raises(StoreError, match=r"store\.json"):
            Store(tmp_path)
    assert json.loads((made / MANIFEST).read_text())["files"][0]["deals"] == 2


def test_no_store_is_said(tmp_path):
    with pytest.raises(StoreError, match="neither"):
        Store(tmp_path / "nowhere")
    with pytest.raises(StoreError, match="no solved deals"):
        Store(tmp_path)
    (tmp_path / "deals-0.npz").write_bytes(b"PK nonsense")
    with pytest.raises(StoreError, match=r"deals-0\.npz is no file"):
        Store(tmp_path)


def test_other_deals_are_not_overwritten(made, tmp_path):
    with pytest.raises(StoreError, match="seed 7"):
        make(made, 6, 8)
    shutil.copy(made / "deals-0.npz", tmp_path / "deals-0.npz")
    with pytest.raises(StoreError, match="not made here"):
        make(tmp_path, 6, 7)


def test_two_makers_are_refused(tmp_path):
    code = (
        "import sys, time; from pathlib import Path; from cuebid.doubledummy.store import writing\n"
        "with writing(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
    )
    other = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE)
    try:
        assert other.stdout
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(StoreError, match="another process"):
            make(tmp_path, 2, 7)
    finally:
        other.kill()
        other.communicate()
    (tmp_path / ".deals-0.npz.tmp").write_bytes(b"left behind")
    assert len(make(tmp_path, 1, 7)) == 1
    assert not list(tmp_path.glob(".*.tmp"))


def test_lookup_knows_all_images_and_nothing_else():
    store = shipped_store()
    owner, tricks = store.sample(500, 12)
    mixed = np.concatenate([owner, random_deals(1, 0, 500), store.owner[:100]])
    found, table = store.lookup(mixed)
    assert found.tolist() == [True] * 500 + [False] * 500 + [True] * 100
    assert (table[:500] == tricks).all()
    assert (table[1000:] == store.tricks[:100]).all()
    assert not table[500:1000].any()
    assert store.knows(owner[:0]).shape == (0,)


def test_a_key_shared_by_chance_is_no_match(monkeypatch):
    store = Store(shipped_store().path)
    monkeypatch.setattr(
        "cuebid.doubledummy.store.image_keys", lambda owner, images: np.zeros((len(owner), images), "u8")
    )
    assert not store.knows(random_deals(1, 0, 3)).any()


@pytest.mark.skipif(not FOREIGN.exists(), reason="the big store is not part of the package")
def test_a_foreign_store_opens_fast_and_holds_the_shipped_deals():
    begin = time.perf_counter()
    store = Store(FOREIGN)
    assert len(store) == 115_200
    assert time.perf_counter() - begin < 0.1
    assert store.check() == []
    assert (store.owner[-20_000:] == shipped_store().owner).all()
    assert shipped_store().knows(store.owner[-25_000:]).sum() == 20_000
