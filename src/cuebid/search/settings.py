"""How a search goes about it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from cuebid.game import BridgeError

Sampling = Literal["belief", "uniform"]
History = Literal["weigh", "filter", "ignore"]
TricksFrom = Literal["estimated", "mixed", "exact"]


@dataclass(frozen=True, slots=True)
class Settings:
    """How a search goes about it."""

    least: float = 0.02
    """Calls that the policy finds at least so likely are candidates, …"""
    most: int = 4
    """… the likeliest so many of them. With a single one nothing is searched."""
    sampling: Sampling = "belief"
    """Deals are drawn as the belief network thinks likely, or `uniform`."""
    history: History = "weigh"
    """Deals are weighed by how likely the calls so far are with them (and how readily they were drawn); `filter` keeps
    each with that likelihood, as extended Borel search and Qiu et al. do; `ignore` takes them as they come."""
    proposals: int = 1024
    """Deals drawn in a round of the search, where there are calls to weigh."""
    deals: int = 64
    """Deals of a round on which the candidates are tried."""
    moves: int = 8
    """Exchanges of two cards by which deals taken part from their copies, as far as the auction allows."""
    rounds: int = 4
    """Rounds at most, if no time is given."""
    fewest: float = 12.0
    """With fewer deals that fit the auction (equally weighted ones that would tell as much) the policy decides."""
    margin: float = 1.5
    """Standard errors by which a candidate must beat the policy's choice to be preferred."""
    clear: float = 4.0
    """Standard errors between the best and all others at which the search stops early; 0: never."""
    error_ours: float = 0.02
    """Share of partner's calls that the policy does not explain."""
    error_theirs: float = 0.1
    """Share of the opponents' calls that the policy does not explain: they may play another system."""
    tricks: TricksFrom = "estimated"
    """By the network, exact, or `mixed`: exact ones settle what the network leaves close."""
    exact_deals: int = 16
    """`mixed`: deals solved for the policy's choice and its strongest rival."""
    perfect_defence: bool = False
    """Whether contracts that fail count as doubled."""
    seconds: float = 0.0
    """Time for a decision: rounds go on until it is up or the best is clear, and the same search may end differently
    when it is run again. 0: the number of rounds decides."""
    opponents: str = ""
    """Whom the opponents are thought to bid like: a shipped network or a weights file; empty: like the policy."""
    belief: str = ""
    """A belief network's weights file; empty: the one shipped for the policy."""
    estimator: str = ""
    """A network that estimates tricks; empty: the shipped one."""
    seed: int = 0
    """Of the deals drawn."""

    def __post_init__(self) -> None:
        if not all(math.isfinite(one) for one in (self.fewest, self.margin, self.clear, self.seconds)):
            raise BridgeError("fewest, margin, clear and seconds are finite")
        if not (0 < self.least < 1 and 2 <= self.most <= 38):
            raise BridgeError("least is above 0 and below 1, most from 2 to 38")
        if min(self.proposals, self.deals, self.rounds) < 1 or self.proposals < self.deals:
            raise BridgeError("proposals, deals and rounds are at least 1, proposals at least deals")
        if self.exact_deals < 2:
            raise BridgeError("exact_deals is at least 2")
        if not (0 <= self.error_ours < 1 and 0 <= self.error_theirs < 1):
            raise BridgeError("error_ours and error_theirs are shares below 1")
        if min(self.fewest, self.margin, self.clear, self.moves, self.seconds, self.seed) < 0:
            raise BridgeError("fewest, margin, clear, moves, seconds and seed are not negative")
        if not self.seconds and self.fewest > self.deals * self.rounds:
            raise BridgeError(f"{self.rounds} rounds of {self.deals} deals never make {self.fewest:g} that fit")
