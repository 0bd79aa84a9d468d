"""Going over a board afterwards: what would the other candidates have brought, everybody bidding on as they do?"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from cuebid.learn.dealing import Deals
from cuebid.learn.imitation import ILLEGAL
from cuebid.learn.rollout import LARGEST_IMPS, LARGEST_SCORE, Moment, Reward, bid_out, chosen
from cuebid.vector import Auctions, Hands, imps


@dataclass(slots=True)
class Reviewed:
    """`M` close decisions of the learner's, each with up to `K` candidates, likeliest first."""

    table: Tensor
    """int64 [M], where it was taken."""
    bits: Tensor
    """uint8 [M, 480]."""
    legal: Tensor
    """bool [M, 38]."""
    calls: Tensor
    """int64 [M, K]."""
    tried: Tensor
    """bool [M, K], whether it was likely enough to be a candidate; the first one always was."""
    log_chance: Tensor
    """float32 [M, K], when the decision was taken."""
    worth: Tensor
    """float32 [M, K], the reward by which it beats the first candidate."""

    def __len__(self) -> int:
        return len(self.calls)

    def tensors(self) -> tuple[Tensor, ...]:
        """What there is to learn from."""
        return self.bits, self.legal, self.calls, self.tried, self.log_chance, self.worth


@dataclass(slots=True)
class PostMortem:
    """What a round of bidding and going over it came to."""

    reviewed: Reviewed
    won: Tensor
    """float32 [N]: the first network's IMPs at each deal against the network it met there."""


@torch.no_grad()
def review(
    deals: Deals,
    networks: Sequence[nn.Module],
    met: Tensor,
    generator: torch.Generator,
    *,
    least: float,
    most: int,
    doubt: float,
    reward: Reward = "imps",
) -> PostMortem:
    """Bid every deal at two tables and try what else the learner might have called.

    Candidates are the `most` likeliest calls as far as they are at least `least` likely; in a share `doubt` of its
    decisions the second choice is one however unlikely. Decisions with a single candidate are left out.

    The first network meets network `met[deal]` (int64 [N]; 0 is itself) and sits North-South at the first table. There
    all call what they like best; at the second table each call is drawn by its chance, so that the unusual is met too.
    (Where the first network meets itself, what is still as at the first table is not gone over again.) After a
    candidate all call what they like best. It is paid its IMPs against the first candidate.
    """
    count, device = len(deals), deals.owner.device
    first_table = torch.arange(2 * count, device=device) < count
    opponent, vulnerability, strict = met.repeat(2), deals.vulnerability.repeat(2), deals.strict.repeat(2)
    players = torch.stack([torch.where(first_table, 0, opponent), torch.where(first_table, opponent, 0)], dim=1)
    tricks, hands = deals.tricks.repeat(2, 1, 1), Hands.of(deals.owner.repeat(2, 1))
    networks = [copy.deepcopy(network).to(torch.bfloat16) for network in networks]
    fresh = first_table | (opponent > 0)
    decisions: list[tuple[Tensor, ...]] = []
    stood: list[Auctions] = []

    def call(now: Moment) -> Tensor:
        chance, ranked = now.chances.topk(most, dim=1)
        tried = chance >= math.log(least)
        tried[:, 0] = True
        doubted = torch.rand(len(chance), generator=generator, device=device) < doubt
        tried[:, 1] |= doubted & (chance[:, 1] > ILLEGAL / 2)
        close = ((now.caller == 0) & tried[:, 1] & fresh[now.table]).nonzero()[:, 0]
        parts = (now.table, now.bits, now.legal, ranked, tried, chance)
        decisions.append(tuple(part[close] for part in parts))
        stood.append(now.auctions.select(close))
        made = torch.where(first_table[now.table], ranked[:, 0], chosen(now.chances, generator, greedy=False))
        fresh[now.table] |= made != ranked[:, 0]
        return made

    final = bid_out(Auctions.start(deals.dealer.repeat(2), vulnerability), hands, networks, players, call)
    points = final.score(final.tricks(tricks), vulnerability, perfect_defence=strict)

    table, bits, legal, calls, tried, log_chance = (torch.cat(parts) for parts in zip(*decisions, strict=True))
    before = Auctions.joined(stood)
    sign = 1 - 2 * (before.turn & 1)
    # At the first table the first candidate was called and all went on from there: that result is known.
    scored = torch.zeros(calls.shape, dtype=torch.int64, device=device)
    scored[:, 0] = sign * points[table]
    unknown = tried.clone()
    unknown[:, 0] = ~first_table[table]
    decision, place = unknown.nonzero(as_tuple=True)
    branch, at = before.select(decision), table[decision]
    branch.step(calls[decision, place])
    # The favourite is found as at the first table, so that a tie is broken alike.
    reached = bid_out(branch, hands.select(at), networks, players[at], lambda now: now.chances.topk(most).indices[:, 0])
    points_there = reached.score(reached.tricks(tricks[at]), vulnerability[at], perfect_defence=strict[at])
    scored[decision, place] = sign[decision] * points_there
    better = torch.where(tried, scored - scored[:, :1], 0)
    if reward == "imps":
        worth = imps(better.flatten()).view(better.shape).float() / LARGEST_IMPS
    else:
        worth = better.float() / LARGEST_SCORE
    reviewed = Reviewed(table, bits, legal, calls, tried, log_chance, worth)
    return PostMortem(reviewed, imps(points[:count] - points[count:]).float())
