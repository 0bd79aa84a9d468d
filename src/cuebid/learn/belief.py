"""The belief network: who holds the hidden cards, learned from auctions among networks (Qiu et al. 2024, section V)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from cuebid import networks
from cuebid.agents.load import weights_path
from cuebid.game import BridgeError
from cuebid.learn.captured import Captured, Step
from cuebid.learn.dealing import random_owners
from cuebid.learn.league import frozen
from cuebid.learn.networks import Layers, policy
from cuebid.learn.rollout import Moment, bid_out, chosen
from cuebid.learn.runs import Run, pick_device, set_rate, source_commit, warmed
from cuebid.networks import Architecture
from cuebid.networks.architecture import Activation, Kind
from cuebid.networks.belief import HOLDERS, OUTPUTS
from cuebid.networks.weights import read_card
from cuebid.vector import Auctions, Hands, encodings

BLOCK = 1 << 15
"""Situations measured at once, to bound the memory."""
ENOUGH = 100
"""Situations after so many calls, or there is no figure for that number."""
MEASURED = 20_000
"""Tables whose situations the finished network is measured on."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a network is trained to believe where the hidden cards are."""

    name: str
    """What the network will be called; the run lives in runs/NAME."""
    policy: str
    """Whose auctions it learns to read, and who asks: a shipped name or a weights file."""
    others: tuple[str, ...] = ()
    """Networks that are met as opponents besides itself."""
    others_share: float = 0.5
    """Share of the tables against them."""
    sampled: float = 0.3
    """Share of the tables where calls are drawn by their chances, so that the unusual is met too."""
    width: int = 1024
    """Neurons in each hidden layer."""
    depth: int = 4
    """Hidden layers."""
    kind: Kind = "mlp"
    """`mlp` or `residual`."""
    activation: Activation = "gelu"
    """`gelu` or `relu`."""
    hand_features: bool = True
    """Counts of the own hand as further inputs."""
    rounds: int = 500
    """Rounds of bidding and learning; what was learned from is not met again."""
    tables: int = 32_768
    """Tables a round."""
    batch: int = 8192
    """Situations a step."""
    learning_rate: float = 1e-3
    """AdamW's, at its highest."""
    warmup: float = 0.02
    """Share of the rounds over which the learning rate rises; then it falls to zero along a cosine."""
    weight_decay: float = 1e-2
    """AdamW's."""
    clip: float = 1.0
    """Largest norm of the gradient."""
    seed: int = 0
    """Of everything random."""
    device: str = "auto"
    """`auto`, `cpu` or `cuda`."""
    save_every: int = 120
    """Seconds between checkpoints."""

    def __post_init__(self) -> None:
        if min(self.rounds, self.tables, self.batch) < 1 or self.learning_rate <= 0 or not 0 <= self.warmup < 1:
            raise BridgeError("rounds, tables, batch and learning_rate are above 0, warmup is from 0 to below 1")
        if not (0 <= self.others_share <= 1 and 0 <= self.sampled <= 1):
            raise BridgeError("others_share and sampled are shares, from 0 to 1")

    @property
    def architecture(self) -> Architecture:
        return Architecture(
            outputs=OUTPUTS,
            width=self.width,
            depth=self.depth,
            kind=self.kind,
            activation=self.activation,
            hand_features=self.hand_features,
        )


def train(
    settings: Settings, folder: Path, seconds: float | None = None, tensorboard: bool = False
) -> networks.Card | None:
    """Train, or go on training, in `folder`; stop after so many seconds. The card when it is finished."""
    run = Run(folder, settings, seconds, tensorboard)
    device = pick_device(settings.device)
    torch.manual_seed(settings.seed)
    network = Layers(settings.architecture).to(device)
    capture = device.type == "cuda"
    rate = torch.tensor(settings.learning_rate) if capture else settings.learning_rate
    optimizer = torch.optim.AdamW(
        network.parameters(), rate, weight_decay=settings.weight_decay, fused=True, capturable=capture
    )
    learn: Step = _step(settings, network, optimizer)
    learn = Captured(learn) if capture else learn
    players = _players(settings, device)
    parts = {"network": network, "optimizer": optimizer}
    number = run.resume(**parts)
    run.say(f"auctions of {settings.policy} with itself and {len(settings.others)} others; on {device}")
    started, first, shown, learned = time.monotonic(), number, 0.0, 0
    while number < settings.rounds:
        set_rate(optimizer, settings.learning_rate * warmed(number / settings.rounds, settings.warmup))
        source = torch.Generator(device).manual_seed(settings.seed * 1_000_003 + number + 1)
        bits, _ = situations(settings, players, settings.tables, source)
        order = torch.randperm(len(bits), generator=source, device=device)
        batch = min(settings.batch, len(bits))
        losses = [learn(bits[order[start : start + batch]])[0] for start in range(0, len(bits) - batch + 1, batch)]
        number, learned = number + 1, learned + len(bits)
        last = number == settings.rounds
        if run.time_to_save(settings.save_every) or last:
            run.save(number, **parts)
        if time.monotonic() - shown > 10 or last:
            shown = time.monotonic()
            took = shown - started
            told = {"surprise": float(torch.stack(losses).mean()), "situations/s": learned / took}
            run.log(number, settings.rounds, told, left=(settings.rounds - number) * took / (number - first))
        if run.out_of_time() and not last:
            run.save(number, **parts)
            run.say(f"stopped after round {number:,} of {settings.rounds:,}; the same command goes on from here")
            return None
    return _store(settings, folder / f"{settings.name}.npz", network, players, device)


def _players(settings: Settings, device: torch.device) -> list[nn.Module]:
    """The policy, then those it meets."""
    return [frozen(policy(name)).to(device) for name in (settings.policy, *settings.others)]


@torch.no_grad()
def situations(
    settings: Settings, players: Sequence[nn.Module], tables: int, source: torch.Generator
) -> tuple[Tensor, Tensor]:
    """What the policy saw whenever it was to call at so many tables, then the three hidden hands: uint8 [M, 636].

    And how many calls had been made: int64 [M].
    """
    device = source.device

    def whole(below: int, count: int = tables) -> Tensor:
        return torch.randint(0, below, (count,), generator=source, device=device)

    owner = random_owners(tables, source)
    foreign = torch.rand(tables, generator=source, device=device) < settings.others_share * (len(players) > 1)
    met = torch.where(foreign, 1 + whole(max(1, len(players) - 1)), 0)
    sits = whole(2)
    seats = torch.stack([torch.where(sits == side, 0, met) for side in (0, 1)], dim=1)
    drawn = torch.rand(tables, generator=source, device=device) < settings.sampled
    seen: list[Tensor] = []
    made: list[Tensor] = []

    def choose(now: Moment) -> Tensor:
        own = (now.caller == 0).nonzero()[:, 0]
        seen.append(now.bits[own])
        made.append(now.auctions.length[own])
        return torch.where(drawn[now.table], chosen(now.chances, source, False), chosen(now.chances, source, True))

    start = Auctions.start(whole(4), whole(4))
    bid_out(start, Hands.of(owner), players, seats, choose, encodings.value)
    return torch.cat(seen), torch.cat(made)


def surprise(network: nn.Module, bits: Tensor) -> Tensor:
    """float32 [M]: the mean surprise, in nats, at the holder of a hidden card; 1.099 for one who knows nothing."""
    with torch.autocast(bits.device.type, dtype=torch.bfloat16):
        scores = network(bits[:, : encodings.POLICY].to(torch.bfloat16))
    chances = scores.float().view(-1, HOLDERS, 52).log_softmax(dim=1)
    held = bits[:, encodings.POLICY :].view(-1, HOLDERS, 52)
    lost: Tensor = -(chances * held).sum(dim=(1, 2)) / 39
    return lost


def _step(settings: Settings, network: Layers, optimizer: torch.optim.Optimizer) -> Step:
    def learn(bits: Tensor) -> tuple[Tensor]:
        network.train()
        loss = surprise(network, bits).mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(network.parameters(), settings.clip)
        optimizer.step()
        return (loss.detach(),)

    return learn


@torch.no_grad()
def measured(network: nn.Module, bits: Tensor, calls: Tensor) -> dict[str, Any]:
    """How good its beliefs are on these situations uint8 [M, 636], before which so many `calls` [M] were made.

    The surprise; how many of partner's cards are among the 13 it thinks likeliest; by how much the points and the
    suit lengths that it expects of a hidden hand are off on average, beside those of a player who only counts his own;
    calibration: of the cards that are said to be somewhere with a chance in a tenth, [the mean chance, how often they
    are there]. `by calls` has surprise and partner's cards by the number of calls.
    """
    parts = [_judged(network, bits[start : start + BLOCK]) for start in range(0, len(bits), BLOCK)]
    judged = {name: torch.cat([part[name] for part in parts]) for name in parts[0]}
    said, there = (judged.pop(name).flatten() for name in ("said", "there"))
    figures: dict[str, Any] = {name: round(float(told.mean()), 4) for name, told in judged.items()}
    tenth = (said * 10).long().clamp(max=9)
    figures["calibration"] = [
        [round(float(one[tenth == place].mean()), 4) for one in (said, there)]
        for place in range(10)
        if bool((tenth == place).any())
    ]
    figures["by calls"] = {}
    for count in range(int(calls.max()) + 1):
        rows = calls == count
        if int(rows.sum()) >= ENOUGH:
            told = (judged["surprise"], judged["partner's cards"])
            figures["by calls"][str(count)] = [round(float(one[rows].mean()), 4) for one in told]
    return figures | {"of": len(bits)}


def _judged(network: nn.Module, bits: Tensor) -> dict[str, Tensor]:
    """Of each situation; `said` and `there` of each card that it does not see, for each holder."""
    chances = network(bits[:, : encodings.POLICY].float()).float().view(-1, HOLDERS, 52).softmax(dim=1)
    own = bits[:, encodings.POLICY - 52 : encodings.POLICY].float()
    held = bits[:, encodings.POLICY :].view(-1, HOLDERS, 52).float()
    hidden = held.sum(dim=1)
    likeliest = chances[:, 1].masked_fill(own > 0, -1).topk(13, dim=1).indices
    card = torch.arange(52, device=bits.device)
    counts = {"points": (card // 4 - 8).clamp(min=0)[None].float()}
    counts["length"] = functional.one_hot(card % 4, 4).T.float()
    told = {
        "surprise": -(chances.clamp(min=1e-9).log() * held).sum(dim=(1, 2)) / 39,
        "partner's cards": held[:, 1].gather(1, likeliest).mean(dim=1),
    }
    for name, count in counts.items():
        expected, true = ((part * hidden[:, None]) @ count.T for part in (chances, held))
        unknowing = (hidden @ count.T / HOLDERS)[:, None].expand_as(true)
        told[f"{name} off"] = (expected - true).abs().mean(dim=(1, 2))
        told[f"{name} off, own hand only"] = (unknowing - true).abs().mean(dim=(1, 2))
    there = hidden[:, None].expand_as(held) > 0
    return told | {"said": chances[there], "there": held[there]}


def _store(
    settings: Settings, path: Path, network: Layers, players: Sequence[nn.Module], device: torch.device
) -> networks.Card:
    """Write weights and card, measured, as rounded to 16 bits, on deals of its own."""
    stored = {name: array.astype("float16") for name, array in network.arrays().items()}
    network.take(stored)
    network.eval()
    source = torch.Generator(device).manual_seed(settings.seed * 1_000_003)
    seen = situations(settings, players, MEASURED, source)
    used = {name: read_card(weights_path(name)).sha256 for name in (settings.policy, *settings.others)}
    return networks.write(
        path,
        stored,
        {
            "name": path.stem,
            "purpose": f"believes where the hidden cards are, as {settings.policy} bids",
            "architecture": network.architecture,
            "training": {
                "method": "belief",
                "networks": used,
                "settings": asdict(settings),
                "commit": source_commit(),
            },
            "metrics": measured(network, *seen),
        },
    )
