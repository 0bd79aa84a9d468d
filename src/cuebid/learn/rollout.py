"""Bidding many deals at many tables at once, remembering what was seen, called and earned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Literal, Self

import torch
from torch import Tensor, nn

from cuebid.learn.dealing import Deals
from cuebid.learn.imitation import log_chances
from cuebid.vector import Auctions, Contracts, Hands, encodings, imps

LARGEST_IMPS = 24
LARGEST_SCORE = 7600

Reward = Literal["imps", "score"]


@dataclass(slots=True)
class Transitions:
    """`M` moments at which somebody called, seen from his seat."""

    bits: Tensor
    """uint8 [M, 636], what `encodings.value` shows; the policy reads the first 480."""
    tricks: Tensor
    """uint8 [M, 20], the double dummy table: declarers from the caller on to his left, strains ♣ ♦ ♥ ♠ NT."""
    others: Tensor
    """int16 [M, copies], what the caller's side scored with these cards at the tables his own is compared with."""
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

    def tensors(self) -> tuple[Tensor, ...]:
        """All of them, in order."""
        return tuple(getattr(self, field.name) for field in fields(self))

    def __getitem__(self, rows: Tensor | slice) -> Self:
        return type(self)(*(tensor[rows] for tensor in self.tensors()))

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        return cls(*map(torch.cat, zip(*(part.tensors() for part in parts), strict=True)))


@dataclass(slots=True)
class Seen:
    """Every call of a round, in the order of time: the first calls of all tables, then the second ones, …"""

    moments: Transitions
    table: Tensor
    """int64 [M], where it was made."""
    mine: Tensor
    """bool [M], whether the first network made it."""
    north_south: Tensor
    """bool [M], whether North or South made it."""
    steps: list[int]
    """How many calls were made at each time."""
    earned: Tensor
    """float32 [tables], the reward of North-South."""


@dataclass(slots=True)
class Played:
    """What a round of bidding came to."""

    won: Tensor
    """float32 [N]: the first network's IMPs at each deal against the network it met there."""
    seen: Seen | None


@dataclass(slots=True)
class Moment:
    """The next call at all tables that are still bidding."""

    table: Tensor
    """int64 [T]."""
    auctions: Auctions
    caller: Tensor
    """int64 [T], whose turn it is: the number of a network."""
    bits: Tensor
    """uint8 [T, …], what it is shown."""
    legal: Tensor
    """bool [T, 38]."""
    chances: Tensor
    """float32 [T, 38], its log chances of all calls."""


@torch.no_grad()
def bid_out(
    auctions: Auctions,
    hands: Hands,
    networks: Sequence[nn.Module],
    players: Tensor,
    choose: Callable[[Moment], Tensor],
    encoding: Callable[[Auctions, Hands], Tensor] = encodings.policy,
) -> Contracts:
    """Bid auctions, at whatever point they stand, to their ends, as `choose` decides (int64 [T] for a moment).

    `players` int64 [tables, 2] are the networks of North-South and of East-West. Their first 480 bits are the policy's.
    """
    table = torch.arange(len(auctions), device=players.device)
    finished: list[Auctions] = []
    places: list[Tensor] = []
    while True:
        # Rows by number, found once: on a GPU every mask used as an index waits for the device.
        over = auctions.over
        ended, live = over.nonzero()[:, 0], (~over).nonzero()[:, 0]
        finished.append(auctions.select(ended))
        places.append(table[ended])
        if not len(live):
            return Contracts.of(Auctions.joined(finished).select(torch.cat(places).argsort()))
        if len(ended):
            auctions, hands, table = auctions.select(live), hands.select(live), table[live]
        caller = players[table, auctions.turn & 1]
        bits, legal = encoding(auctions, hands), auctions.legal()
        chances = _log_chances(networks, caller, bits, legal)
        auctions.step(choose(Moment(table, auctions, caller, bits, legal, chances)))


@torch.no_grad()
def play(
    deals: Deals,
    networks: Sequence[nn.Module],
    met: Tensor,
    generator: torch.Generator,
    *,
    copies: int = 1,
    greedy: bool = False,
    remember: bool = False,
    reward: Reward = "imps",
) -> Played:
    """Bid every deal `2 * copies` times: the first network meets network `met[deal]` (int64 [N]; 0 is itself).

    It sits North-South at half of a deal's tables and East-West at the others; a table is paid the mean of its IMPs
    against all tables of the other seating.
    """
    count, device, tables = len(deals), deals.owner.device, 2 * copies * len(deals)
    first_half = torch.arange(tables, device=device) < copies * count
    opponent = met.repeat(2 * copies)
    players = torch.stack([torch.where(first_half, 0, opponent), torch.where(first_half, opponent, 0)], dim=1)
    vulnerability = deals.vulnerability.repeat(2 * copies)
    auctions = Auctions.start(deals.dealer.repeat(2 * copies), vulnerability)
    hands = Hands.of(deals.owner.repeat(2 * copies, 1))
    kept: list[tuple[Tensor, ...]] = []

    def choose(now: Moment) -> Tensor:
        call = chosen(now.chances, generator, greedy)
        if remember:
            made = now.chances.gather(1, call[:, None])[:, 0]
            kept.append((now.bits, now.legal, call, made, now.table, now.caller == 0, now.auctions.turn))
        return call

    final = bid_out(auctions, hands, networks, players, choose, encodings.value)
    tricks, strict = final.tricks(deals.tricks.repeat(2 * copies, 1, 1)), deals.strict.repeat(2 * copies)
    points = final.score(tricks, vulnerability, perfect_defence=strict)
    first, other = points.view(2, copies, count)
    swings = imps((first[:, None] - other[None]).reshape(-1)).view(copies, copies, count).float()
    if not remember:
        return Played(swings.mean(dim=(0, 1)), None)
    if reward == "imps":
        earned = torch.stack([swings.mean(dim=1), -swings.mean(dim=0)]).flatten() / LARGEST_IMPS
    else:
        earned = points.float() / LARGEST_SCORE
    steps = [len(part[0]) for part in kept]
    bits, legal, call, log_chance, table, mine, turn = (torch.cat(parts) for parts in zip(*kept, strict=True))
    north_south = (turn & 1) == 0
    declarers = (turn[:, None] + torch.arange(4, device=device)) & 3
    table_of_deal = deals.tricks[(table % count)[:, None], declarers].flatten(1)
    sign = torch.where(north_south, 1, -1)
    compared = torch.stack([other, first]).short()[(table >= copies * count).long(), :, table % count]
    others = compared * sign[:, None].short()
    moments = Transitions(bits, table_of_deal, others, legal, call, log_chance, earned[table] * sign)
    return Played(swings.mean(dim=(0, 1)), Seen(moments, table, mine, north_south, steps, earned))


def advantages(seen: Seen, expected: Tensor, trace: float) -> Tensor:
    """float32 [M]: how much better than `expected` (float32 [M], for the caller's side) each call turned out.

    Generalized advantage estimation over the calls of all four players, whose value network is one and the same;
    `trace` is its λ: 1 compares with the reward alone, 0 with what is expected one call later.
    """
    sign = torch.where(seen.north_south, 1.0, -1.0)
    worth, later = expected * sign, seen.earned.clone()
    surplus, advantage = torch.zeros_like(later), torch.empty_like(worth)
    end = len(worth)
    for count in reversed(seen.steps):
        rows, end = slice(end - count, end), end - count
        table = seen.table[rows]
        now = later[table] - worth[rows] + trace * surplus[table]
        advantage[rows] = now
        surplus[table], later[table] = now, worth[rows]
    return advantage * sign


def _log_chances(networks: Sequence[nn.Module], caller: Tensor, bits: Tensor, legal: Tensor) -> Tensor:
    """float32 [T, 38]: each network's log chances of all calls at the tables where it is to call."""
    if len(networks) == 1:
        return log_chances(networks[0], bits[:, :480], legal)
    chances = torch.empty(legal.shape, device=bits.device)
    order = caller.argsort()
    counts = torch.bincount(caller, minlength=len(networks)).tolist()
    for network, rows in zip(networks, torch.split(order, counts), strict=True):
        if len(rows):
            chances[rows] = log_chances(network, bits[rows, :480], legal[rows])
    return chances


def chosen(chances: Tensor, generator: torch.Generator, greedy: bool) -> Tensor:
    """The best call, or one drawn by its chance (the largest of chances over exponential noise)."""
    if greedy:
        return chances.argmax(dim=1)
    noise = torch.empty_like(chances).exponential_(generator=generator)
    return (chances - noise.clamp(min=1e-30).log()).argmax(dim=1)


def duel(deals: Deals, first: nn.Module, second: nn.Module) -> tuple[float, float]:
    """IMPs a deal of the first network against the second, both greedy, and their standard error."""
    met = torch.ones(len(deals), dtype=torch.int64, device=deals.owner.device)
    won = play(deals, (first, second), met, torch.Generator(deals.owner.device), greedy=True).won.double()
    return float(won.mean()), float(won.std() / len(won) ** 0.5)
