"""Steps of learning without the cost of starting each of their kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

Step = Callable[..., Sequence[Tensor]]

WARM_UP = 3
"""Calls before the recording, in which libraries choose their kernels and the optimizer makes its state."""


class Captured:
    """A function of tensors whose kernels are recorded once as a CUDA graph and then replayed.

    What it does besides, such as a step of the optimizer, happens at every call. It may not look at values: what
    changes from call to call comes in as a tensor. Inputs of other shapes than the recorded ones are worked out without
    the recording; one is made when the same shapes come several times in a row.
    """

    def __init__(self, step: Step) -> None:
        self._step, self._calls = step, 0
        self._shapes: list[torch.Size] = []
        self._graph: torch.cuda.CUDAGraph | None = None
        self._inputs: list[Tensor] = []
        self._outputs: Sequence[Tensor] = ()
        self._aside = torch.cuda.Stream()  # type: ignore[no-untyped-call]

    def __call__(self, *inputs: Tensor) -> Sequence[Tensor]:
        shapes = [one.shape for one in inputs]
        if self._graph is None:
            self._calls = self._calls + 1 if shapes == self._shapes else 1
            self._shapes = shapes
            if self._calls <= WARM_UP:
                return self._warm_up(inputs)
            self._record(inputs)
        if shapes != self._shapes:
            return self._warm_up(inputs)
        for held, new in zip(self._inputs, inputs, strict=True):
            held.copy_(new)
        assert self._graph is not None
        self._graph.replay()
        return [output.clone() for output in self._outputs]

    def _warm_up(self, inputs: Sequence[Tensor]) -> Sequence[Tensor]:
        self._aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self._aside):
            outputs = self._step(*inputs)
        torch.cuda.current_stream().wait_stream(self._aside)
        return outputs

    def _record(self, inputs: Sequence[Tensor]) -> None:
        self._inputs = [one.clone() for one in inputs]
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph):
            self._outputs = self._step(*self._inputs)
