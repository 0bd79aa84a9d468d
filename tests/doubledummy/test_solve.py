"""Exact tricks against endplay's own full tables, however they are asked for."""

import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest

from cuebid.doubledummy import Exact, SolverError, Tricks, owner_of, random_deals, shipped_store, solve, solve_cells
from cuebid.doubledummy import dds as dds_module
from cuebid.doubledummy.dds import Library, hands_of
from cuebid.game import Deal, Seat, Vulnerability, par

HERE = Path(__file__).parent
ALL_CELLS = np.stack(np.meshgrid(np.arange(5), np.arange(4), indexing="ij"), axis=-1).reshape(-1, 2)


def cells_of(deals: int) -> np.ndarray:
    """Every cell of that many deals: [20 N, 3]."""
    return np.concatenate([np.repeat(np.arange(deals), 20)[:, None], np.tile(ALL_CELLS, (deals, 1))], axis=1)


def test_200_deals_of_20_cells_equal_endplays_full_tables():
    stored = np.load(HERE / "endplay-tables.npz")
    owner, tricks = stored["owner"], stored["tricks"]
    cells = np.random.default_rng(0).permutation(cells_of(200))
    exact = Exact()
    seen = []
    assert (
        exact.cells(owner, cells, lambda done, total: seen.append((done, total)))
        == tricks[cells[:, 0], cells[:, 2], cells[:, 1]]
    ).all()
    assert exact.solved == 4000
    assert seen == sorted(seen)
    assert seen[-1] == (4000, 4000)


def test_the_stored_tables_are_endplays():
    spec = spec_from_file_location("endplay_tables", HERE / "endplay_tables.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    stored = np.load(module.FILE)
    assert (stored["owner"] == random_deals(module.SEED, 0, 200)).all()
    assert (module.tables(stored["owner"][:8]) == stored["tricks"][:8]).all()


def test_any_order_duplicates_and_threads_give_the_same():
    owner, tricks = shipped_store().sample(6, 1)
    rng = np.random.default_rng(2)
    cells = np.stack([rng.integers(0, 6, 60), rng.integers(0, 5, 60), rng.integers(0, 4, 60)], axis=1)
    right = tricks[cells[:, 0], cells[:, 2], cells[:, 1]]
    for cores in (1, 2, None):
        exact = Exact(cores)
        assert (exact.cells(owner, cells) == right).all()
        assert exact.solved == len(np.unique(cells, axis=0))
        assert (exact.cells(owner, cells[::-1]) == right[::-1]).all()
        assert exact.solved == len(np.unique(cells, axis=0)), "answers are remembered"


def test_only_the_cells_asked_for_are_solved():
    exact = Exact(1)
    owner = random_deals(5, 0, 2)
    one = exact.cells(owner, np.array([[1, 4, 2]]))
    assert exact.solved == 1
    table = exact.tables(owner)
    assert exact.solved == 40
    assert table.shape == (2, 4, 5)
    assert table[1, 2, 4] == one[0]
    assert exact.cells(owner, np.empty((0, 3), int)).shape == (0,)
    assert exact.tables(owner[:0]).shape == (0, 4, 5)
    assert exact.solved == 40


def test_the_memory_is_bounded():
    exact = Exact(1, remembered=1)
    owner = random_deals(5, 0, 2)
    for cell in ([0, 4, 0], [1, 4, 0], [0, 4, 0], [0, 4, 0]):
        exact.cells(owner, np.array([cell]))
    assert exact.solved == 3
    assert len(exact._memory) == 1


def test_known_deals_are_looked_up_in_all_their_images():
    exact = Exact(1, known=shipped_store())
    owner, tricks = shipped_store().sample(300, 3)
    assert (exact.tables(owner) == tricks).all()
    assert exact.solved == 0


def test_the_exact_solver_is_a_source_of_tricks():
    source: Tricks = Exact()
    assert source.cells(random_deals(0, 0, 1), np.array([[0, 4, 0]])).shape == (1,)


def test_a_deal_in_full():
    deal = Deal("N:AKQ2.AKQ.AKQ.AKQ JT98.JT9.JT9.JT9 7654.876.876.876 3.5432.5432.5432")
    solution = solve(deal, Seat.S, Vulnerability.BOTH)
    assert solution.tricks[0] == solution.tricks[2]
    assert solution.par == par(solution.tricks, Seat.S, Vulnerability.BOTH)
    assert solution.par.score > 0
    assert Deal.from_owner(owner_of([deal])[0].tolist()) == deal


@pytest.mark.parametrize(
    ("owner", "cells", "message"),
    [
        (random_deals(0, 0, 1), [[1, 0, 0]], "below 1"),
        (random_deals(0, 0, 1), [[0, 5, 0]], "strain"),
        (random_deals(0, 0, 1), [[0, 0, -1]], "declarer"),
        (random_deals(0, 0, 1), [0, 0, 0], "expected"),
        (random_deals(0, 0, 1)[:, :51], [[0, 0, 0]], "expected"),
        (np.zeros((1, 52), np.uint8), [[0, 0, 0]], "13 cards"),
    ],
)
def test_wrong_questions_are_refused(owner, cells, message):
    with pytest.raises(SolverError, match=message):
        solve_cells(owner, np.array(cells))


def test_cores_must_be_there():
    with pytest.raises(SolverError, match="one core"):
        Exact(-1)


def test_hands_in_the_form_of_dds():
    deal = Deal("N:AK2.Q.JT98.76543 3.AKJ32.AKQ2.AKQ QJT98.T987.76.JT 7654.654.543.982")
    hands = hands_of(owner_of([deal]))
    assert hands.shape == (1, 4, 4)
    assert hands[0, 0].tolist() == [1 << 14 | 1 << 13 | 1 << 2, 1 << 12, 0xF00, 0xF8]
    assert np.bitwise_or.reduce(hands, axis=1).tolist() == [[0x7FFC] * 4]


def test_a_missing_library_is_explained(monkeypatch, tmp_path):
    monkeypatch.setenv("CUEBID_DDS", str(tmp_path / "none.so"))
    with pytest.raises(SolverError, match="CUEBID_DDS names"):
        dds_module.library_path()
    (tmp_path / "none.so").write_bytes(b"not a library")
    with pytest.raises(SolverError, match="cannot be loaded"):
        Library(tmp_path / "none.so")
    monkeypatch.delenv("CUEBID_DDS")
    monkeypatch.setattr(dds_module.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SolverError, match="pip install endplay"):
        dds_module.library_path()


def test_importing_brings_no_solver():
    code = (
        "import sys, cuebid.doubledummy as d; d.shipped_store().sample(2, 1); from cuebid.doubledummy.dds import _load;"
        "assert not {'endplay', 'matplotlib', 'torch'} & set(sys.modules); assert not _load.cache_info().currsize;"
        "d.solve_cells(d.random_deals(1, 0, 1), [[0, 4, 0]]); assert 'endplay' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
