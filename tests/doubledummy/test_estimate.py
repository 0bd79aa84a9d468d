"""Estimated tricks: what ONNX Runtime computes is what was trained, and it is asked for like the exact ones."""

import numpy as np
import pytest

from cuebid import networks
from cuebid.doubledummy import SYMMETRIES, Estimate, SolverError, shipped_store, transform
from cuebid.networks import TricksArchitecture, WeightsError

ARCHITECTURE = TricksArchitecture(width=12, blocks=3)


@pytest.fixture
def weights(tmp_path):
    """A network whose chances differ much from deal to deal."""
    rng = np.random.default_rng(1)
    arrays = {name: rng.normal(0, 0.4, shape) for name, shape in ARCHITECTURE.shapes.items()}
    networks.write(tmp_path / "tricks.npz", arrays, {"name": "tricks", "purpose": "", "architecture": ARCHITECTURE})
    return tmp_path / "tricks.npz"


def test_torch_and_onnx_agree(weights):
    torch = pytest.importorskip("torch", reason="training needs the extra [train]")
    from cuebid.learn import tricks

    owner = shipped_store().owner[:200]
    network = tricks.load(str(weights), torch.device("cpu"))
    expected = network(torch.from_numpy(owner)).softmax(dim=-1).detach().numpy()
    told = Estimate(weights).chances(owner)
    assert np.abs(told - expected).max() < 1e-5
    assert np.ptp(told, axis=0).max() > 0.2, "different deals, different answers"


def test_it_answers_like_the_exact_solver(weights):
    estimate, owner = Estimate(weights), shipped_store().owner[:100]
    tables = estimate.tables(owner)
    assert tables.shape == (100, 4, 5)
    assert tables == pytest.approx(estimate.chances(owner) @ np.arange(14), abs=1e-4)
    cells = np.array([[7, 4, 2], [99, 0, 3], [7, 4, 2], [0, 1, 0]])
    expected = [tables[deal, declarer, strain] for deal, strain, declarer in cells]
    assert estimate.cells(owner, cells) == pytest.approx(expected, abs=1e-5)
    assert estimate.tables(owner[:0]).shape == (0, 4, 5)
    with pytest.raises(SolverError, match="13 cards"):
        estimate.cells(np.zeros((1, 52), np.uint8), np.array([[0, 0, 0]]))


def test_the_same_in_any_company_and_in_every_image(weights):
    estimate, owner = Estimate(weights), shipped_store().owner[:70]
    together = estimate.tables(owner)
    assert np.concatenate([estimate.tables(one[None]) for one in owner]) == pytest.approx(together, abs=1e-5)
    for symmetry in range(0, SYMMETRIES, 5):
        moved, expected = transform(owner, together, np.full(70, symmetry))
        assert estimate.tables(moved) == pytest.approx(expected, abs=1e-4)


def test_a_policy_estimates_nothing():
    from cuebid.agents.load import weights_path

    with pytest.raises(WeightsError, match="does not estimate tricks"):
        Estimate(weights_path("sayc-sl"))


def test_drawn_tables_come_as_often_as_the_chances_say(weights):
    """A thousand times the same deal: each cell's counts are as frequent as its chances; the sides share the luck."""
    estimate = Estimate(weights)
    owner = shipped_store().owner[:1]
    luck = (np.arange(1000) + 0.5) / 1000
    drawn = estimate.drawn(np.repeat(owner, 1000, axis=0), luck)
    found = (drawn[..., None] == np.arange(14)).mean(axis=0)
    assert found == pytest.approx(estimate.chances(owner)[0], abs=2e-3)
    assert (np.diff(drawn[:, 0, 0].astype(int)) >= 0).all()
    assert (np.diff(drawn[:, 1, 0].astype(int)) <= 0).all()
