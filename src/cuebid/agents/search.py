"""An agent that searches: its policy proposes, imagined deals decide (`cuebid.search`)."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

import numpy as np

from cuebid import settings as reading
from cuebid.agents.advice import Advice, Candidate
from cuebid.agents.load import WEIGHTS, weights_path
from cuebid.agents.policy import SHOWN, Policy
from cuebid.doubledummy import Estimate, Exact
from cuebid.game import BridgeError, Call, Situation
from cuebid.machine import cores
from cuebid.networks import Network
from cuebid.networks.weights import read_card
from cuebid.search import Belief, Decision, Outcome, Search, Settings, open_to
from cuebid.vector import gather

DEFAULT = "sayc"
"""The policy that is searched over, if no other is named."""


@dataclass(frozen=True, slots=True)
class SearchedAdvice(Advice):
    """Advice with what the search found."""

    decision: Decision

    def to_json(self) -> dict[str, Any]:
        from cuebid.search.findings import to_json

        return Advice.to_json(self) | {"search": to_json(self.decision)}


class Searcher:
    """Searches over a policy, wherever that is not sure of its call. In a match many decisions are worked on at once.

    `text` is what follows `search:` in its name: a policy, then settings: `sayc,rounds=8,tricks=mixed`.
    """

    boards_at_once = 100
    """So many boards of a match are bid between two writings of its record."""

    def __init__(self, text: str = "") -> None:
        self._policy, *words = (text or DEFAULT).split(",")
        self.name = f"search:{text or DEFAULT}"
        self.settings = reading.load(Settings, words=words)
        self._outcomes: Counter[str] = Counter()
        self._searched: list[float] = []
        self._busy = 0.0

    @cached_property
    def version(self) -> str:
        """Checksums of all networks it asks; the settings are in the name."""
        files = {"policy": weights_path(self._policy)}
        if self.settings.opponents:
            files["opponents"] = weights_path(self.settings.opponents)
        if self.settings.sampling == "belief":
            files["belief"] = belief_path(self._policy, self.settings.belief)
        if self.settings.tricks != "exact":
            files["tricks"] = tricks_path(self.settings.estimator)
        return ", ".join(f"{name} {read_card(path).sha256[:16]}" for name, path in files.items())

    def advise(self, situation: Situation) -> Advice:
        workshop, begun = self._alone, time.monotonic()
        decision = workshop.search.decide(situation)
        self._count([decision], time.monotonic() - begun)
        ranking = [
            Candidate(Call(int(call)), decision.chances[call])
            for call in np.argsort(-np.array(decision.chances), kind="stable")
        ]
        shown = tuple(one for one in ranking if one.probability >= SHOWN or one.call in decision.candidates)
        return SearchedAdvice(decision.call, shown, decision)

    def calls(self, situations: Sequence[Situation]) -> list[Call]:
        for situation in situations:
            situation.check_turn()
        if not situations:
            return []
        workshop, begun = self._beside, time.monotonic()
        chances = workshop.policy.probabilities(*gather(situations))
        calls = [Call(call) for call in chances.argmax(axis=1).tolist()]
        open_ones = np.flatnonzero(open_to(chances, self.settings)).tolist()
        with ThreadPoolExecutor(cores()) as pool:
            found = list(pool.map(lambda place: workshop.search.decide(situations[place]), open_ones))
        for place, decision in zip(open_ones, found, strict=True):
            calls[place] = decision.call
        self._outcomes["not needed"] += len(situations) - len(open_ones)
        self._count(found, time.monotonic() - begun)
        return calls

    def _count(self, decisions: Sequence[Decision], took: float) -> None:
        self._outcomes.update(decision.outcome for decision in decisions)
        self._searched += [decision.seconds for decision in decisions if decision.tried is not None]
        self._busy += took

    def told(self) -> dict[str, float]:
        """How it went so far: decisions by outcome, how many a second, and the time that those searched took."""
        told: dict[str, float] = {name: self._outcomes[name] for name in get_args(Outcome)}
        told["decisions"] = decisions = sum(told.values())
        told["a second"] = decisions / self._busy if self._busy else 0.0
        for name, share in (("median", 0.5), ("95 %", 0.95)):
            told[f"{name} seconds"] = float(np.quantile(self._searched, share)) if self._searched else 0.0
        return told

    @cached_property
    def _alone(self) -> _Workshop:
        """For one question at a time: every core works on it."""
        return _Workshop(self._policy, self.settings, cores())

    @cached_property
    def _beside(self) -> _Workshop:
        """For many questions at once: a core works on each."""
        return _Workshop(self._policy, self.settings, 1)


class _Workshop:
    """The networks of a search, each running on so many cores."""

    def __init__(self, name: str, settings: Settings, threads: int) -> None:
        opponents = settings.opponents or name
        with ThreadPoolExecutor(4) as pool:  # reading and preparing a network takes most of a short question's time
            ours = pool.submit(Network.load, weights_path(name), threads=threads)
            theirs = ours if opponents == name else pool.submit(Network.load, weights_path(opponents), threads=threads)
            wanted = settings.sampling == "belief"
            belief = pool.submit(Belief.load, belief_path(name, settings.belief)) if wanted else None
            estimated = settings.tricks != "exact"
            estimate = pool.submit(Estimate, tricks_path(settings.estimator), threads) if estimated else None
        self.policy = Policy(ours.result(), name)
        self.search = Search(
            self.policy.network,
            theirs.result(),
            belief.result() if belief else None,
            estimate.result() if estimate else None,
            Exact(threads) if settings.tricks != "estimated" else None,
            settings,
        )


def belief_path(policy: str, named: str = "") -> Path:
    """The weights file of the belief that is named, or of the one shipped for a policy."""
    path = Path(named) if named else WEIGHTS / "belief" / f"{policy}.npz"
    if not named and not path.is_file():
        there = ", ".join(sorted(one.stem for one in path.parent.glob("*.npz")))
        wanted = "name one, belief=FILE.npz, or say sampling=uniform"
        raise BridgeError(f"no belief network comes with {policy!r} (only with {there}): {wanted}")
    return path


def tricks_path(named: str = "") -> Path:
    """The weights file of the estimator that is named, or of the shipped one."""
    return Path(named) if named else WEIGHTS / "tricks" / "tricks.npz"
