"""What records of arrays, a row a table, have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, Self

from array_api_compat import array_namespace

Array = Any
"""A NumPy array or a Torch tensor."""


class Tables:
    """A dataclass of arrays, all of which have a row for each table."""

    __slots__ = ()

    def select(self, index: Array) -> Self:
        """A copy of these tables alone: indices or a mask."""
        return type(self)(*(part[index] for part in _arrays(self)))

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The tables of all these, one after the other."""
        columns = list(zip(*map(_arrays, parts), strict=True))
        xp = array_namespace(columns[0][0])
        return cls(*map(xp.concat, map(list, columns)))


def _arrays(tables: Any) -> list[Array]:
    return [getattr(tables, field.name) for field in fields(tables)]
