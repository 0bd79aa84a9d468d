"""The 96 symmetries: checked by solving the transformed deals."""

import numpy as np
import pytest

from cuebid.doubledummy import SYMMETRIES, shipped_store, solve_cells, transform
from cuebid.doubledummy.symmetry import INVERSES, PERMUTATIONS


def images(count, seed):
    """The first deals of the shipped store, each with all its images."""
    owner, tricks = shipped_store().sample(count, seed, symmetries=False)
    symmetry = np.tile(np.arange(SYMMETRIES), count)
    return transform(np.repeat(owner, SYMMETRIES, axis=0), np.repeat(tricks, SYMMETRIES, axis=0), symmetry)


def test_each_image_is_solved_correctly():
    owner, tricks = images(1, 5)
    rng = np.random.default_rng(1)
    cells = np.stack([np.arange(96), rng.integers(0, 5, 96), rng.integers(0, 4, 96)], axis=1)
    assert (solve_cells(owner, cells) == tricks[cells[:, 0], cells[:, 2], cells[:, 1]]).all()


def test_images_are_deals_and_all_different():
    owner, tricks = images(3, 6)
    assert owner.dtype == tricks.dtype == np.uint8
    assert ((owner[:, :, None] == np.arange(4)).sum(axis=1) == 13).all()
    assert len(np.unique(owner, axis=0)) == 3 * SYMMETRIES


def test_what_a_symmetry_means():
    owner, tricks = shipped_store().sample(1, 7, symmetries=False)
    moved, table = transform(owner, tricks, np.array([4 * 23 + 1]))
    assert PERMUTATIONS[23].tolist() == [3, 2, 1, 0]
    assert (moved.reshape(4, 13) == (owner.reshape(4, 13)[::-1] + 1) % 4).all()
    assert (table[0, 1] == tricks[0, 0, [3, 2, 1, 0, 4]]).all()


def test_symmetry_0_changes_nothing_and_inverses_undo():
    owner, tricks = images(2, 8)
    assert all(
        (a == b).all() for a, b in zip(transform(owner, tricks, np.zeros(192, int)), (owner, tricks), strict=True)
    )
    symmetry = np.random.default_rng(0).integers(0, SYMMETRIES, 192)
    there = transform(owner, tricks, symmetry)
    back = transform(*there, INVERSES[symmetry])
    assert (back[0] == owner).all()
    assert (back[1] == tricks).all()


def test_the_same_on_torch_tensors():
    torch = pytest.importorskip("torch")
    owner, tricks = shipped_store().sample(500, 9, symmetries=False)
    symmetry = np.random.default_rng(0).integers(0, SYMMETRIES, 500)
    ours = transform(owner, tricks, symmetry)
    theirs = transform(torch.tensor(owner), torch.tensor(tricks), torch.tensor(symmetry), xp=torch)
    for a, b in zip(ours, theirs, strict=True):
        assert b.dtype == torch.uint8
        assert (a == b.numpy()).all()
