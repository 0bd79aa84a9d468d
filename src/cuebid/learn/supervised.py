"""A policy that imitates a corpus (Qiu et al. 2024, section III; Rong et al. 2019, section 4)."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from cuebid import networks
from cuebid.agents.load import weights_path
from cuebid.game import BridgeError
from cuebid.learn.accuracy import measured
from cuebid.learn.examples import Boards, Examples
from cuebid.learn.imitation import Data, log_chances
from cuebid.learn.networks import Layers, ranges
from cuebid.learn.runs import Run, pick_device, set_rate, source_commit, warmed
from cuebid.networks.architecture import Activation, Architecture, Kind


@dataclass(frozen=True, slots=True)
class Settings:
    """How a supervised policy is trained."""

    name: str
    """What the network will be called; the run lives in runs/NAME."""
    corpora: tuple[str, ...]
    """Files to learn from: corpus .npz, PBN, LIN or OpenSpiel .txt; the last 2 % of each only tests."""
    test: tuple[str, ...] = ()
    """Files to test on instead; then all of `corpora` is learned from."""
    start: str = ""
    """The network to start from, of the same layers: a shipped name or a weights file; empty: from nothing."""
    system: str = ""
    """What the corpus bids, for the card: `Standard American, EPBot's card WBridge5-Sayc`."""
    width: int = 1024
    """Neurons in each hidden layer."""
    depth: int = 4
    """Hidden layers."""
    kind: Kind = "mlp"
    """`mlp` or `residual`."""
    activation: Activation = "gelu"
    """`gelu` or `relu`."""
    hand_features: bool = False
    """Also give the network counts of its own hand: lengths, points, honours."""
    epochs: float = 10.0
    """How often each example is seen."""
    batch: int = 4096
    """Examples a step."""
    learning_rate: float = 1e-3
    """AdamW's, at its highest."""
    warmup: float = 0.05
    """Share of the steps over which the learning rate rises; then it falls to zero along a cosine."""
    weight_decay: float = 1e-2
    """AdamW's."""
    dropout: float = 0.0
    """Share of hidden neurons left out at each step."""
    label_smoothing: float = 0.0
    """Share of the target spread over all legal calls."""
    clip: float = 1.0
    """Largest norm of the gradient."""
    seed: int = 0
    """Of the first weights, the order of examples and dropout."""
    device: str = "auto"
    """`auto`, `cpu` or `cuda`."""
    save_every: int = 120
    """Seconds between checkpoints."""

    def __post_init__(self) -> None:
        if self.epochs <= 0 or self.batch < 1 or self.learning_rate <= 0 or not 0 <= self.warmup < 1:
            raise BridgeError("epochs, batch and learning_rate are above 0, and warmup is from 0 to below 1")
        if not 0 <= self.dropout < 1 or not 0 <= self.label_smoothing < 1:
            raise BridgeError("dropout and label_smoothing are shares, from 0 to below 1")

    @property
    def architecture(self) -> Architecture:
        return Architecture(
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
    learned, tested, boards = _examples(settings)
    run.say(f"{boards:,} auctions: {len(learned):,} examples to learn from, {len(tested):,} to test on; on {device}")
    data, test_data = Data(learned, device), Data(tested, device)

    torch.manual_seed(settings.seed)
    network = _starting_network(settings).to(device)
    optimizer = torch.optim.AdamW(
        network.parameters(), settings.learning_rate, weight_decay=settings.weight_decay, fused=True
    )
    steps = round(settings.epochs * len(data) / settings.batch)
    step = run.resume(network=network, optimizer=optimizer)
    started, first, shown = time.monotonic(), step, 0.0
    for rows in _batches(settings, len(data), step, steps):
        loss, right = _step(settings, network, optimizer, data, rows.to(device), step, steps)
        step += 1
        if run.time_to_save(settings.save_every) or step == steps:
            run.save(step, network=network, optimizer=optimizer)
        if time.monotonic() - shown > 10 or step == steps:
            shown = time.monotonic()
            speed = (step - first) / (shown - started)
            told = {"loss": float(loss), "accuracy": float(right), "examples/s": speed * settings.batch}
            run.log(step, steps, told, left=(steps - step) / speed)
        if run.out_of_time() and step < steps:
            run.save(step, network=network, optimizer=optimizer)
            run.say(f"stopped at step {step:,} of {steps:,}; the same command goes on from here")
            return None
    return _finish(settings, run, network, data, test_data, tested, boards)


def _starting_network(settings: Settings) -> Layers:
    network = Layers(settings.architecture, settings.dropout)
    if settings.start:
        arrays, card = networks.read(weights_path(settings.start))
        if card.architecture != settings.architecture:
            raise BridgeError(f"{settings.start} has other layers: {card.architecture}, not {settings.architecture}")
        network.take(arrays)
    return network


def _batches(settings: Settings, examples: int, step: int, steps: int) -> Iterator[Tensor]:
    """The rows of each batch from this step on: every epoch in an order of its own."""
    per_epoch = examples // settings.batch
    if per_epoch == 0:
        raise BridgeError(f"a batch of {settings.batch} is more than the {examples} examples there are")
    epoch, order = -1, torch.empty(0)
    for number in range(step, steps):
        if number // per_epoch != epoch:
            epoch = number // per_epoch
            generator = torch.Generator().manual_seed(settings.seed * 1_000_003 + epoch)
            order = torch.randperm(examples, generator=generator)
        place = number % per_epoch * settings.batch
        yield order[place : place + settings.batch].sort().values


def _examples(settings: Settings) -> tuple[Examples, Examples, int]:
    """What to learn from, what to test on, and the number of auctions of both."""
    whole = [Boards.read(path) for path in settings.corpora]
    if settings.test:
        to_learn, to_test = whole, [Boards.read(path) for path in settings.test]
    else:
        halves = [boards.split() for boards in whole]
        to_learn, to_test = [half[0] for half in halves], [half[1] for half in halves]
    learned, tested = (Examples.joined([Examples.of(boards) for boards in part]) for part in (to_learn, to_test))
    return learned, tested, sum(map(len, to_learn)) + sum(map(len, to_test))


def _step(
    settings: Settings,
    network: Layers,
    optimizer: torch.optim.Optimizer,
    data: Data,
    rows: Tensor,
    step: int,
    steps: int,
) -> tuple[Tensor, Tensor]:
    """One step of AdamW; the loss, and the share of the batch's calls that the network predicted."""
    set_rate(optimizer, settings.learning_rate * warmed(step / steps, settings.warmup))
    if settings.dropout:
        torch.manual_seed(settings.seed * 1_000_003 + step)
    network.train()
    bits, legal, call = data.batch(rows)
    chances = log_chances(network, bits, legal)
    loss = functional.nll_loss(chances, call)
    if settings.label_smoothing:
        spread = -(chances.masked_fill(~legal, 0).sum(dim=1) / legal.sum(dim=1)).mean()
        loss = (1 - settings.label_smoothing) * loss + settings.label_smoothing * spread
    optimizer.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(network.parameters(), settings.clip)
    optimizer.step()
    return loss.detach(), (chances.argmax(dim=1) == call).float().mean()


def _finish(
    settings: Settings, run: Run, network: Layers, data: Data, test_data: Data, tested: Examples, boards: int
) -> networks.Card:
    """Measure the network as it will be played, and write weights and card."""
    generator = torch.Generator().manual_seed(settings.seed)
    some = torch.randperm(len(data), generator=generator)[:20_000].to(data.bits.device)
    arrays: dict[str, Any] = network.arrays() | {"ranges": ranges(network, data.batch(some)[0])}
    bits, legal = np.unpackbits(tested.bits, axis=1), np.unpackbits(tested.legal, axis=1)[:, :38].astype(bool)
    play, changed = networks.choose_form(arrays, settings.architecture, bits, legal)
    metrics = measured(arrays, settings.architecture, play, tested) | {"calls changed by int8": round(changed, 5)}
    run.say(f"test accuracy {metrics['accuracy']:.2%} ({play}; int8 changes {changed:.2%} of the calls)")
    card = networks.write(
        run.folder / f"{settings.name}.npz",
        arrays,
        {
            "name": settings.name,
            "purpose": f"policy imitating a corpus: {settings.system}",
            "architecture": settings.architecture,
            "play": play,
            "training": {
                "method": "supervised",
                "auctions": boards,
                "examples": len(data),
                "settings": asdict(settings),
                "commit": source_commit(),
            },
            "metrics": metrics,
        },
    )
    (run.folder / "metrics.json").write_text(json.dumps(metrics, indent=1) + "\n", encoding="utf-8")
    return card
