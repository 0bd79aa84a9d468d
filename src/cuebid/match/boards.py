"""The boards of a match, fixed before it is played."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from cuebid.doubledummy import Store, random_deals, shipped_store
from cuebid.doubledummy.store import random_bits
from cuebid.game import BridgeError, Seat, Vulnerability

Bytes = npt.NDArray[np.uint8]
SHIPPED = "shipped"
_DEALER_AND_VULNERABILITY = 4  # the stream of a seed that these come from


@dataclass(frozen=True, slots=True)
class MatchBoards:
    """`N` boards: deals, dealers and vulnerabilities, and the store that knows their tricks, if any."""

    owner: Bytes
    """[N, 52], the seat that holds each card."""
    dealer: Bytes
    """[N]."""
    vulnerability: Bytes
    """[N]."""
    source: str
    """Where they come from, for the record."""
    store: Store | None = None

    def __len__(self) -> int:
        return len(self.owner)

    def __getitem__(self, rows: slice) -> Self:
        parts = (self.owner[rows], self.dealer[rows], self.vulnerability[rows])
        return type(self)(*parts, self.source, self.store)

    @classmethod
    def random(
        cls, count: int, seed: int, dealer: Seat | None = None, vulnerability: Vulnerability | None = None
    ) -> Self:
        """Random deals; dealer and vulnerability random too unless they are given."""
        return cls(random_deals(seed, 0, count), *_conditions(count, seed, dealer, vulnerability), f"seed {seed}")

    @classmethod
    def read(
        cls,
        path: str | Path,
        seed: int = 0,
        dealer: Seat | None = None,
        vulnerability: Vulnerability | None = None,
        count: int | None = None,
    ) -> Self:
        """The first `count` boards of a PBN, LIN or OpenSpiel file, or deals of a store (`shipped`: ours).

        A store's dealers and vulnerabilities come from the seed; a file's are its own. Either can be given instead.
        """
        path = Path(path)
        if path.suffix.lower() in (".pbn", ".lin", ".txt"):
            return cls._of_file(path, dealer, vulnerability, count)
        store = shipped_store() if str(path) == SHIPPED else Store(path)
        owner = store.owner[:count]
        conditions = _conditions(len(owner), seed, dealer, vulnerability)
        return cls(owner, *conditions, f"{path.name}, seed {seed}", store)

    @classmethod
    def _of_file(cls, path: Path, dealer: Seat | None, vulnerability: Vulnerability | None, count: int | None) -> Self:
        from cuebid import formats

        rows = []
        for place, board in enumerate(list(formats.read(path))[:count], start=1):
            if board.deal is None:
                raise BridgeError(f"{path}: board {board.number or place} has an unknown hand")
            dealt = dealer if dealer is not None else board.dealer
            vulnerable = vulnerability if vulnerability is not None else board.vulnerability
            if dealt is None or vulnerable is None:
                raise BridgeError(f"{path}: board {board.number or place} does not say who dealt or who is vulnerable")
            rows.append((board.deal.owner, dealt, vulnerable))
        if not rows:
            raise BridgeError(f"{path} has no boards")
        owner, dealers, vulnerabilities = (np.array([row[part] for row in rows], dtype=np.uint8) for part in range(3))
        return cls(owner, dealers, vulnerabilities, path.name)


def _conditions(count: int, seed: int, dealer: Seat | None, vulnerability: Vulnerability | None) -> tuple[Bytes, Bytes]:
    bits = random_bits(seed, _DEALER_AND_VULNERABILITY, count)
    dealers = (bits & 3).astype(np.uint8) if dealer is None else np.full(count, dealer, dtype=np.uint8)
    vulnerable = (bits >> 2 & 3).astype(np.uint8)
    return dealers, vulnerable if vulnerability is None else np.full(count, vulnerability, dtype=np.uint8)
