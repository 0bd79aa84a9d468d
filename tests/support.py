"""Pieces that several tests share."""

from __future__ import annotations

import numpy as np
import pytest

from cuebid.vector import Array, Auctions


def random_calls(legal: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A legal call for each row of the mask [T, 38]: low bids, passes and doubles often, so that auctions are long."""
    weights = np.concatenate([[0.5, 0.3, 0.6], np.full(35, 0.25)])
    wish = np.cumsum(legal * weights, axis=1)
    wish[:, 3:] = wish[:, [2]] + np.cumsum(legal[:, 3:] * 0.6 ** np.cumsum(legal[:, 3:], axis=1), axis=1)
    return (rng.random((len(legal), 1)) * wish[:, [-1]] >= wish).sum(axis=1)


def random_start(tables: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Owners [T, 52], dealers [T] and vulnerabilities [T]."""
    owner = rng.permuted(np.tile(np.repeat(np.arange(4, dtype=np.uint8), 13), (tables, 1)), axis=1)
    return owner, rng.integers(0, 4, tables), rng.integers(0, 4, tables)


def as_torch(array: np.ndarray) -> Array:
    torch = pytest.importorskip("torch", reason="the vector room on Torch needs the extra [train]")
    return torch.from_numpy(array)


ARRAYS = [pytest.param(np.asarray, id="numpy"), pytest.param(as_torch, id="torch")]


def random_auctions(tables: int, seed: int) -> tuple[np.ndarray, Auctions]:
    """Finished auctions at that many tables, and the owners [T, 52]."""
    rng = np.random.default_rng(seed)
    owner, dealer, vulnerability = random_start(tables, rng)
    auctions = Auctions.start(dealer, vulnerability)
    while not auctions.over.all():
        legal = auctions.legal()
        legal[auctions.over, 0] = True
        auctions.step(random_calls(legal, rng))
    return owner, auctions
