"""Estimating double dummy tricks: a network that learns from solved deals, so that training may deal without end."""

from __future__ import annotations

import copy
import math
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from cuebid import networks
from cuebid.agents.load import weights_path
from cuebid.doubledummy import shipped_store
from cuebid.game import BridgeError
from cuebid.learn.captured import Captured, Step
from cuebid.learn.dealing import SolvedDeals, random_owners
from cuebid.learn.runs import Run, pick_device, set_rate, source_commit, warmed
from cuebid.networks import TricksArchitecture
from cuebid.networks.tricks import COUNTS
from cuebid.networks.weights import Arrays

BLOCK = 16_384
"""Deals estimated at once, to bound the memory."""


class TricksNetwork(nn.Module):
    """`TricksArchitecture` in Torch."""

    def __init__(self, architecture: TricksArchitecture, dropout: float = 0.0) -> None:
        super().__init__()
        width = architecture.width
        self.architecture = architecture
        self.enter = nn.Linear(13, width)
        self.block = nn.ModuleList(_Block(width, dropout) for _ in range(architecture.blocks))
        self.norm = nn.LayerNorm(width)
        self.trumps = nn.Linear(width, COUNTS)
        self.notrump = nn.Linear(width, COUNTS)

    def forward(self, owner: Tensor) -> Tensor:
        """Scores [N, 4, 5, 14] of each count of tricks, by declarer and strain; `owner` [N, 52] holds seats."""
        seats = torch.arange(4, device=owner.device, dtype=owner.dtype)[:, None, None]
        signal = self.enter((owner.view(-1, 1, 4, 13) == seats).to(self.enter.weight.dtype))
        for block in self.block:
            signal = block(signal)
        signal = self.norm(signal)
        return torch.cat([self.trumps(signal), self.notrump(signal.mean(dim=2, keepdim=True))], dim=2)

    def arrays(self) -> dict[str, Any]:
        """The weights as they are stored."""
        return {name: tensor.detach().float().cpu().numpy().T for name, tensor in self.state_dict().items()}

    def take(self, arrays: Arrays) -> None:
        """Go on from stored weights."""
        self.load_state_dict({name: torch.from_numpy(arrays[name].astype(np.float32).T) for name in self.state_dict()})


class _Block(nn.Module):
    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.suit = nn.Linear(4 * width, 2 * width)
        self.suits = nn.Linear(4 * width, 2 * width)
        self.out = nn.Linear(2 * width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, signal: Tensor) -> Tensor:
        """[N, 4 seats, 4 suits, width], likewise out."""
        normed: Tensor = self.norm(signal)
        seen = self.suit(_around(normed)) + self.suits(_around(normed.mean(dim=2)))[:, :, None]
        out: Tensor = signal + self.out(self.dropout(functional.gelu(seen)))
        return out


def _around(signal: Tensor) -> Tensor:
    """For each seat the signals of all four from it on to the left; seats are the second dimension."""
    return torch.cat([signal.roll(-turn, 1) for turn in range(4)], dim=-1)


def load(name: str, device: torch.device) -> TricksNetwork:
    """A trained one: a shipped name or a weights file."""
    arrays, card = networks.read(weights_path(name))
    network = TricksNetwork(card.estimator)
    network.take(arrays)
    return network.to(device).eval()


@torch.no_grad()
def chances(network: nn.Module, owner: Tensor) -> Tensor:
    """float32 [N, 4, 5, 14]: how likely each count of tricks is."""
    with torch.autocast(owner.device.type, dtype=torch.bfloat16):
        scores: Tensor = network(owner)
    return scores.float().softmax(dim=-1)


@torch.no_grad()
def estimated_deals(network: nn.Module, count: int, seed: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Random deals uint8 [N, 52] and, for each, a table of tricks uint8 [N, 4, 5] drawn by the estimated chances.

    One draw makes a whole table: where it goes well for North-South, it goes as badly for East-West.
    """
    source = torch.Generator(device).manual_seed(seed)
    owners, tables = [], []
    for start in range(0, count, BLOCK):
        size = min(BLOCK, count - start)
        owner = random_owners(size, source)
        luck = torch.rand(size, 1, 1, 1, generator=source, device=device)
        luck = torch.cat([luck, 1 - luck, luck, 1 - luck], dim=1)
        below = chances(network, owner).cumsum(dim=-1)[..., :-1]
        owners.append(owner)
        tables.append((below < luck).sum(dim=-1).to(torch.uint8))
    return torch.cat(owners), torch.cat(tables)


@dataclass(frozen=True, slots=True)
class Settings:
    """How a network is trained to estimate double dummy tricks."""

    name: str
    """What the network will be called; the run lives in runs/NAME."""
    deals: tuple[str, ...] = ()
    """Stores of solved deals; the shipped deals are taken out of them, the network is measured on those."""
    validation: int = 2000
    """So many of the last deals are kept apart to watch the training with."""
    width: int = 128
    """Numbers in each suit's signal."""
    blocks: int = 8
    """Blocks of layers."""
    epochs: float = 60.0
    """How often each deal is seen on average; its 96 images are all one to this network."""
    batch: int = 1024
    """Deals a step."""
    learning_rate: float = 2e-3
    """AdamW's, at its highest."""
    warmup: float = 0.02
    """Share of the steps over which the learning rate rises; then it falls to zero along a cosine."""
    weight_decay: float = 0.05
    """AdamW's."""
    dropout: float = 0.1
    """Share of each block's inner numbers left out at each step."""
    average: float = 0.999
    """How much of the averaged weights stays each step; they are what is stored."""
    clip: float = 1.0
    """Largest norm of the gradient."""
    seed: int = 0
    """Of the first weights, the order of the deals and dropout."""
    device: str = "auto"
    """`auto`, `cpu` or `cuda`."""
    save_every: int = 120
    """Seconds between checkpoints."""

    def __post_init__(self) -> None:
        if self.epochs <= 0 or self.batch < 1 or self.learning_rate <= 0 or not 0 <= self.warmup < 1:
            raise BridgeError("epochs, batch and learning_rate are above 0, and warmup is from 0 to below 1")
        if not (0 <= self.dropout < 1 and 0 <= self.average < 1):
            raise BridgeError("dropout and average are shares, from 0 to below 1")
        _ = self.architecture  # which refuses what cannot be built

    @property
    def architecture(self) -> TricksArchitecture:
        return TricksArchitecture(self.width, self.blocks)


def train(
    settings: Settings, folder: Path, seconds: float | None = None, tensorboard: bool = False
) -> networks.Card | None:
    """Train, or go on training, in `folder`; stop after so many seconds. The card when it is finished."""
    run = Run(folder, settings, seconds, tensorboard)
    device = pick_device(settings.device)
    deals, watch = SolvedDeals.read(settings.deals, device, "none", settings.validation)
    run.say(f"{len(deals):,} solved deals, {len(watch):,} kept apart; on {device}")
    torch.manual_seed(settings.seed)
    network = TricksNetwork(settings.architecture, settings.dropout).to(device)
    averaged = copy.deepcopy(network).eval().requires_grad_(False)
    capture = device.type == "cuda"
    optimizer = torch.optim.AdamW(
        network.parameters(),
        torch.tensor(settings.learning_rate) if capture else settings.learning_rate,
        betas=(0.9, 0.98),
        weight_decay=settings.weight_decay,
        fused=True,
        capturable=capture,
    )
    learn = _step(settings, network, averaged, optimizer)
    learn = Captured(learn) if capture else learn
    source = torch.Generator(device).manual_seed(settings.seed)
    randomness = _Randomness(source, device)
    parts = {"network": network, "averaged": averaged, "optimizer": optimizer, "randomness": randomness}
    step, steps = run.resume(**parts), math.ceil(settings.epochs * len(deals) / settings.batch)
    started, first, shown = time.monotonic(), step, 0.0
    while step < steps:
        set_rate(optimizer, settings.learning_rate * warmed(step / steps, settings.warmup))
        rows = torch.randint(0, len(deals), (settings.batch,), generator=source, device=device)
        step += 1
        new = torch.tensor(max(1 - settings.average, 1 / step), device=device)
        (loss,) = learn(deals.owner[rows], deals.tricks[rows], new)
        last = step == steps
        if run.time_to_save(settings.save_every) or last:
            run.save(step, **parts)
        if time.monotonic() - shown > 10 or last:
            shown = time.monotonic()
            speed = (step - first) / (shown - started)
            seen = measured(averaged, watch.owner, watch.tricks)
            told = {"loss": float(loss), "unseen": seen["surprise"], "MAE": seen["MAE"], "exact": seen["exact"]}
            run.log(step, steps, told | {"deals/s": speed * settings.batch}, left=(steps - step) / speed)
        if run.out_of_time() and not last:
            run.save(step, **parts)
            run.say(f"stopped at step {step:,} of {steps:,}; the same command goes on from here")
            return None
    return _store(settings, folder / f"{settings.name}.npz", averaged, len(deals), watch)


class _Randomness:
    """What a run draws from, to be kept with its checkpoint."""

    def __init__(self, source: torch.Generator, device: torch.device) -> None:
        self._source, self._device = source, device

    def state_dict(self) -> dict[str, Any]:
        of_dropout = torch.cuda.get_rng_state(self._device) if self._device.type == "cuda" else torch.get_rng_state()
        return {"deals": self._source.get_state(), "dropout": of_dropout}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._source.set_state(state["deals"])
        if self._device.type == "cuda":
            torch.cuda.set_rng_state(state["dropout"], self._device)
        else:
            torch.set_rng_state(state["dropout"])


def _step(
    settings: Settings, network: TricksNetwork, averaged: TricksNetwork, optimizer: torch.optim.Optimizer
) -> Step:
    """One step of AdamW on deals uint8 [N, 52] and their tricks [N, 4, 5]; then a share `new` goes into the average."""

    def learn(owner: Tensor, tricks: Tensor, new: Tensor) -> tuple[Tensor]:
        network.train()
        with torch.autocast(owner.device.type, dtype=torch.bfloat16):
            scores = network(owner)
        loss = functional.cross_entropy(scores.float().view(-1, COUNTS), tricks.long().view(-1))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(network.parameters(), settings.clip)
        optimizer.step()
        with torch.no_grad():
            for kept, now in zip(averaged.parameters(), network.parameters(), strict=True):
                kept.lerp_(now, new)
        return (loss.detach(),)

    return learn


def measured(network: nn.Module, owner: Tensor, tricks: Tensor) -> dict[str, float]:
    """How good its estimates are: of the likeliest count the mean error (MAE) and the share exact and within one;
    of the expected count the bias where few and where many tricks are taken; the mean surprise; calibration.
    """
    told = torch.cat([chances(network, owner[start : start + BLOCK]) for start in range(0, len(owner), BLOCK)])
    told, tricks = told.view(-1, COUNTS), tricks.view(-1).long()
    likeliest, sure = told.argmax(dim=1), told.max(dim=1).values
    error = (likeliest - tricks).abs()
    expected = told @ torch.arange(COUNTS, device=told.device, dtype=told.dtype)
    surprise = -told.gather(1, tricks[:, None]).clamp(min=1e-9).log().mean()
    figures = {
        "MAE": error.float().mean(),
        "exact": (error == 0).float().mean(),
        "within one": (error <= 1).float().mean(),
        "surprise": surprise,
        "said exact": sure.mean(),
    }
    for name, counts in (("3-5", (3, 4, 5)), ("6-10", (6, 7, 8, 9, 10)), ("11-12", (11, 12))):
        these = torch.isin(tricks, torch.tensor(counts, device=tricks.device))
        figures[f"bias at {name} tricks"] = (expected - tricks)[these].mean()
    return {name: float(value) for name, value in figures.items()}


@torch.no_grad()
def temper(network: TricksNetwork, owner: Tensor, tricks: Tensor) -> float:
    """Scale its scores so that on these deals it is as sure as it is right; what they were divided by."""
    told = torch.cat([chances(network, owner[start : start + BLOCK]) for start in range(0, len(owner), BLOCK)])
    scores, tricks = told.clamp(min=1e-9).log().view(-1, COUNTS), tricks.view(-1).long()
    temperatures = [2 ** (step / 50) for step in range(-50, 101)]
    best = min(temperatures, key=lambda one: float(functional.cross_entropy(scores / one, tricks)))
    for head in (network.trumps, network.notrump):
        head.weight.div_(best)
        head.bias.div_(best)
    return best


def _store(settings: Settings, path: Path, network: TricksNetwork, learned: int, watch: SolvedDeals) -> networks.Card:
    """Write weights and card: scaled on the deals kept apart, measured, as rounded to 16 bits, on the shipped deals.

    It has not seen those. Where it learned from them, for want of others, the deals kept apart take their place.
    """
    temperature = temper(network, watch.owner, watch.tricks)
    owner, tricks = watch.owner, watch.tricks
    if settings.deals:
        shipped = shipped_store()
        owner, tricks = (
            torch.from_numpy(np.asarray(part)).to(owner.device) for part in (shipped.owner, shipped.tricks)
        )
    network.take({name: array.astype(np.float16) for name, array in network.arrays().items()})
    metrics = {name: round(value, 4) for name, value in measured(network, owner, tricks).items()}
    return networks.write(
        path,
        network.arrays(),
        {
            "name": path.stem,
            "purpose": "estimates double dummy tricks",
            "architecture": network.architecture,
            "training": {
                "method": "tricks",
                "deals": learned,
                "settings": asdict(settings),
                "commit": source_commit(),
            },
            "metrics": metrics | {"of": tricks.numel(), "temperature": round(temperature, 3)},
        },
    )
