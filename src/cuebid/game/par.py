"""Par: the result when all four players see all the cards and make no mistake."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cuebid.game.calls import BIDS, Call, Strain
from cuebid.game.contract import Contract
from cuebid.game.seats import Seat, Side, Vulnerability


@dataclass(frozen=True, slots=True)
class Par:
    """`score` is North-South's; `contracts` are all that reach it, with the tricks each takes; empty when all pass."""

    score: int
    contracts: tuple[tuple[Contract, int], ...]


def par(tricks: Sequence[Sequence[int]], dealer: Seat, vulnerability: Vulnerability) -> Par:
    """Par from a double dummy table: `tricks[declarer][strain]`, seats N E S W, strains C D H S NT.

    The side that opens the auction is the dealer's, which matters only when both sides can make the same contract.
    """
    signs = {Side.NS: 1, Side.EW: -1}
    final = {}  # (bid, side) -> North-South's score when the opponents let it stand, doubled if that is better for them
    value = {}  # (bid, side) -> North-South's score after this bid, with best calls from both sides
    best_reply = {Side.NS: 10**6, Side.EW: -(10**6)}  # best for the opponents of this side over all higher bids
    for bid in reversed(BIDS):
        for side in Side:
            final[bid, side] = signs[side] * _stands(tricks, bid.level, bid.strain, side, vulnerability)
            value[bid, side] = _better(side.other, final[bid, side], best_reply[side])
        for side in Side:
            best_reply[side.other] = _better(side, best_reply[side.other], value[bid, side])
    first = dealer.side
    score = _better(first, _better(first.other, 0, best_reply[first]), best_reply[first.other])
    contracts = [
        (contract, tricks[contract.declarer][contract.strain])
        for (bid, side), reached in final.items()
        if score and reached == score == value[bid, side] and _worth_bidding(bid, side, final, score)
        for contract in _contracts(tricks, bid.level, bid.strain, side)
    ]
    contracts.sort(key=lambda found: (found[0].bid, found[0].declarer))
    return Par(score, tuple(contracts))


def _worth_bidding(bid: Call, side: Side, final: dict[tuple[Call, Side], int], score: int) -> bool:
    """Whether a contract makes, or is a save above all that the other side would rather play."""
    if (final[bid, side] > 0) == (side == Side.NS):
        return True
    saved_from = [other for other in BIDS if _better(side, final[other, side.other], score) != final[other, side.other]]
    return bool(saved_from) and saved_from[-1] < bid


def _better(side: Side, one: int, other: int) -> int:
    """The North-South score that this side prefers."""
    return max(one, other) if side == Side.NS else min(one, other)


def _contracts(tricks: Sequence[Sequence[int]], level: int, strain: Strain, side: Side) -> list[Contract]:
    """The side's best declarers of a bid, doubled when it fails."""
    seats = (Seat(side), Seat(side + 2))
    best = max(tricks[seat][strain] for seat in seats)
    return [Contract(level, strain, seat, int(best < level + 6)) for seat in seats if tricks[seat][strain] == best]


def _stands(
    tricks: Sequence[Sequence[int]], level: int, strain: Strain, side: Side, vulnerability: Vulnerability
) -> int:
    contract = _contracts(tricks, level, strain, side)[0]
    return contract.score(tricks[contract.declarer][strain], vulnerability.includes(side))
