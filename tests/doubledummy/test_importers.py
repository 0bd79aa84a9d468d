"""Files in the true formats of pgx, JPS and brl, made here from shipped deals, and what is refused."""

import json
import sqlite3

import numpy as np
import pytest

from cuebid.doubledummy import Store, StoreError, import_deals, importers, make, shipped_store
from cuebid.doubledummy.importers import read
from cuebid.doubledummy.store import pack
from cuebid.game import Deal, Seat, Strain

# The first deal of pgx's own sample table and the deal in JPS's README, with the tables they give.
PGX = ([19556549, 61212362, 52381660, 50424958], [71233, 771721, 71505, 706185])
JPS = (
    '{"pbn": "[Deal \\"N:KT9743.AQT43.J.7 J85.9.Q6.KQJ9532 Q2.KJ765.T98.T64 A6.82.AK75432.A8\\"]",'
    ' "ddt": [0, 12, 0, 12, 0, 12, 0, 12, 10, 3, 10, 3, 9, 4, 9, 4, 0, 8, 0, 8]}'
)


def write_pgx(path, owner, tricks):
    """Base-4 digits of the seats, suits S H D C, ranks A 2 … K; hexadecimal digits of the tricks."""
    keys, values = [], []
    for deal, table in zip(owner.reshape(-1, 4, 13), tricks, strict=True):
        suits = [[deal[suit][12], *deal[suit][:12]] for suit in (3, 2, 1, 0)]
        keys.append([int("".join(map(str, suit)), 4) for suit in suits])
        values.append([int("".join(f"{cell:x}" for cell in row), 16) for row in table])
    np.save(path, np.array([keys, values], dtype=np.int32))


def write_jps(path, owner, tricks):
    base = sqlite3.connect(path)
    base.execute("create table records (IDX INTEGER PRIMARY KEY, CONTENT TEXT)")
    for row, (deal, table) in enumerate(zip(owner, tricks, strict=True)):
        content = {"pbn": f'[Deal "{Deal.from_owner(deal.tolist())}"]', "ddt": table.T.reshape(-1).tolist()}
        base.execute("insert into records values (?, ?)", (row, json.dumps(content)))
    base.commit()
    base.close()


def write_brl(path, owner, tricks):
    logs = []
    for deal, table in zip(owner, tricks, strict=True):
        hands = Deal.from_owner(deal.tolist())
        cards = {str(seat): [str(card) for card in hands[seat]] for seat in Seat}
        dda = {str(seat): {str(strain): int(table[seat, strain]) for strain in Strain} for seat in Seat}
        logs.append({"board_id": len(logs), "dealer": "N", "deal": cards, "vulnerability": "None", "dda": dda})
    path.write_text(json.dumps({"logs": logs}))


def write_pbn(path, owner, tricks):
    lines = ["% PBN 2.1"]
    for number, (deal, table) in enumerate(zip(owner, tricks, strict=True), 1):
        lines += [f'[Board "{number}"]', '[Dealer "N"]', '[Vulnerable "None"]']
        lines += [f'[Deal "{Deal.from_owner(deal.tolist())}"]']
        lines += ['[OptimumResultTable "Declarer;Denomination\\2R;Result\\2R"]']
        lines += [f"{seat} {strain} {table[seat, strain]}" for seat in Seat for strain in Strain]
        lines += [""]
    path.write_text("\n".join(lines))


def write_ours(path, owner, tricks):
    np.savez(path, owner=owner, tricks=tricks)


WRITERS = {
    "dds_results_10M.npy": write_pgx,
    "dda.db": write_jps,
    "boards.json": write_brl,
    "boards.npz": write_ours,
    "boards.pbn": write_pbn,
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_reads_back(tmp_path, name):
    owner, tricks = shipped_store().sample(20, 1)
    WRITERS[name](tmp_path / name, owner, tricks)
    read_owner, read_tricks = read(tmp_path / name)
    assert (read_owner == owner).all()
    assert (read_tricks == tricks).all()


@pytest.mark.parametrize("name", ["dds_results_10M.npy", "dda.db"])
def test_the_publishers_own_deals(tmp_path, name):
    if name == "dda.db":
        base = sqlite3.connect(tmp_path / name)
        base.execute("create table records (IDX INTEGER PRIMARY KEY, CONTENT TEXT)")
        base.execute("insert into records values (0, ?)", (JPS,))
        base.commit()
        base.close()
    else:
        np.save(tmp_path / name, np.array([[PGX[0]], [PGX[1]]], dtype=np.int32))
    store = import_deals(tmp_path / name, tmp_path / "store")  # which solves the deal
    assert len(store) == 1


@pytest.mark.parametrize("name", WRITERS)
def test_wrong_tables_are_refused_and_nothing_is_written(tmp_path, name):
    owner, tricks = shipped_store().sample(2, 1)
    tricks[:, 3, 2] = (tricks[:, 3, 2] + 1) % 14
    WRITERS[name](tmp_path / name, owner, tricks)
    with pytest.raises(StoreError, match=rf"{name}: deal 0 is solved wrongly \(1 of 20 cells\): West .* in H"):
        import_deals(tmp_path / name, tmp_path / "store", verified=2)
    assert not (tmp_path / "store").exists()


def test_imports_add_up_in_one_store(tmp_path):
    owner, tricks = shipped_store().sample(10, 2)
    write_jps(tmp_path / "a.db", owner[:6], tricks[:6])
    write_brl(tmp_path / "b.json", owner[6:], tricks[6:])
    import_deals(tmp_path / "a.db", tmp_path / "store", verified=1)
    store = import_deals(tmp_path / "b.json", tmp_path / "store", verified=1)
    assert (store.owner == owner).all()
    assert (store.tricks == tricks).all()
    assert store.manifest.sources == ("a.db", "b.json")
    with pytest.raises(StoreError, match="already imported"):
        import_deals(tmp_path / "b.json", tmp_path / "store", verified=0)
    with pytest.raises(StoreError, match="imported deals"):
        make(tmp_path / "store", 20, 1)
    make(tmp_path / "made", 1, 1)
    with pytest.raises(StoreError, match="seed 1"):
        import_deals(tmp_path / "b.json", tmp_path / "made", verified=0)
    assert len(Store(tmp_path / "store")) == 10


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.txt", b"", r"not \.txt"),
        ("a.npy", b"nonsense", r"a\.npy does not hold"),
        ("a.db", b"nonsense" * 100, r"a\.db does not hold"),
        ("a.json", b"[", r"a\.json does not hold"),
        ("a.json", b"[]", r"a\.json does not hold"),
        ("a.json", b'{"logs": []}', r"a\.json holds no"),
        ("a.json", b'{"logs": [{"deal": {}}]}', r"a\.json does not hold"),
        ("a.npz", b"PK", r"a\.npz is no file"),
    ],
)
def test_what_is_no_such_file_is_named(tmp_path, name, data, message):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(StoreError, match=message):
        read(tmp_path / name)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(StoreError, match="no file"):
        read(tmp_path / "nothing.npy")


def test_other_arrays_are_refused(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros((2, 3, 5), np.int32))
    with pytest.raises(StoreError, match="expected integers"):
        read(tmp_path / "a.npy")
    np.save(tmp_path / "a.npy", np.zeros((2, 3, 4), np.int32))
    with pytest.raises(StoreError, match="13 cards"):
        read(tmp_path / "a.npy")


def test_a_missing_card_is_found(tmp_path):
    owner, tricks = shipped_store().sample(1, 3)
    write_brl(tmp_path / "a.json", owner, tricks)
    boards = json.loads((tmp_path / "a.json").read_text())
    boards["logs"][0]["deal"]["N"].pop()
    (tmp_path / "a.json").write_text(json.dumps(boards))
    with pytest.raises(StoreError, match="13 cards"):
        read(tmp_path / "a.json")


def test_an_import_that_is_killed_leaves_no_deals_and_can_be_done_again(tmp_path, monkeypatch):
    owner, tricks = shipped_store().sample(30, 3)
    (tmp_path / "a.npz").write_bytes(pack(owner, tricks))
    monkeypatch.setattr(importers, "PER_FILE", 10)
    add_file, written = importers.add_file, []

    def dies_at_the_third(*arguments):
        if len(written) == 2:
            raise KeyboardInterrupt
        written.append(arguments)
        return add_file(*arguments)

    monkeypatch.setattr(importers, "add_file", dies_at_the_third)
    with pytest.raises(KeyboardInterrupt):
        importers.import_deals(tmp_path / "a.npz", tmp_path / "store", verified=0)
    assert len(Store(tmp_path / "store")) == 0
    monkeypatch.setattr(importers, "add_file", add_file)
    assert len(importers.import_deals(tmp_path / "a.npz", tmp_path / "store", verified=0)) == 30
