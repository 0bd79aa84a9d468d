"""Solved deals where the training is: drawn at random, each in one of its 96 images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

import numpy as np
import torch
from torch import Tensor

from cuebid.doubledummy import SYMMETRIES, Store, shipped_store, transform
from cuebid.game import BridgeError

Vulnerabilities = Literal["random", "none"]


def random_owners(count: int, source: torch.Generator) -> Tensor:
    """Random deals uint8 [count, 52], the seat that holds each card, where the generator is."""
    order = torch.rand(count, 52, generator=source, device=source.device).argsort(dim=1)
    return (order % 4).to(torch.uint8)


@dataclass(slots=True)
class Deals:
    """`N` deals, each to be bid at two tables."""

    owner: Tensor
    """uint8 [N, 52], the seat that holds each card."""
    tricks: Tensor
    """uint8 [N, 4, 5], by declarer and strain."""
    dealer: Tensor
    """int64 [N]."""
    vulnerability: Tensor
    """int64 [N], bit 0 North-South, bit 1 East-West."""
    strict: Tensor
    """bool [N], whether contracts that fail count as doubled: perfect defence."""

    def __len__(self) -> int:
        return len(self.owner)


class SolvedDeals:
    """All that a run may deal from, on its device."""

    def __init__(
        self, owner: Tensor, tricks: Tensor, vulnerability: Vulnerabilities = "random", perfect_defence: float = 0.0
    ) -> None:
        """`perfect_defence` is the share of the deals that are scored so."""
        if not len(owner):
            raise BridgeError("there are no solved deals to play")
        self.owner, self.tricks = owner, tricks
        self.vulnerability, self.perfect_defence = vulnerability, perfect_defence

    def __len__(self) -> int:
        return len(self.owner)

    @classmethod
    def read(
        cls, stores: Sequence[str | Path], device: torch.device, vulnerability: Vulnerabilities, validation: int
    ) -> tuple[Self, Self]:
        """The deals to train on and the last `validation` ones to watch it with; the shipped deals are in neither.

        Without stores the shipped deals are used after all: enough to try things, not to measure them.
        """
        if stores:
            read = [Store(path) for path in stores]
            owner, tricks = (np.concatenate([getattr(store, part) for store in read]) for part in ("owner", "tricks"))
            keep = ~shipped_store().knows(owner)
            owner, tricks = owner[keep], tricks[keep]
        else:
            owner, tricks = shipped_store().owner, shipped_store().tricks
        if len(owner) <= validation:
            raise BridgeError(f"{len(owner)} solved deals are too few when {validation} are for watching only")
        first, second = (
            cls(torch.from_numpy(owner[part]).to(device), torch.from_numpy(tricks[part]).to(device), vulnerability)
            for part in (slice(0, len(owner) - validation), slice(len(owner) - validation, None))
        )
        return first, second

    def add(self, owner: Tensor, tricks: Tensor) -> None:
        """More of them, uint8 [N, 52] and [N, 4, 5]."""
        self.owner, self.tricks = torch.cat([self.owner, owner]), torch.cat([self.tricks, tricks])

    def draw(self, count: int, generator: torch.Generator) -> Deals:
        """Deals drawn with replacement, with random dealers and, unless nobody is vulnerable, vulnerabilities."""

        def whole(below: int) -> Tensor:
            return torch.randint(0, below, (count,), generator=generator, device=self.owner.device)

        rows, symmetry = whole(len(self)), whole(SYMMETRIES)
        owner, tricks = transform(self.owner[rows], self.tricks[rows], symmetry, xp=torch)
        dealer, vulnerability = whole(4), whole(4)
        if self.vulnerability == "none":
            vulnerability = 0 * vulnerability
        strict = torch.rand(count, generator=generator, device=dealer.device) < self.perfect_defence
        return Deals(owner, tricks, dealer, vulnerability, strict)
