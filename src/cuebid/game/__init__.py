"""The rules of bridge bidding as a person reads them: plain, immutable values with text in and out."""

from cuebid.game.auction import Auction
from cuebid.game.calls import BIDS, DOUBLE, PASS, REDOUBLE, Call, Strain
from cuebid.game.cards import Card, Hand, Suit
from cuebid.game.contract import Contract
from cuebid.game.deal import Deal
from cuebid.game.errors import BridgeError
from cuebid.game.par import Par, par
from cuebid.game.scoring import imps, victory_points
from cuebid.game.seats import Seat, Side, Vulnerability
from cuebid.game.situation import Situation

__all__ = [
    "BIDS",
    "DOUBLE",
    "PASS",
    "REDOUBLE",
    "Auction",
    "BridgeError",
    "Call",
    "Card",
    "Contract",
    "Deal",
    "Hand",
    "Par",
    "Seat",
    "Side",
    "Situation",
    "Strain",
    "Suit",
    "Vulnerability",
    "imps",
    "par",
    "victory_points",
]
