"""ONNX models written by hand: the few fields of its protocol buffers that a stack of layers needs.

The package `onnx` would do the same for 15 MB more to install. Field numbers are those of the ONNX specification.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

_TYPES = {np.dtype(np.float32): 1, np.dtype(np.uint8): 2, np.dtype(np.int8): 3, np.dtype(np.int64): 7}
_IR_VERSION = 8
_OPSETS = (("", 20), ("com.microsoft", 1))


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes | str) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(data)) + data


class Graph:
    """A model in the making: constants and operations, named as they come."""

    def __init__(self, inputs: dict[str, tuple[Any, int]], output: str) -> None:
        """`inputs` are (type, width) of rows; `output` is the name of the float rows that come out."""
        self._parts: list[bytes] = []
        self._inputs, self._output = inputs, output
        self._count = 0

    def constant(self, array: npt.NDArray[Any]) -> str:
        name = self._fresh("constant")
        array = np.ascontiguousarray(array)
        tensor = b"".join(_number(1, size) for size in array.shape)
        tensor += _number(2, _TYPES[array.dtype]) + _bytes(8, name) + _bytes(9, array.tobytes())
        self._parts.append(_bytes(5, tensor))
        return name

    def add(self, operation: str, inputs: Sequence[str], *, domain: str = "", output: str = "", **numbers: int) -> str:
        """An operation on named values; whole-number attributes by name. Returns the name of what comes out."""
        output = output or self._fresh(operation.lower())
        node = b"".join(_bytes(1, name) for name in inputs) + _bytes(2, output) + _bytes(4, operation)
        for name, value in numbers.items():
            node += _bytes(5, _bytes(1, name) + _number(3, value) + _number(20, 2))
        if domain:
            node += _bytes(7, domain)
        self._parts.append(_bytes(1, node))
        return output

    def model(self) -> bytes:
        """The serialised model."""
        graph = b"".join(self._parts) + _bytes(2, "cuebid")
        for name, (kind, width) in self._inputs.items():
            graph += _bytes(11, _value(name, _TYPES[np.dtype(kind)], width))
        graph += _bytes(12, _value(self._output, 1, 0))
        opsets = b"".join(_bytes(8, _bytes(1, domain) + _number(2, version)) for domain, version in _OPSETS)
        return _number(1, _IR_VERSION) + _bytes(7, graph) + opsets

    def _fresh(self, stem: str) -> str:
        self._count += 1
        return f"{stem}_{self._count}"


def _value(name: str, kind: int, width: int) -> bytes:
    """Rows of that width (0: unknown)."""
    columns = _number(1, width) if width else _bytes(2, "outputs")
    shape = _bytes(1, _bytes(2, "rows")) + _bytes(1, columns)
    return _bytes(1, name) + _bytes(2, _bytes(1, _number(1, kind) + _bytes(2, shape)))
