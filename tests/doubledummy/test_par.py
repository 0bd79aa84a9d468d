"""Par of shipped deals against DDS's DealerPar, for every dealer and vulnerability."""

import ctypes

from endplay import _dds

from cuebid.doubledummy import shipped_store, table_of
from cuebid.game import Seat, Vulnerability, par

DDS_VULNERABILITY = (0, 2, 3, 1)  # none, NS, EW, both


def dds_par(tricks, dealer, vulnerability):
    table, result = _dds.ddTableResults(), _dds.parResultsMaster()
    for strain in range(5):
        for seat in Seat:
            table.resTable[4 if strain == 4 else 3 - strain][seat] = tricks[seat][strain]
    code = _dds._dll.DealerParBin(ctypes.byref(table), ctypes.byref(result), dealer, DDS_VULNERABILITY[vulnerability])
    assert code == 1
    return result


def test_par_scores_of_2000_tables():
    for number, tricks in enumerate(map(table_of, shipped_store().tricks[:2000])):
        for dealer in Seat if number < 100 else (Seat.N, Seat.E):  # only the dealer's side can matter
            for vulnerability in Vulnerability:
                ours, theirs = par(tricks, dealer, vulnerability), dds_par(tricks, dealer, vulnerability)
                assert ours.score == theirs.score, (tricks, dealer, vulnerability)
                named = {(found.level, 4 - found.denom) for found in theirs.contracts[: theirs.number] if found.level}
                assert named <= {(contract.level, contract.strain) for contract, _ in ours.contracts}
