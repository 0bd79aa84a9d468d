"""What a belief network's scores mean."""

from __future__ import annotations

HOLDERS = 3
"""Left-hand opponent, partner, right-hand opponent."""
OUTPUTS = HOLDERS * 52
"""For each of them a score for each card, the cards in the order of `encodings.policy`: ♣2 ♦2 ♥2 ♠2 ♣3 …"""
