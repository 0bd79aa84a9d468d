"""Deals drawn card by card from chances, so that every hand gets its number of cards: no draw is ever thrown away.

The chances of hidden cards are independent but for one condition: everybody holds 13 cards. `Sampler` draws exactly
from that distribution. Working backwards from the last card it adds up, for every number of places still free in each
hand, the weight of all ways to fill them; forwards each card then goes to its holder with the right chance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]

LEAST = 1e-6
"""No odds are smaller, so that even the unlikeliest deal has a chance that can be computed."""
FITTED = 1e-3
"""Marginal chances are fitted until none is further off, …"""
ROUNDS = 30
"""… or so often."""


class Sampler:
    """`C` cards for three hands that have so many places each: P(deal) ∝ the product of its cards' odds."""

    def __init__(self, odds: npt.NDArray[np.floating[Any]], places: tuple[int, int, int]) -> None:
        """`odds` [C, 3] of each card to be in each hand, in any scale; `places` add up to C."""
        if odds.shape != (sum(places), 3):
            raise ValueError(f"{odds.shape[0]} cards for {sum(places)} places")
        self.places = places
        shares = odds / odds.sum(axis=1, keepdims=True)
        self.odds: Floats = np.maximum(shares, LEAST)
        self._ways = _ways(self.odds, places)
        self._log_total = float(np.log(self._ways[0, places[0], places[1]]))

    @classmethod
    def fitted(cls, chances: npt.NDArray[np.floating[Any]], places: tuple[int, int, int]) -> Sampler:
        """One whose deals have each card in each hand as often as `chances` [C, 3], in any scale, say.

        No deals have chances whose columns do not add up to `places`; those are balanced first, odds against odds.
        """
        wanted = _balanced(np.asarray(chances, dtype=np.float64), places)
        odds, sampler = wanted, cls(wanted, places)
        for _ in range(ROUNDS):
            marginal = sampler.marginal()
            if np.abs(marginal - wanted).max() < FITTED:
                break
            odds = odds * (wanted / np.maximum(marginal, LEAST))
            sampler = cls(odds, places)
        return sampler

    def draw(self, count: int, source: np.random.Generator) -> tuple[npt.NDArray[np.int8], Floats]:
        """Holders int8 [count, C] of the cards, 0 to 2, and the log chance float64 [count] of each deal."""
        cards = len(self.odds)
        holder = np.empty((cards, count), dtype=np.int8)
        first, second = (np.full(count, free) for free in self.places[:2])
        luck = source.random((cards, count))
        log_chance = np.full(count, -self._log_total)
        for card, odds in enumerate(self.odds):
            after = self._ways[card + 1]
            to_first = odds[0] * np.where(first > 0, after[first - 1, second], 0)
            to_second = odds[1] * np.where(second > 0, after[first, second - 1], 0)
            below = luck[card] * self._ways[card, first, second]
            where = (below >= to_first).astype(np.int8) + (below >= to_first + to_second)
            # What rounding leaves over at the upper end goes to somebody who has a place.
            full = (where == 2) & (cards - card - first - second <= 0)
            where = np.where(full, np.where(second > 0, 1, 0), where)
            holder[card] = where
            log_chance += np.log(odds)[where]
            first, second = first - (where == 0), second - (where == 1)
        return np.ascontiguousarray(holder.T), log_chance

    def marginal(self) -> Floats:
        """float64 [C, 3]: how often each card is in each hand."""
        before = np.zeros_like(self._ways[0])
        before[self.places[:2]] = 1
        chances = np.empty_like(self.odds)
        for card, odds in enumerate(self.odds):
            moved = _moves(before, odds)
            for hand in range(3):
                chances[card, hand] = (moved[hand] * self._ways[card + 1]).sum()
            before = sum(moved)
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def _balanced(chances: Floats, places: tuple[int, int, int]) -> Floats:
    """[C, 3] with the same odds ratios, rows that add up to 1 and columns that add up to `places`."""
    chances = chances / chances.sum(axis=1, keepdims=True)
    for _ in range(ROUNDS):
        chances = chances * (np.array(places) / np.maximum(chances.sum(axis=0), LEAST))
        chances = chances / chances.sum(axis=1, keepdims=True)
    return chances


def _ways(odds: Floats, places: tuple[int, int, int]) -> Floats:
    """[C + 1, places + 1, places + 1]: the weight of all ways to deal the cards from c on to hands with room for i and
    j, and for what is left in the third.
    """
    cards = len(odds)
    ways = np.zeros((cards + 1, places[0] + 1, places[1] + 1))
    ways[cards, 0, 0] = 1
    first, second = np.indices(ways.shape[1:])
    for card in reversed(range(cards)):
        after, now = ways[card + 1], ways[card]
        now[1:] += odds[card, 0] * after[:-1]
        now[:, 1:] += odds[card, 1] * after[:, :-1]
        third = cards - card - first - second
        now += np.where((third > 0) & (third <= places[2]), odds[card, 2] * after, 0)
    return ways


def _moves(before: Floats, odds: Floats) -> tuple[Floats, Floats, Floats]:
    """The weight of each number of free places after a card went to either hand."""
    first, second = np.zeros_like(before), np.zeros_like(before)
    first[:-1] = odds[0] * before[1:]
    second[:, :-1] = odds[1] * before[:, 1:]
    return first, second, odds[2] * before
