"""Pieces that several tests share."""

from __future__ import annotations

import numpy as np
import pytest

from cuebid import Deal
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


def random_estimator(path):
    """A small untrained network of tricks, on disk with its card."""
    import torch

    from cuebid import networks
    from cuebid.learn.tricks import TricksNetwork

    torch.manual_seed(0)
    network = TricksNetwork(networks.TricksArchitecture(width=8, blocks=2))
    networks.write(path, network.arrays(), {"name": path.stem, "purpose": "", "architecture": network.architecture})
    return str(path)


def small_corpus(path, boards, seed=0):
    """Auctions of a bidder with one idea: bid one of the longest suit with 12 points, unless somebody has bid."""
    from cuebid.doubledummy import random_deals
    from cuebid.doubledummy.store import random_bits

    owner = random_deals(seed, 0, boards)
    bits = random_bits(seed, 9, boards)
    calls = np.full((boards, 8), -1, dtype=np.int8)
    for row in range(boards):
        deal, dealer, made = Deal.from_owner(owner[row].tolist()), int(bits[row] & 3), []
        for step in range(4):
            hand = deal[(dealer + step) % 4]
            if hand.hcp >= 12:
                made.append(3 + max(range(4), key=lambda suit: (hand.length(suit), suit)))
                made += [0, 0, 0]
                break
            made.append(0)
        calls[row, : len(made)] = made
    vulnerable = np.stack([bits >> 2 & 1, bits >> 3 & 1], axis=1).astype(bool)
    np.savez(path, owner=owner, dealer=(bits & 3).astype(np.uint8), vul=vulnerable, calls=calls)
    return path
