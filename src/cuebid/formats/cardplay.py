"""Who played which card, and who won the tricks."""

from __future__ import annotations

from collections.abc import Sequence

from cuebid.game import Card, Contract, Seat

Trick = list[tuple[Seat, Card]]


def winner(trick: Trick, contract: Contract) -> Seat:
    """Who wins a full trick."""
    led = trick[0][1].suit

    def strength(played: tuple[Seat, Card]) -> tuple[bool, bool, int]:
        card = played[1]
        return card.suit == contract.strain.suit, card.suit == led, card.rank

    return max(trick, key=strength)[0]


def tricks(cards: Sequence[Card], contract: Contract) -> list[Trick]:
    """Cards in the order played, by trick, each with its player; the last trick may be short."""
    leader = contract.declarer.lho
    found = []
    for start in range(0, len(cards), 4):
        trick = [(leader + place, card) for place, card in enumerate(cards[start : start + 4])]
        found.append(trick)
        if len(trick) == 4:
            leader = winner(trick, contract)
    return found


def next_player(cards: Sequence[Card], contract: Contract) -> Seat:
    """Who plays next."""
    made = tricks(cards, contract)
    if not made:
        return contract.declarer.lho
    return winner(made[-1], contract) if len(made[-1]) == 4 else made[-1][-1][0].lho


def taken(cards: Sequence[Card], contract: Contract) -> int | None:
    """The declaring side's tricks, once all the cards are played."""
    if len(cards) < 52:
        return None
    side = contract.declarer.side
    return sum(winner(trick, contract).side == side for trick in tricks(cards, contract))
