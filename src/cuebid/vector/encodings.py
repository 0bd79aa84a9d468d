"""What networks read: the encodings of the papers, every bit of which is told in docs/encodings.md.

All are bits in uint8 [T, width], seen by the player whose turn it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from array_api_compat import array_namespace, device

from cuebid.vector.auctions import Auctions
from cuebid.vector.tables import Array

POLICY = 480
VALUE = 636
JPS = 267
RONG = 372


@dataclass(slots=True)
class Hands:
    """The hands at `T` tables, each card a byte: byte `suit` of word `rank`, so that a hand is 13 32-bit words."""

    words: Array
    """int32 [T, 4, 13]."""

    @classmethod
    def of(cls, owner: Array) -> Self:
        """From the seat that holds each card, integers [T, 52], cards by number."""
        xp, place = array_namespace(owner), device(owner)
        seats = xp.arange(4, dtype=owner.dtype, device=place)
        held = xp.astype(owner[:, None, :] == seats[None, :, None], xp.int32)
        held = xp.reshape(held, (-1, 4, 4, 13))
        return cls(sum((held[:, :, suit] << (8 * suit) for suit in range(1, 4)), held[:, :, 0]))

    def select(self, index: Array) -> Self:
        return type(self)(self.words[index])

    def seen_from(self, seat: Array, players: int) -> Array:
        """int32 [T, players * 13]: the hand of that seat and of those to its left."""
        xp, place = array_namespace(self.words), device(self.words)
        row = xp.arange(self.words.shape[0], device=place)
        if players == 1:
            return self.words[row, seat]
        seats = (seat[:, None] + xp.arange(players, device=place)[None, :]) & 3
        return xp.reshape(self.words[row[:, None], seats], (-1, players * 13))


def policy(auctions: Auctions, hands: Hands) -> Array:
    """uint8 [T, 480]: OpenSpiel's auction tensor for the player to call, whoever dealt."""
    return _public_and_hands(auctions, hands, players=1)


def value(auctions: Auctions, hands: Hands) -> Array:
    """uint8 [T, 636]: the same, then the hands of left-hand opponent, partner and right-hand opponent."""
    return _public_and_hands(auctions, hands, players=4)


def _public_and_hands(auctions: Auctions, hands: Hands, players: int) -> Array:
    xp = array_namespace(auctions.highest)
    turn = auctions.turn
    we, they = _vulnerable(auctions)
    vulnerability = (1 << (8 * we)) | (1 << (16 + 8 * they))
    words = xp.concat(
        [
            xp.astype(vulnerability, xp.int32)[:, None],
            _relative(auctions.history, turn),
            hands.seen_from(turn, players),
        ],
        axis=1,
    )
    return words.view(xp.uint8)


def jps(auctions: Auctions, hands: Hands) -> Array:
    """uint8 [T, 267]: the encoding of Tian et al. 2020."""
    xp = array_namespace(auctions.highest)
    bids = _relative(auctions.history[:, 1::3], auctions.turn)
    by_distance = [xp.astype((bids >> (8 * distance)) & 1, xp.uint8) for distance in (0, 2, 1, 3)]
    doubled = (auctions.history[:, 2::3] | auctions.history[:, 3::3]) != 0
    sides = [auctions.vulnerability & 1, auctions.vulnerability >> 1]
    return xp.concat(
        [
            _by_suit(hands.seen_from(auctions.turn, 1)),
            *by_distance,
            xp.astype(doubled, xp.uint8),
            *(xp.astype(side, xp.uint8)[:, None] for side in sides),
            xp.astype(auctions.legal(), xp.uint8),
        ],
        axis=1,
    )


def rong(auctions: Auctions, hands: Hands) -> Array:
    """uint8 [T, 372]: own cards 52, vulnerability 2, sequence 318, of Rong et al. 2019."""
    xp = array_namespace(auctions.highest)
    sides = [xp.astype(side, xp.uint8)[:, None] for side in _vulnerable(auctions)]
    return xp.concat([_by_suit(hands.seen_from(auctions.turn, 1)), *sides, auctions.sequence()], axis=1)


def _vulnerable(auctions: Auctions) -> tuple[Array, Array]:
    """int64 [T] twice: whether the side to call is vulnerable, and the other side."""
    side = auctions.turn & 1
    return (auctions.vulnerability >> side) & 1, (auctions.vulnerability >> (1 - side)) & 1


def _relative(words: Array, turn: Array) -> Array:
    """Words [T, n] whose bytes stand for N E S W, turned so that they stand for me, LHO, partner, RHO."""
    xp = array_namespace(words)
    down = xp.astype(8 * turn, xp.int32)[:, None]
    return (words >> down) | (words << ((32 - down) & 31))


def _by_suit(words: Array) -> Array:
    """uint8 [T, 52], cards by number (suit * 13 + rank), from one hand's words [T, 13]."""
    xp = array_namespace(words)
    suits = [xp.astype((words >> (8 * suit)) & 1, xp.uint8) for suit in range(4)]
    return xp.concat(suits, axis=1)
