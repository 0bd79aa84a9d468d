"""The networks of `cuebid.networks` in Torch, to be trained."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from cuebid import networks
from cuebid.agents.load import weights_path
from cuebid.networks import Architecture
from cuebid.networks.architecture import Floats, hand_counts
from cuebid.networks.weights import Arrays

TILE = 8
"""A layer that reads a multiple of so many 16-bit numbers is several times faster on a GPU; others are padded."""


class Linear(nn.Linear):
    """A fully connected layer, its inputs padded with zeros to a multiple of `TILE`."""

    def forward(self, signal: Tensor) -> Tensor:
        missing = -self.in_features % TILE
        if not missing:
            return super().forward(signal)
        weight = functional.pad(self.weight, (0, missing))
        return functional.linear(functional.pad(signal, (0, missing)), weight, self.bias)


class Layers(nn.Module):
    """A stack of fully connected layers: scores [B, outputs] from bits [B, inputs] (floats 0 or 1)."""

    count_weight: Tensor
    count_bias: Tensor

    def __init__(self, architecture: Architecture, dropout: float = 0.0) -> None:
        super().__init__()
        self.architecture = architecture
        self.dropout = dropout
        self.layers = nn.ModuleList(Linear(*sizes) for sizes in architecture.layers)
        if architecture.hand_features:
            weight, bias = map(torch.from_numpy, hand_counts())
            self.register_buffer("count_weight", weight, persistent=False)
            self.register_buffer("count_bias", bias, persistent=False)

    def forward(self, bits: Tensor) -> Tensor:
        signal = self._hidden(0, self._input(bits))
        depth = self.architecture.depth
        if self.architecture.kind == "mlp":
            for number in range(1, depth):
                signal = self._hidden(number, signal)
        else:
            for number in range(1, depth, 2):
                signal = signal + self._hidden(number + 1, self._hidden(number, signal))
        scores: Tensor = self._layer(depth)(signal)
        return scores

    def _layer(self, number: int) -> Linear:
        layer = self.layers[number]
        assert isinstance(layer, Linear)
        return layer

    def _input(self, bits: Tensor) -> Tensor:
        if not self.architecture.hand_features:
            return bits
        counts = bits[:, :480] @ self.count_weight.to(bits.dtype) + self.count_bias.to(bits.dtype)
        return torch.cat([bits, counts.clamp(0, 1)], dim=1)

    def _hidden(self, number: int, signal: Tensor) -> Tensor:
        signal = self._layer(number)(signal)
        signal = functional.gelu(signal) if self.architecture.activation == "gelu" else functional.relu(signal)
        return functional.dropout(signal, self.dropout, self.training) if self.dropout else signal

    def arrays(self) -> dict[str, Floats]:
        """The weights as they are stored (see `networks.weights`), without the ranges."""
        stored = {}
        for number in range(len(self.layers)):
            layer = self._layer(number)
            stored[f"layers.{number}.weight"] = layer.weight.detach().float().cpu().numpy().T
            stored[f"layers.{number}.bias"] = layer.bias.detach().float().cpu().numpy()
        return stored

    def take(self, arrays: Arrays) -> None:
        """Go on from stored weights."""
        with torch.no_grad():
            for number in range(len(self.layers)):
                layer = self._layer(number)
                layer.weight.copy_(torch.from_numpy(arrays[f"layers.{number}.weight"].astype(np.float32).T))
                layer.bias.copy_(torch.from_numpy(arrays[f"layers.{number}.bias"].astype(np.float32)))


def policy(name: str) -> Layers:
    """A trained policy: a shipped name or a weights file."""
    arrays, card = networks.read(weights_path(name))
    layers = Layers(card.layers)
    layers.take(arrays)
    return layers


@torch.no_grad()
def ranges(network: Layers, bits: Tensor) -> Floats:
    """float32 [layers]: the largest input each layer sees on these bits [N, inputs], but for one value in 10,000."""
    largest: list[float] = [0.0] * len(network.layers)

    def watch(number: int) -> None:
        def look(_module: nn.Module, inputs: tuple[Tensor, ...]) -> None:
            seen = inputs[0].float().flatten()
            rank = max(1, round(seen.numel() * 0.9999))
            largest[number] = float(seen.kthvalue(rank).values)

        hooks.append(network.layers[number].register_forward_pre_hook(look))

    hooks: list[torch.utils.hooks.RemovableHandle] = []
    for number in range(len(network.layers)):
        watch(number)
    network.eval()
    network(bits.float())
    for hook in hooks:
        hook.remove()
    return np.array(largest, dtype=np.float32)
