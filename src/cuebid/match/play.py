"""The bidding of a match: every board at both tables, all of them at once."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cuebid.agents import Agent, VectorAgent
from cuebid.game import Deal, Situation, Vulnerability
from cuebid.match.boards import MatchBoards
from cuebid.vector import Auctions, Hands

Watch = Callable[[int], None]
"""Told how many auctions have ended."""


@dataclass(frozen=True, slots=True)
class Auctioned:
    """Finished auctions of `N` boards at both tables: the open room in the first `N` rows, the closed in the last."""

    auctions: Auctions
    calls: npt.NDArray[np.int8]
    """[2N, L], by number, padded with -1."""
    faults: tuple[Counter[str], Counter[str]]
    """What went wrong with either agent, by kind; each time the agent passed."""


def play(agents: tuple[Agent, Agent], boards: MatchBoards, watch: Watch | None = None) -> Auctioned:
    """Let the first agent bid North-South's hands in the open room and East-West's in the closed room."""
    tables = 2 * len(boards)
    owner = np.concatenate([boards.owner] * 2)
    dealer, vulnerability = (np.tile(part, 2).astype(np.int64) for part in (boards.dealer, boards.vulnerability))
    auctions, hands = Auctions.start(dealer, vulnerability), Hands.of(owner)
    closed = np.arange(tables) >= len(boards)
    views = _Views(owner, vulnerability)
    before = [Counter(getattr(agent, "faults", ())) for agent in agents]
    illegal: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    rounds = []
    while not auctions.over.all():
        chosen = np.full(tables, -1, dtype=np.int64)
        second_to_call = closed ^ (auctions.turn & 1 == 1)
        for place, agent in enumerate(agents):
            asked = np.flatnonzero(~auctions.over & (second_to_call == bool(place)))
            if len(asked):
                chosen[asked] = _ask(agent, asked, auctions, hands, views, illegal[place])
        auctions.step(chosen)
        rounds.append(chosen.astype(np.int8))
        if watch:
            watch(int(auctions.over.sum()))
    faults = tuple(
        Counter(getattr(agent, "faults", ())) - earlier + own
        for agent, earlier, own in zip(agents, before, illegal, strict=True)
    )
    calls = np.stack(rounds, axis=1) if rounds else np.empty((tables, 0), np.int8)
    return Auctioned(auctions, calls, (faults[0], faults[1]))


def _ask(
    agent: Agent,
    asked: npt.NDArray[np.int64],
    auctions: Auctions,
    hands: Hands,
    views: _Views,
    illegal: Counter[str],
) -> npt.NDArray[np.int64]:
    """The agent's calls at these tables; an illegal one is counted and a pass."""
    there = auctions.select(asked)
    if isinstance(agent, VectorAgent):
        calls = agent.choose(there, hands.select(asked))
    else:
        situations = [views.situation(table, auctions) for table in asked.tolist()]
        calls = np.array([int(call) for call in agent.calls(situations)], dtype=np.int64)
    wrong = ~there.legal()[np.arange(len(asked)), calls]
    if wrong.any():
        illegal["illegal"] += int(wrong.sum())
        print(f"cuebid: {agent.name} made {int(wrong.sum())} illegal calls; they count as passes", file=sys.stderr)
    return np.where(wrong, 0, calls)


class _Views:
    """Each table's hands as values, made when an agent first needs them."""

    def __init__(self, owner: npt.NDArray[np.uint8], vulnerability: npt.NDArray[np.int64]) -> None:
        self._owner, self._vulnerability = owner, vulnerability
        self._deals: dict[int, Deal] = {}

    def situation(self, table: int, auctions: Auctions) -> Situation:
        deal = self._deals.get(table)
        if deal is None:
            deal = self._deals[table] = Deal.from_owner(self._owner[table].tolist())
        return Situation.at(deal, auctions.to_game(table), Vulnerability(int(self._vulnerability[table])))
