"""The value network: what a deal will bring the caller's side, told more than any player knows."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from cuebid.learn.networks import Layers
from cuebid.networks import Architecture

TRICKS = 20 * 13


class Critic(nn.Module):
    """Reads the caller's 480 bits; with `sees_all` also the other hands, with `sees_tricks` the double dummy table.

    It only judges calls while the policy learns; nobody bids with it, so what it knows does no harm.
    """

    def __init__(self, width: int, sees_all: bool, sees_tricks: bool) -> None:
        super().__init__()
        self.bits, self.sees_tricks = (636 if sees_all else 480), sees_tricks
        self.layers = Layers(Architecture(self.bits + TRICKS * sees_tricks, 1, width, 4))

    def forward(self, bits: Tensor, tricks: Tensor) -> Tensor:
        """float32 [M]: the expected reward, from `Transitions.bits` and `.tricks`."""
        inputs = bits[:, : self.bits]
        if self.sees_tricks:
            least = torch.arange(1, 14, dtype=torch.uint8, device=tricks.device)
            inputs = torch.cat([inputs, (tricks[:, :, None] >= least).flatten(1).to(torch.uint8)], dim=1)
        with torch.autocast(bits.device.type, dtype=torch.bfloat16):
            worth: Tensor = self.layers(inputs.to(torch.bfloat16))
        return worth.float()[:, 0]
