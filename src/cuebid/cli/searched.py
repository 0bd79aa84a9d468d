"""What a search found, for people at a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

    from cuebid.search import Decision
    from cuebid.search.findings import Finding, Holding, Range

CONTRACTS = 3
"""Shown of those that a candidate leads to."""
LIKELY = 0.6
"""From here on a card is told to be in a hand."""

VERDICTS = {
    "agreed": ", and the search agrees",
    "overrode": ", as the search found; the policy alone calls ",
    "not needed": "; the policy is sure, nothing was searched",
    "fell back": "; too few deals fit this auction, so the policy alone decides",
}


def verdict(decision: Decision) -> str:
    """How the search and its policy get on, to be put behind the call."""
    alone = decision.candidates[0].symbol if decision.outcome == "overrode" else ""
    return VERDICTS[decision.outcome] + alone


def candidates(decision: Decision) -> dict[str, Text]:
    """Of each candidate: what it is expected to win against the policy's choice (that one: against its closest rival),
    and the contracts it leads to.
    """
    from rich.text import Text

    from cuebid.search.findings import findings

    found = findings(decision)
    gains = [_gain(one, found[0].call) for one in found]
    width = max(map(len, gains), default=0) + 2
    return {
        one.call: Text.assemble(gain.ljust(width), (_contracts(one), "dim"))
        for one, gain in zip(found, gains, strict=True)
    }


def _gain(one: Finding, choice: str) -> str:
    from cuebid.game import Call

    rival = min(one.against, key=lambda other: other.imps) if one.call == choice else one.against[0]
    return f"{rival.imps:+.2f} ± {rival.error:.2f} IMPs v {Call(rival.call).symbol}"


def _contracts(one: Finding) -> str:
    shown = ", ".join(f"{_symbols(leads.contract)} {leads.chance:.0%}" for leads in one.contracts[:CONTRACTS])
    return f"best or equal {one.best:.0%}; leads to {shown}"


def _symbols(contract: str) -> str:
    """`4H by N` as people write it."""
    bid, by, who = contract.partition(" by ")
    for suit, symbol in zip("CDHS", "♣♦♥♠", strict=True):
        bid = bid.replace(suit, symbol)
    return bid + by + who


def basis(decision: Decision) -> Text:
    """The deals that the search rests on, and what the hidden hands are believed to hold."""
    from rich.text import Text

    from cuebid.search.findings import holdings

    return Text("\n").join([_deals(decision), Text(""), *_hands(holdings(decision))])


def _deals(decision: Decision) -> Text:
    from rich.text import Text

    assert decision.tried is not None
    particles = decision.tried.particles
    drawn, tried, alike = decision.drawn, len(particles), particles.telling
    parts = [f"{drawn:,} deals drawn, {tried:,} tried, as good as {alike:.0f} independent ones"]
    if decision.solved:
        parts.append(f"{decision.solved} solved exactly")
    if decision.widened:
        parts.append("few fitted the auction, so more of its calls were taken for errors")
    return Text(f"{'; '.join(parts)}; {decision.seconds:.1f} s")


def _hands(hands: tuple[Holding, ...]) -> list[Text]:
    from rich.text import Text

    from cuebid import draw
    from cuebid.game import Suit

    if not hands:
        return []
    heads = Text.assemble("believed".ljust(22), "points".ljust(9))
    for suit in reversed(Suit):
        heads.append_text(Text.assemble(draw.suit_symbol(suit), " " * 6))
    heads.append("likely there")
    lines = [heads]
    for one in hands:
        cards = " ".join(
            f"{_symbols(card[0])}{card[1]} {chance:.0%}" for card, chance in one.cards.items() if chance >= LIKELY
        )
        lengths = "".join(_span(one.lengths[suit]).ljust(7) for suit in "SHDC")
        lines.append(Text(f"{one.player.ljust(22)}{_span(one.hcp).ljust(9)}{lengths}{cards}".rstrip()))
    return lines


def _span(count: Range) -> str:
    return str(count.low) if count.low == count.high else f"{count.low}–{count.high}"
