"""cuebid decides what to call in contract bridge, and tells why."""

from cuebid.game import (
    Auction,
    BridgeError,
    Call,
    Card,
    Contract,
    Deal,
    Hand,
    Seat,
    Situation,
    Strain,
    Suit,
    Vulnerability,
    imps,
)

__version__ = "0.1.0"

__all__ = [
    "Auction",
    "BridgeError",
    "Call",
    "Card",
    "Contract",
    "Deal",
    "Hand",
    "Seat",
    "Situation",
    "Strain",
    "Suit",
    "Vulnerability",
    "imps",
]
