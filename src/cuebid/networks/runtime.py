"""A network that runs: ONNX Runtime on the CPU, in 32-bit floats or in 8 bits."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, get_args

import numpy as np
import numpy.typing as npt

from cuebid.machine import cores
from cuebid.networks.architecture import Architecture, Floats, hand_counts
from cuebid.networks.onnx import Graph
from cuebid.networks.weights import Arrays, Card, Form, read

if TYPE_CHECKING:
    import onnxruntime

Bits = npt.NDArray[np.uint8]

MAY_CHANGE = 0.005
"""The share of calls that play in 8 bits may change."""
LARGEST_WEIGHT = 63
"""8-bit weights use seven bits: with more, processors without VNNI instructions overflow on the way."""
LOWEST_GELU = 0.17
"""GELU goes no lower than minus this."""


class Network:
    """Bits in, scores out. Rows do not influence each other: a row gets the same scores in any batch."""

    def __init__(self, arrays: Arrays, card: Card, form: Form | None = None, threads: int = 1) -> None:
        self.card = card
        self.form = form or card.play
        self._session = session(_model(card.layers, arrays, self.form == "int8"), threads)

    @classmethod
    def load(cls, path: str | Path, form: Form | None = None, threads: int = 1) -> Self:
        """From a weights file with its card."""
        return cls(*read(path), form, threads)

    def __call__(self, bits: Bits, batch: int = 1024) -> Floats:
        """Scores float32 [N, outputs] for bits uint8 [N, inputs]."""
        parts = [
            self._session.run(None, {"bits": bits[start : start + batch]})[0] for start in range(0, len(bits), batch)
        ]
        return np.concatenate(parts) if parts else np.empty((0, self.card.layers.outputs), np.float32)

    def chances(self, bits: Bits, legal: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        """A policy's chances of all calls, float64 [N, 38], zero where they are not `legal` [N, 38]."""
        scores = np.where(legal, self(bits).astype(np.float64), -np.inf)
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))

    def favourites(self, bits: Bits, legal: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """The legal calls, int64 [N] by number, that a policy likes best."""
        return np.asarray(np.where(legal, self(bits), -np.inf).argmax(axis=1))


def session(model: bytes, threads: int) -> onnxruntime.InferenceSession:
    """A model ready to run on so many cores."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def choose_form(
    arrays: Mapping[str, npt.NDArray[Any]], architecture: Architecture, bits: Bits, legal: npt.NDArray[np.bool_]
) -> tuple[Form, float]:
    """How a policy is to be played, and the share of calls that 8 bits change in these situations [N, …]."""
    stored = {name: array.astype(np.float16) for name, array in arrays.items()}
    card = Card("", "", architecture, "")
    exact, short = (
        np.where(legal, Network(stored, card, form, threads=cores())(bits), -np.inf).argmax(axis=1)
        for form in get_args(Form)
    )
    changed = float((exact != short).mean())
    return ("int8" if changed <= MAY_CHANGE else "fp32"), changed


def _model(architecture: Architecture, arrays: Arrays, int8: bool) -> bytes:
    graph = Graph({"bits": (np.uint8, architecture.inputs)}, "scores")
    layer = _Layers(graph, architecture, arrays, int8)
    signal = layer(0, layer.input())
    if architecture.kind == "mlp":
        for number in range(1, architecture.depth):
            signal = layer(number, signal)
    else:
        for number in range(1, architecture.depth, 2):
            signal = graph.add("Add", [signal, layer(number + 1, layer(number, signal))])
    layer(architecture.depth, signal, output="scores")
    return graph.model()


class _Layers:
    """Writes single layers into a graph."""

    def __init__(self, graph: Graph, architecture: Architecture, arrays: Arrays, int8: bool) -> None:
        self.graph, self.architecture, self.arrays, self.int8 = graph, architecture, arrays, int8

    def input(self) -> str:
        """The bits, with the features of the hand behind them; floats, or still bytes when played in 8 bits."""
        bits = "bits" if self.int8 else self.graph.add("Cast", ["bits"], to=1)
        if not self.architecture.hand_features:
            return bits
        weights, bias = (self.graph.constant(array) for array in hand_counts())
        own = self.graph.add("Cast", ["bits"], to=1) if self.int8 else bits
        counts = self.graph.add("Add", [self.graph.add("MatMul", [own, weights]), bias])
        features = self.graph.add("Clip", [counts, *map(self._scalar, (0.0, 1.0))])
        if self.int8:
            features = self.graph.add("Cast", [features], to=2)
        return self.graph.add("Concat", [bits, features], axis=1)

    def __call__(self, number: int, signal: str, output: str = "") -> str:
        weight = self.arrays[f"layers.{number}.weight"].astype(np.float32)
        bias = self.graph.constant(self.arrays[f"layers.{number}.bias"].astype(np.float32))
        last = number == self.architecture.depth
        name = output if last else ""
        if self.int8:
            signal = self._in_8_bits(number, signal, weight, bias, name)
        else:
            product = self.graph.add("MatMul", [signal, self.graph.constant(weight)])
            signal = self.graph.add("Add", [product, bias], output=name)
        if last:
            return signal
        return self.graph.add({"gelu": "Gelu", "relu": "Relu"}[self.architecture.activation], [signal])

    def _in_8_bits(self, number: int, signal: str, weight: Floats, bias: str, output: str) -> str:
        """One scale for the signal, known beforehand, and one for each neuron's weights.

        The first and the last layer, where small errors harm most, add a second matrix for what the first leaves over.
        """
        step, zero = 1.0, 0  # the first layer reads bits, which are whole numbers already
        if number:
            step = (float(self.arrays["ranges"][number]) + LOWEST_GELU) / 255
            zero = round(LOWEST_GELU / step)
        scale, zero_point = self._scalar(step), self.graph.constant(np.array(zero, dtype=np.uint8))
        if number:
            signal = self.graph.add("QuantizeLinear", [signal, scale, zero_point])
        matrices = 2 if number in (0, self.architecture.depth) else 1
        products, rest = [], weight
        for place in range(matrices):
            scales = (np.maximum(np.abs(rest).max(axis=0), 1e-8) / LARGEST_WEIGHT).astype(np.float32)
            whole = np.rint(rest / scales)
            rest = rest - whole * scales
            inputs = [
                signal,
                self.graph.constant(whole.astype(np.int8)),
                scale,
                self.graph.constant(scales),
                zero_point,
            ]
            inputs += ["", bias] if place == 0 else []
            name = output if matrices == 1 else ""
            products.append(self.graph.add("MatMulIntegerToFloat", inputs, domain="com.microsoft", output=name))
        return products[0] if matrices == 1 else self.graph.add("Add", products, output=output)

    def _scalar(self, value: float) -> str:
        return self.graph.constant(np.array(value, dtype=np.float32))
