"""Makes `endplay-tables.npz`: full tables of 200 deals by endplay's DDS. Run it as `python endplay_tables.py`."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import numpy.typing as npt
from endplay import _dds

from cuebid.doubledummy import random_deals

FILE = Path(__file__).with_name("endplay-tables.npz")
SEED = 200


def tables(owner: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Tricks [N, 4, 5] by DDS's CalcAllTables, 40 deals a call."""
    tricks = np.zeros((len(owner), 4, 5), dtype=np.uint8)
    for start in range(0, len(owner), 40):
        part = owner[start : start + 40]
        deals, results, par = _dds.ddTableDeals(), _dds.ddTablesRes(), _dds.allParResults()
        deals.noOfTables = len(part)
        for row, deal in enumerate(part.tolist()):
            for card, seat in enumerate(deal):
                deals.ddTableDeal[row].cards[seat][3 - card // 13] |= 1 << (card % 13 + 2)
        _dds.CalcAllTables(deals, -1, (ctypes.c_int * 5)(0, 0, 0, 0, 0), results, par)
        for row in range(len(part)):
            for strain in range(5):
                by_seat = results.results[row].resTable[4 if strain == 4 else 3 - strain]
                tricks[start + row, :, strain] = list(by_seat)
    return tricks


if __name__ == "__main__":
    owner = random_deals(SEED, 0, 200)
    np.savez_compressed(FILE, owner=owner, tricks=tables(owner))
