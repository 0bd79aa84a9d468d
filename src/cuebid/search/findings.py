"""What a decision rests on, of each candidate and of each hidden hand: all of it is counted on the imagined deals."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cuebid.game import Call, Card, Seat
from cuebid.search.decision import Decision
from cuebid.search.particles import Particles

PLAYERS = ("left-hand opponent", "partner", "right-hand opponent")
LOW, HIGH = 0.1, 0.9
"""Ranges hold the middle 80 % of the deals."""
KEY_RANKS = (12, 11, 10)
"""Ace, king and queen."""


@dataclass(frozen=True, slots=True)
class Range:
    """A count, over the deals."""

    low: int
    high: int
    mean: float


@dataclass(frozen=True, slots=True)
class Compared:
    """A candidate against another."""

    call: str
    imps: float
    error: float
    """Standard error."""


@dataclass(frozen=True, slots=True)
class Leads:
    """A contract that a candidate leads to."""

    contract: str
    chance: float
    score: float
    """The caller's side's, on average."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found of a candidate."""

    call: str
    probability: float
    """The policy's."""
    against: tuple[Compared, ...]
    """Each of the others."""
    best: float
    """The share of the deals on which no other candidate scored more."""
    contracts: tuple[Leads, ...]
    """Likeliest first."""


@dataclass(frozen=True, slots=True)
class Holding:
    """What a hidden hand is believed to hold."""

    player: str
    seat: str
    hcp: Range
    lengths: dict[str, Range]
    """By suit, spades first."""
    cards: dict[str, float]
    """The chances of every ace, king and queen that may be there."""


def findings(decision: Decision) -> tuple[Finding, ...]:
    """Of each candidate, the policy's choice first; nothing where nothing was searched."""
    tried = decision.tried
    if tried is None or decision.outcome == "fell back":
        return ()
    share = tried.particles.share
    best = share @ (tried.scores == tried.scores.max(axis=1, keepdims=True))
    many = len(decision.candidates)
    return tuple(
        Finding(
            str(call),
            decision.chances[call],
            tuple(
                Compared(str(other), float(decision.gain[place, against]), float(decision.error[place, against]))
                for against, other in enumerate(decision.candidates)
                if against != place
            ),
            float(best[place]),
            _leads(decision, slice(place, None, many), share, tried.scores[:, place]),
        )
        for place, call in enumerate(decision.candidates)
    )


def _leads(
    decision: Decision, rows: slice, share: npt.NDArray[np.float64], scores: npt.NDArray[np.int64]
) -> tuple[Leads, ...]:
    assert decision.tried is not None
    contracts = decision.tried.contracts
    level, strain, doubled, declarer = (
        getattr(contracts, name)[rows] for name in ("level", "strain", "doubled", "declarer")
    )
    kind = np.where(level > 0, ((level * 5 + strain) * 3 + doubled) * 4 + declarer, 0)
    told = []
    for one in np.unique(kind):
        at = np.flatnonzero(kind == one)
        row, chance = at[0], float(share[at].sum())
        text = "passed out"
        if one:
            bid = Call(int(3 + 5 * (level[row] - 1) + strain[row]))
            text = f"{bid}{'X' * int(doubled[row])} by {Seat(int(declarer[row]))}"
        told.append(Leads(text, chance, float(share[at] @ scores[at]) / chance if chance else 0.0))
    return tuple(sorted(told, key=lambda one: -one.chance))


def holdings(decision: Decision) -> tuple[Holding, ...]:
    """Of left-hand opponent, partner, right-hand opponent; nothing where no deals were imagined."""
    if decision.tried is None or not len(decision.tried.particles):
        return ()
    particles = decision.tried.particles
    return tuple(
        _holding(particles, name, decision.situation.seat + distance) for distance, name in enumerate(PLAYERS, start=1)
    )


def _holding(particles: Particles, name: str, seat: Seat) -> Holding:
    share = particles.share
    held = particles.owner == int(seat)
    points = held @ (np.maximum(np.arange(52) % 13 - 8, 0))
    keys = [Card(13 * suit + rank) for suit in (3, 2, 1, 0) for rank in KEY_RANKS]
    chances = {str(card): float(share @ held[:, card]) for card in keys}
    lengths = held.reshape(-1, 4, 13).sum(axis=2)
    return Holding(
        name,
        str(seat),
        _range(points, share),
        {"CDHS"[suit]: _range(lengths[:, suit], share) for suit in (3, 2, 1, 0)},
        {card: chance for card, chance in chances.items() if chance > 0},
    )


def _range(counts: npt.NDArray[np.int64], share: npt.NDArray[np.float64]) -> Range:
    order = np.argsort(counts, kind="stable")
    below = np.cumsum(share[order])
    low, high = (int(counts[order[min(int(np.searchsorted(below, mark)), len(order) - 1)]]) for mark in (LOW, HIGH))
    return Range(low, high, float(share @ counts))


def to_json(decision: Decision) -> dict[str, Any]:
    """All of it, for programs."""
    particles = decision.tried.particles if decision.tried else None
    told = {
        "outcome": decision.outcome,
        "policy": str(decision.candidates[0]),
        "rounds": decision.rounds,
        "drawn": decision.drawn,
        "kept": len(particles) if particles else 0,
        "telling": particles.telling if particles else 0.0,
        "widened": decision.widened,
        "solved": decision.solved,
        "seconds": decision.seconds,
        "candidates": [asdict(one) for one in findings(decision)],
        "hands": [asdict(one) for one in holdings(decision)],
    }
    return {key: _rounded(value) for key, value in told.items()}


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(one) for one in value]
    return round(value, 4) if isinstance(value, float) else value
