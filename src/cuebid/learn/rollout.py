"""Bidding many deals at two tables, remembering what the learner saw, did and got for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal, Self

import torch
from torch import Tensor, nn
from torch.nn import functional

from cuebid.learn.dealing import Deals
from cuebid.vector import Auctions, Contracts, Hands, encodings, imps

LARGEST_IMPS = 24
LARGEST_SCORE = 7600
ILLEGAL = -1e9

Reward = Literal["imps", "score"]


@dataclass(slots=True)
class Transitions:
    """`M` moments at which a learner called."""

    bits: Tensor
    """uint8 [M, 636], what `encodings.value` shows; the policy reads the first 480."""
    legal: Tensor
    """bool [M, 38]."""
    call: Tensor
    """int64 [M]."""
    log_chance: Tensor
    """float32 [M], of the call when it was made."""
    reward: Tensor
    """float32 [M], what the deal brought the caller's side, in [-1, 1]."""

    def __len__(self) -> int:
        return len(self.call)

    def __getitem__(self, rows: Tensor | slice) -> Self:
        return type(self)(*(getattr(self, field.name)[rows] for field in fields(self)))

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        return cls(*(torch.cat([getattr(part, field.name) for part in parts]) for field in fields(cls)))


def masked_scores(policy: nn.Module, bits: Tensor, legal: Tensor) -> Tensor:
    """float32 [M, 38], illegal calls far below all others; computed in 16 bits, summed in 32."""
    with torch.autocast(bits.device.type, dtype=torch.bfloat16):
        scores: Tensor = policy(bits[:, :480].to(torch.bfloat16))
    return scores.float().masked_fill(~legal, ILLEGAL)


@torch.no_grad()
def play(
    deals: Deals,
    teams: tuple[nn.Module, nn.Module],
    generator: torch.Generator,
    *,
    greedy: bool = False,
    learners: int = 0,
    reward: Reward = "imps",
) -> tuple[Tensor, Transitions | None]:
    """Bid every deal twice: the first team sits North-South at the first table and East-West at the second.

    Returns the first team's IMPs, int64 [N], and the transitions of the first `learners` teams.
    """
    count, device = len(deals), deals.owner.device
    table = torch.arange(2 * count, device=device)
    vulnerability = deals.vulnerability.repeat(2)
    auctions, hands = Auctions.start(deals.dealer.repeat(2), vulnerability), Hands.of(deals.owner.repeat(2, 1))
    final = Contracts(*(torch.zeros_like(vulnerability) for _ in fields(Contracts)))
    moments: list[tuple[Tensor, ...]] = []
    while len(table):
        team = (auctions.turn & 1) ^ (table >= count).long()
        bits = encodings.value(auctions, hands)
        legal = auctions.legal()
        scores = _scores(teams, team, bits, legal)
        call = _chosen(scores, generator, greedy)
        if learners:
            log_chance = functional.log_softmax(scores, dim=1).gather(1, call[:, None])[:, 0]
            moment = (bits, legal, call, log_chance, table, team)
            rows = (team < learners).nonzero()[:, 0]
            moments.append(moment if learners == 2 else tuple(part[rows] for part in moment))
        auctions.step(call)
        # Rows by number, found once: on a GPU every mask used as an index waits for the device.
        over = auctions.over
        ended, live = over.nonzero()[:, 0], (~over).nonzero()[:, 0]
        if len(ended):
            reached = Contracts.of(auctions.select(ended))
            for field in fields(Contracts):
                getattr(final, field.name)[table[ended]] = getattr(reached, field.name)
            auctions, hands, table = auctions.select(live), hands.select(live), table[live]

    points = final.score(final.tricks(deals.tricks.repeat(2, 1, 1)), vulnerability)
    won = imps(points[:count] - points[count:])
    if not learners:
        return won, None
    bits, legal, call, log_chance, table, team = (torch.cat(parts) for parts in zip(*moments, strict=True))
    if reward == "imps":
        earned = won[table % count] / LARGEST_IMPS * (1 - 2 * team)
    else:
        north_south = team == (table >= count).long()
        earned = torch.where(north_south, points[table], -points[table]) / LARGEST_SCORE
    return won, Transitions(bits, legal, call, log_chance, earned.float())


def _scores(teams: tuple[nn.Module, nn.Module], team: Tensor, bits: Tensor, legal: Tensor) -> Tensor:
    """Each team's network at the tables where it is to call."""
    if teams[0] is teams[1]:
        return masked_scores(teams[0], bits, legal)
    scores = torch.empty(legal.shape, device=bits.device)
    for number, network in enumerate(teams):
        rows = (team == number).nonzero()[:, 0]
        scores[rows] = masked_scores(network, bits[rows], legal[rows])
    return scores


def _chosen(scores: Tensor, generator: torch.Generator, greedy: bool) -> Tensor:
    """The best call, or one drawn by its chance (the largest of chances over exponential noise)."""
    if greedy:
        return scores.argmax(dim=1)
    noise = torch.empty_like(scores).exponential_(generator=generator)
    return (scores - noise.clamp(min=1e-30).log()).argmax(dim=1)


def duel(deals: Deals, first: nn.Module, second: nn.Module) -> tuple[float, float]:
    """IMPs a deal of the first network against the second, both greedy, and their standard error."""
    won, _ = play(deals, (first, second), torch.Generator(deals.owner.device), greedy=True)
    return float(won.double().mean()), float(won.double().std() / len(won) ** 0.5)
