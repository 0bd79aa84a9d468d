"""The value network: what a deal will bring the caller's side, told more than any player knows."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from cuebid.game.scoring import IMP_STEPS
from cuebid.learn.networks import Layers
from cuebid.learn.rollout import Transitions
from cuebid.networks import Architecture

TRICKS = 20 * 13
LEVELS = tuple(-step for step in reversed(IMP_STEPS)) + IMP_STEPS
"""Scores that are told apart."""


class Critic(nn.Module):
    """Reads the caller's 480 bits; with `sees_all` also the other hands, with `sees_tricks` the double dummy table,
    with `sees_others` what the deal scored at the tables it is compared with.

    It only judges calls while the policy learns; nobody bids with it, so what it knows does no harm.
    """

    least: Tensor
    levels: Tensor

    def __init__(self, width: int, sees_all: bool, sees_tricks: bool, sees_others: bool) -> None:
        super().__init__()
        self.bits, self.sees_tricks, self.sees_others = (636 if sees_all else 480), sees_tricks, sees_others
        inputs = self.bits + TRICKS * sees_tricks + len(LEVELS) * sees_others
        self.layers = Layers(Architecture(inputs, 1, width, 4))
        self.register_buffer("least", torch.arange(1, 14, dtype=torch.uint8), persistent=False)
        self.register_buffer("levels", torch.tensor(LEVELS, dtype=torch.int16), persistent=False)

    def forward(self, seen: Transitions) -> Tensor:
        """float32 [M]: the expected reward."""
        inputs = [seen.bits[:, : self.bits].to(torch.bfloat16)]
        if self.sees_tricks:
            inputs.append((seen.tricks[:, :, None] >= self.least).flatten(1).to(torch.bfloat16))
        if self.sees_others:
            inputs.append((seen.others[:, :, None] >= self.levels).to(torch.bfloat16).mean(dim=1))
        with torch.autocast(seen.bits.device.type, dtype=torch.bfloat16):
            worth: Tensor = self.layers(torch.cat(inputs, dim=1))
        return worth.float()[:, 0]
