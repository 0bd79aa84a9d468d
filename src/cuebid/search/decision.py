"""One decision: candidates, imagined deals, what each candidate leads to on them, and the best."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from cuebid.doubledummy import Estimate, Exact
from cuebid.game import Call, Situation
from cuebid.networks import Network
from cuebid.search.belief import Belief, uniform
from cuebid.search.bidding import Model, Table
from cuebid.search.particles import Imagination
from cuebid.search.sampling import Floats
from cuebid.search.settings import Settings
from cuebid.search.trial import Trial, Tried
from cuebid.vector import encodings, gather

Outcome = Literal["agreed", "overrode", "not needed", "fell back"]

WIDER = 5
"""Where too few deals fit the auction, so many times as many calls are taken for errors in a second try, …"""
WIDEST = 0.5
"""… but no more than half of them."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a search found."""

    situation: Situation
    call: Call
    outcome: Outcome
    candidates: tuple[Call, ...]
    """The policy's choice first, then by their chances."""
    chances: tuple[float, ...]
    """The policy's, of all 38 calls."""
    tried: Tried | None
    """None where nothing was searched."""
    gain: Floats
    """[K, K]: IMPs a candidate (rows) is expected to win against another."""
    error: Floats
    """[K, K]: their standard errors."""
    rounds: int = 0
    drawn: int = 0
    """Deals that were drawn in them."""
    solved: int = 0
    """Deals that were solved exactly to settle it, where tricks are `mixed`."""
    widened: bool = False
    """Whether so few deals fitted the auction that more of its calls were taken for errors."""
    seconds: float = 0.0


class Search:
    """Belief Monte Carlo search (Qiu et al. 2024, algorithm 3) and its relatives, as the settings say."""

    def __init__(
        self,
        ours: Network,
        theirs: Network,
        belief: Belief | None,
        estimate: Estimate | None,
        exact: Exact | None,
        settings: Settings,
    ) -> None:
        """The policies of the two sides. Without `belief` deals are drawn uniformly; `estimate` and `exact` as
        `settings.tricks` needs them.
        """
        self._ours, self._theirs, self._belief = ours, theirs, belief
        self._estimate, self._exact, self.settings = estimate, exact, settings

    def decide(self, situation: Situation) -> Decision:
        """What to call here. The same situation gets the same answer whatever was asked before, unless time decides."""
        situation.check_turn()
        begun, settings = time.monotonic(), self.settings
        auctions, hands = gather([situation])
        chances = self._ours.chances(encodings.policy(auctions, hands), auctions.legal())[0]
        candidates = tuple(Call(call) for call in _ranked(chances, settings.most) if chances[call] >= settings.least)
        candidates = candidates or (Call(int(chances.argmax())),)
        nothing, policy = np.zeros((len(candidates), len(candidates))), tuple(chances.tolist())
        decision = Decision(situation, candidates[0], "not needed", candidates, policy, None, nothing, nothing)
        if len(candidates) > 1:
            believed = self._belief.chances(auctions, hands)[0] if self._belief else uniform(1)[0]
            decision = self._searched(decision, believed, begun)
        return replace(decision, seconds=time.monotonic() - begun)

    def _searched(self, decision: Decision, believed: npt.NDArray[np.floating], begun: float) -> Decision:
        """The decision after one try, or two: where few deals fit the auction, more of its calls may be errors, and the
        belief, which has not met the like, is trusted less.
        """
        settings, situation = self.settings, decision.situation
        source = np.random.default_rng(_seed(situation, settings.seed))
        for wider in (1, WIDER):
            table = self._table(situation, wider)
            trial = Trial(situation, decision.candidates, table, self._estimate, self._exact, settings.perfect_defence)
            chances = believed if wider == 1 else np.sqrt(believed)
            tried, rounds = self._rounds(trial, Imagination(situation, chances, table, settings), source, begun)
            decision = replace(
                decision,
                tried=tried,
                rounds=decision.rounds + rounds,
                drawn=decision.drawn + tried.particles.drawn,
                widened=wider > 1,
            )
            if len(tried.particles) > 1 and tried.particles.telling >= settings.fewest:
                return self._settled(decision, trial, source)
        return replace(decision, outcome="fell back")

    def _table(self, situation: Situation, wider: int) -> Table:
        """How the players are thought to call."""
        settings = self.settings
        sides = ((self._ours, settings.error_ours), (self._theirs, settings.error_theirs))
        ours, theirs = (Model(policy, max(error, min(WIDEST, wider * error))) for policy, error in sides)
        return Table(theirs, ours) if situation.seat & 1 else Table(ours, theirs)

    def _rounds(
        self, trial: Trial, imagination: Imagination, source: np.random.Generator, begun: float
    ) -> tuple[Tried, int]:
        """Rounds of the search until the best is clear, too few deals fit, or the rounds or the time are up."""
        settings, parts = self.settings, []
        while True:
            start = time.monotonic()
            parts.append(trial.on(imagination.round(source), source))
            tried, now = Tried.joined(parts), time.monotonic()
            most = settings.rounds
            if settings.seconds:
                most = len(parts) + int((settings.seconds - (now - begun)) / (now - start))
            reachable = tried.particles.telling * most / len(parts)
            if len(parts) >= most or reachable < settings.fewest or self._clear(tried):
                return tried, len(parts)

    def _clear(self, tried: Tried) -> bool:
        """Whether one candidate is beyond doubt at least as good as each of the others."""
        if not self.settings.clear or tried.particles.telling < 2 * self.settings.fewest:
            return False
        gain, error = tried.compared()
        return bool((gain >= self.settings.clear * error).all(axis=1).any())

    def _settled(self, decision: Decision, trial: Trial, source: np.random.Generator) -> Decision:
        """The decision with its call: the best candidate, where it beats the policy's choice by more than chance."""
        assert decision.tried is not None
        settings, solved = self.settings, 0
        gain, error = decision.tried.compared()
        rival = 1 + int(gain[1:, 0].argmax())
        if settings.tricks == "mixed" and not abs(gain[rival, 0]) > settings.clear * error[rival, 0] > 0:
            change, doubt, solved = trial.corrected(decision.tried, rival, settings.exact_deals, source)
            gain[rival, 0] += change
            gain[0, rival] = -gain[rival, 0]
            error[rival, 0] = error[0, rival] = np.hypot(error[rival, 0], doubt)
        best = int(gain[:, 0].argmax())
        if gain[best, 0] <= settings.margin * error[best, 0]:
            best = 0
        outcome: Outcome = "overrode" if best else "agreed"
        return replace(decision, call=decision.candidates[best], outcome=outcome, gain=gain, error=error, solved=solved)


def open_to(chances: Floats, settings: Settings) -> npt.NDArray[np.bool_]:
    """bool [T]: where a policy's chances [T, 38] leave more than one candidate."""
    return np.asarray((chances >= settings.least).sum(axis=1) > 1)


def _ranked(chances: Floats, count: int) -> list[int]:
    """The likeliest calls, by number."""
    return [int(call) for call in np.argsort(-chances, kind="stable")[:count]]


def _seed(situation: Situation, seed: int) -> list[int]:
    """Of this situation's own randomness, so that it does not matter what was asked before."""
    words = [situation.hand, situation.seat, situation.dealer, situation.vulnerability, situation.auction]
    digest = hashlib.sha256(" ".join(map(str, words)).encode()).digest()
    return [seed, *digest]
