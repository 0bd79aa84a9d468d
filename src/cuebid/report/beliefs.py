"""What belief networks know, by the length of the auction: figure 3 of Qiu et al. 2024, from their cards."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from cuebid.agents.search import belief_path
from cuebid.game import BridgeError
from cuebid.networks.weights import read_card
from cuebid.report.pictures import plots, save

NOTHING = math.log(3)
"""The surprise, in nats, of one who thinks each hidden card is equally likely in each of the three hands."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a network knows after so many calls."""

    name: str
    calls: list[int]
    surprise: list[float]
    """In nats, at the holder of a hidden card."""
    partner: list[float]
    """The share of partner's cards among the 13 it thinks likeliest to be his."""
    metrics: dict[str, Any]

    @classmethod
    def read(cls, name: str) -> Self:
        """Of the belief that comes with a policy, or of a weights file."""
        card = read_card(belief_path(name, name if name.endswith(".npz") else ""))
        if "by calls" not in card.metrics:
            raise BridgeError(
                f"{name} is no belief network: its card does not tell what it knows by the number of calls"
            )
        rows = {int(calls): figures for calls, figures in card.metrics["by calls"].items()}
        surprise, partner = ([figures[column] for figures in rows.values()] for column in (0, 1))
        return cls(name, list(rows), surprise, partner, card.metrics)


def table(known: Sequence[Known]) -> str:
    """In Markdown: a row for each number of calls."""
    heads = ["calls", *(f"`{one.name}`: {what}" for one in known for what in ("surprise", "partner's cards"))]
    lines = [heads, ["---"] * len(heads)]
    for calls in sorted({calls for one in known for calls in one.calls}):
        line = [str(calls)]
        for one in known:
            at = one.calls.index(calls) if calls in one.calls else None
            line += ["", ""] if at is None else [f"{one.surprise[at]:.3f}", f"{one.partner[at]:.1%}"]
        lines.append(line)
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def draw(known: Sequence[Known], path: Path) -> None:
    """Write both as a picture, SVG or PNG by the name of the file."""
    figure, (left, right) = plots().subplots(1, 2, figsize=(10, 4), layout="constrained")
    for one in known:
        left.plot(one.calls, one.surprise, marker="o", label=one.name)
        right.plot(one.calls, [100 * share for share in one.partner], marker="o", label=one.name)
    left.axhline(NOTHING, color="grey", linestyle="--", label="knows nothing")
    right.axhline(100 / 3, color="grey", linestyle="--", label="knows nothing")
    left.set(xlabel="calls made", ylabel="surprise at a hidden card's holder, nats")
    right.set(xlabel="calls made", ylabel="% of partner's cards among the 13 likeliest")
    left.legend()
    save(figure, path)
