"""cuebid decides what to call in contract bridge, and tells why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from cuebid.agents import Advice, Agent, load_agent


def __getattr__(name: str) -> Any:
    """Agents bring NumPy and ONNX Runtime, so they are imported when they are first asked for."""
    if name in ("Advice", "Agent", "load_agent"):
        from cuebid import agents

        return getattr(agents, name)
    raise AttributeError(f"module 'cuebid' has no attribute {name!r}")


__all__ = [
    "Advice",
    "Agent",
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
    "load_agent",
]
