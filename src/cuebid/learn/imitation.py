"""Corpora on the device: to learn from, or to stay close to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Self

import torch
from torch import Tensor, nn
from torch.nn import functional

from cuebid.learn.examples import Boards, Examples

ILLEGAL = -1e9
BIDS = slice(8, 428)
"""The bits of `encodings.policy` that tell who made, doubled and redoubled each bid."""


class Data:
    """Examples on the device, unpacked a batch at a time."""

    def __init__(self, examples: Examples, device: torch.device) -> None:
        self.bits = torch.from_numpy(examples.bits).to(device)
        self.legal = torch.from_numpy(examples.legal).to(device)
        self.call = torch.from_numpy(examples.call).to(device)
        self._shifts = torch.arange(7, -1, -1, dtype=torch.uint8, device=device)

    def __len__(self) -> int:
        return len(self.call)

    def batch(self, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Bits bfloat16 [B, 480], legal bool [B, 38], calls int64 [B]."""
        bits = self._unpacked(self.bits[rows]).to(torch.bfloat16)
        return bits, self._unpacked(self.legal[rows])[:, :38].bool(), self.call[rows].long()

    def _unpacked(self, packed: Tensor) -> Tensor:
        return ((packed[:, :, None] >> self._shifts) & 1).flatten(1)


class Corpus:
    """Auctions that a policy is to stay close to; the test part of each file is left out."""

    def __init__(self, data: Data, openings: float = 1.0) -> None:
        """Calls before anybody has bid count `openings` times as much as others."""
        self._data, self._openings = data, openings

    @classmethod
    def read(cls, paths: Sequence[str | Path], device: torch.device, openings: float = 1.0) -> Self:
        learned = Examples.joined([Examples.of(Boards.read(path).split()[0]) for path in paths])
        return cls(Data(learned, device), openings)

    TENSORS: ClassVar = 3
    """What `draw` gives and `compare` takes."""

    def draw(self, count: int, source: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
        """So many of its situations: bits, legal and the call made, as `Data.batch` has them."""
        rows = torch.randint(0, len(self._data), (count,), generator=source, device=self._data.call.device)
        return self._data.batch(rows)

    def compare(self, policy: nn.Module, bits: Tensor, legal: Tensor, call: Tensor) -> tuple[Tensor, Tensor]:
        """The policy's mean surprise at the calls made in these situations, and how often they are its choice."""
        chances = log_chances(policy, bits, legal)
        counts = torch.where(bits[:, BIDS].any(dim=1), 1.0, self._openings)
        surprise = (counts * functional.nll_loss(chances, call, reduction="none")).sum() / counts.sum()
        return surprise, (chances.detach().argmax(dim=1) == call).float().mean()


def log_chances(policy: nn.Module, bits: Tensor, legal: Tensor) -> Tensor:
    """float32 [B, 38], of all calls, illegal ones far below; computed in 16 bits, summed in 32."""
    with torch.autocast(bits.device.type, dtype=torch.bfloat16):
        scores: Tensor = policy(bits.to(torch.bfloat16))
    return functional.log_softmax(scores.float().masked_fill(~legal, ILLEGAL), dim=1)
