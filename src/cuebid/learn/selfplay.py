"""A policy made strong by bidding against itself (Qiu et al. 2024, section IV; Gong et al. 2019; Kita et al. 2024)."""

from __future__ import annotations

import copy
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor, nn

from cuebid import networks
from cuebid.agents.load import weights_path
from cuebid.game import BridgeError
from cuebid.learn.adan import Adan
from cuebid.learn.dealing import Deals, SolvedDeals, Vulnerabilities
from cuebid.learn.league import League, Opponents
from cuebid.learn.networks import Layers, ranges
from cuebid.learn.replay import Replay
from cuebid.learn.rollout import LARGEST_IMPS, Reward, Transitions, duel, play
from cuebid.learn.runs import Run, pick_device, source_commit
from cuebid.learn.updates import Learner, Told, Weights, a2c_replay, ppo
from cuebid.networks.architecture import Activation, Architecture, Kind

Algorithm = Literal["ppo", "a2c-replay"]
Optimizer = Literal["adamw", "adan", "rmsprop"]


@dataclass(frozen=True, slots=True)
class Settings:
    """How a policy is trained by self-play."""

    name: str
    """What the network will be called; the run lives in runs/NAME."""
    purpose: str = "policy trained by self-play"
    """What the card says it is for."""
    start: str = ""
    """The policy to start from: a shipped name or a weights file; empty: from nothing."""
    deals: tuple[str, ...] = ()
    """Stores of solved deals; empty: the shipped ones, to try things only."""
    validation: int = 2000
    """So many of the last deals are kept apart to watch the training with."""
    vulnerability: Vulnerabilities = "random"
    """`random`, or `none`: nobody vulnerable, as in the papers."""
    reward: Reward = "imps"
    """`imps` against the other table, or the raw `score` (Kita)."""
    width: int = 1024
    """Neurons in each hidden layer, where the policy starts from nothing."""
    depth: int = 4
    """Hidden layers, likewise."""
    kind: Kind = "mlp"
    """`mlp` or `residual`, likewise."""
    activation: Activation = "gelu"
    """`gelu` or `relu`, likewise."""
    hand_features: bool = False
    """Counts of the own hand as further inputs, likewise."""
    value_width: int = 1024
    """Neurons in each hidden layer of the value network."""
    value_sees_all: bool = True
    """Whether the value network sees all four hands; `false` is the paper's ablation No HI."""
    algorithm: Algorithm = "ppo"
    """`ppo` (clipped, several passes) or `a2c-replay` (Qiu et al.)."""
    rounds: int = 1000
    """Rounds of bidding and learning."""
    tables: int = 65536
    """Tables a round: every deal is bid at two."""
    minibatch: int = 16384
    """Transitions a step."""
    epochs: int = 2
    """PPO: passes over what was seen."""
    clip: float = 0.2
    """PPO: how far a chance may move in one round."""
    updates: int = 10
    """A2C: steps a round."""
    replay: int = 80_000
    """A2C: capacity of the buffer, in transitions."""
    burn_in: int = 20_000
    """A2C: transitions in the buffer before the first step."""
    priority_exponent: float = 0.8
    """A2C: how strongly large advantages are preferred; 0 is the paper's ablation No PR."""
    importance_exponent: float = 0.6
    """A2C: how much of that preference is undone by weights."""
    largest_ratio: float = 10.0
    """A2C: cap of the importance ratio."""
    optimizer: Optimizer = "adamw"
    """`adamw`, `adan` (Qiu et al.) or `rmsprop` (Gong et al.)."""
    learning_rate: float = 1e-4
    """Of the policy, at first."""
    value_learning_rate: float = 1e-4
    """Of the value network, at first."""
    last_rate: float = 0.05
    """The share of both learning rates that is left at the end, on a straight line."""
    entropy: float = 0.02
    """Weight of the policy's entropy, at first."""
    last_entropy: float = 0.01
    """The same at the end, on a straight line."""
    pull: float = 0.0
    """Weight of the divergence from the starting policy, which keeps the bidding readable, at first."""
    last_pull: float = 0.0
    """The same at the end, on a straight line."""
    gradient: float = 0.5
    """Largest norm of each network's gradient."""
    value_rounds: int = 20
    """First rounds in which only the value network learns, where the policy starts from another."""
    opponents: Opponents = "self"
    """`self`, `league` (past selves equally often) or `prioritized` (those that hurt more, more often)."""
    league_share: float = 0.7
    """Share of the rounds against the league; the others are against itself."""
    league_every: int = 50
    """Rounds between new members."""
    league_most: int = 20
    """Members at most."""
    average: float = 0.0
    """How much of the averaged weights stays each round (0.99: some 100 rounds); they are stored. 0: none."""
    lowest_entropy: float = 0.01
    """The run stops when the policy's entropy falls below this."""
    evaluate_every: int = 100
    """Rounds between matches against the starting policy and the newest member."""
    evaluate_deals: int = 4096
    """Deals of each of those matches."""
    seed: int = 0
    """Of everything random."""
    device: str = "auto"
    """`auto`, `cpu` or `cuda`."""
    save_every: int = 60
    """Seconds between checkpoints."""

    def __post_init__(self) -> None:
        counts = (self.rounds, self.minibatch, self.epochs, self.updates, self.replay, self.league_every)
        if min(*counts, self.league_most, self.evaluate_every, self.evaluate_deals) < 1 or self.tables < 2:
            raise BridgeError(
                "rounds, tables, minibatch, epochs, updates, replay and the like are at least 1, tables 2"
            )
        if self.algorithm == "a2c-replay" and self.burn_in > self.replay:
            raise BridgeError(f"a buffer of {self.replay} never holds the {self.burn_in} transitions of burn_in")

    @property
    def architecture(self) -> Architecture:
        return Architecture(
            width=self.width,
            depth=self.depth,
            kind=self.kind,
            activation=self.activation,
            hand_features=self.hand_features,
        )


class SelfPlay:
    """A run's networks, opponents and randomness, and one round of it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.device = pick_device(settings.device)
        torch.manual_seed(settings.seed)
        self.policy = _starting_policy(settings).to(self.device)
        self.begin = copy.deepcopy(self.policy).eval().requires_grad_(False)
        inputs = 636 if settings.value_sees_all else 480
        value = Layers(Architecture(inputs=inputs, outputs=1, width=settings.value_width, depth=4)).to(self.device)
        self.learner = Learner(
            self.policy,
            value,
            _optimizer(settings, self.policy, value),
            self.begin if settings.pull or settings.last_pull else None,
            inputs,
            settings.gradient,
        )
        self.league = League(self.policy, settings.opponents, settings.league_most)
        self.replay = Replay(settings.replay, settings.priority_exponent, self.device)
        self.averaged = copy.deepcopy(self.begin)
        self.source = torch.Generator(self.device).manual_seed(settings.seed)
        self.choices = torch.Generator().manual_seed(settings.seed)
        self.deals, self.watch = SolvedDeals.read(
            settings.deals, self.device, settings.vulnerability, settings.validation
        )
        self.trained = 0
        """Transitions learned from so far."""

    def parts(self) -> dict[str, Any]:
        """All that a checkpoint keeps."""
        return {
            "policy": self.policy,
            "value": self.learner.value,
            "optimizer": self.learner.optimizer,
            "averaged": self.averaged,
            "league": self.league,
            "replay": self.replay,
            "randomness": self,
        }

    def state_dict(self) -> dict[str, Any]:
        return {
            "source": self.source.get_state(),
            "choices": self.choices.get_state(),
            "trained": self.trained,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.source.set_state(state["source"])
        self.choices.set_state(state["choices"])
        self.trained = state["trained"]

    def round(self, number: int) -> Told | None:
        """Bid, learn, and now and then admit the new self to the league; nothing told while the buffer burns in."""
        settings = self.settings
        if settings.opponents != "self" and number % settings.league_every == 0:
            self.league.admit(self.policy)
        seen = self._bid()
        self._schedule(number)
        self.policy.train()
        told = self._learn(seen, self._weights(number))
        self.trained += len(seen)
        if settings.average:
            with torch.no_grad():
                for kept, new in zip(self.averaged.parameters(), self.policy.parameters(), strict=True):
                    kept.lerp_(new, 1 - settings.average)
        return told

    def _bid(self) -> Transitions:
        """A round of bidding against itself or a member of the league."""
        settings = self.settings
        deals = self.deals.draw(settings.tables // 2, self.source)
        against = None
        if len(self.league) and float(torch.rand((), generator=self.choices)) < settings.league_share:
            against = self.league.choose(self.choices)
        other: nn.Module = self.policy if against is None else self.league.members[against]
        self.policy.eval()
        learners = 2 if against is None else 1
        won, seen = play(deals, (self.policy, other), self.source, learners=learners, reward=settings.reward)
        if against is not None:
            self.league.learn(against, float(won.double().mean()))
        assert seen is not None
        return seen

    def _learn(self, seen: Transitions, weights: Weights) -> Told | None:
        settings = self.settings
        if settings.algorithm == "ppo":
            return ppo(self.learner, seen, weights, settings.epochs, settings.minibatch, settings.clip, self.source)
        self.replay.add(seen)
        if len(self.replay) < settings.burn_in:
            return None
        return a2c_replay(
            self.learner,
            self.replay,
            weights,
            settings.updates,
            settings.minibatch,
            settings.importance_exponent,
            settings.largest_ratio,
            self.source,
        )

    def _schedule(self, number: int) -> None:
        settings = self.settings
        share = 1 - (1 - settings.last_rate) * number / settings.rounds
        rates = (settings.learning_rate, settings.value_learning_rate)
        for group, rate in zip(self.learner.optimizer.param_groups, rates, strict=True):
            group["lr"] = rate * share

    def _weights(self, number: int) -> Weights:
        settings, share = self.settings, number / self.settings.rounds
        return Weights(
            policy=0.0 if settings.start and number < settings.value_rounds else 1.0,
            entropy=settings.entropy + share * (settings.last_entropy - settings.entropy),
            pull=settings.pull + share * (settings.last_pull - settings.pull),
        )

    @property
    def result(self) -> Layers:
        """The policy that is stored: averaged, if that was asked for."""
        return self.averaged if self.settings.average else self.policy

    def watched(self) -> Deals:
        """The same deals every time."""
        source = torch.Generator(self.device).manual_seed(self.settings.seed + 1)
        return self.watch.draw(self.settings.evaluate_deals, source)

    def evaluate(self) -> dict[str, float]:
        """IMPs a deal of the policy as it would be stored, against its start and the newest member of the league."""
        self.result.eval()
        deals = self.watched()
        told = dict(zip(("IMPs v start", "± start"), duel(deals, self.result, self.begin), strict=True))
        if len(self.league):
            newest = duel(deals, self.result, self.league.members[-1])
            told |= zip(("IMPs v league", "± league"), newest, strict=True)
        return told


def train(
    settings: Settings, folder: Path, seconds: float | None = None, tensorboard: bool = False
) -> networks.Card | None:
    """Train, or go on training, in `folder`; stop after so many seconds. The card when it is finished."""
    run = Run(folder, asdict(settings), seconds, tensorboard)
    game = SelfPlay(settings)
    number = run.resume(**game.parts())
    run.say(f"{len(game.deals):,} solved deals x 96 images, {len(game.watch):,} kept apart; on {game.device}")
    mark = (time.monotonic(), number, game.trained)
    while number < settings.rounds:
        told = game.round(number)
        number += 1
        last = number == settings.rounds
        looked = number % settings.evaluate_every == 0 or last
        if told is not None and (looked or run.time_to_save(settings.save_every) or run.out_of_time()):
            figures = _told(told, settings)
            run.save(number, **game.parts())
            took, rounds, calls = time.monotonic() - mark[0], number - mark[1], game.trained - mark[2]
            figures = {"calls/s": calls / took, **figures, **(game.evaluate() if looked else {})}
            run.log(number, settings.rounds, figures, left=(settings.rounds - number) * took / rounds)
            mark = (time.monotonic(), number, game.trained)
        if run.out_of_time() and not last:
            run.save(number, **game.parts())
            run.say(f"stopped after round {number:,} of {settings.rounds:,}; the same command goes on from here")
            return None
    return _finish(settings, run, game)


def _told(told: Told, settings: Settings) -> dict[str, float]:
    """The figures of an update, unless they say that the run is lost."""
    figures = told.figures()
    if figures["entropy"] < settings.lowest_entropy:
        raise BridgeError(
            f"the policy's entropy has collapsed to {figures['entropy']:.4f}; the last checkpoint stands. "
            "Raise `entropy`, or lower the learning rate"
        )
    scale = LARGEST_IMPS if settings.reward == "imps" else 1
    figures["value error"] = figures["value error"] ** 0.5 * scale
    return figures


def _starting_policy(settings: Settings) -> Layers:
    if not settings.start:
        return Layers(settings.architecture)
    arrays, card = networks.read(weights_path(settings.start))
    policy = Layers(card.architecture)
    policy.take(arrays)
    return policy


def _optimizer(settings: Settings, policy: nn.Module, value: nn.Module) -> torch.optim.Optimizer:
    groups = [
        {"params": list(policy.parameters()), "lr": settings.learning_rate},
        {"params": list(value.parameters()), "lr": settings.value_learning_rate},
    ]
    if settings.optimizer == "adan":
        return Adan(groups)
    if settings.optimizer == "rmsprop":
        return torch.optim.RMSprop(groups)
    return torch.optim.AdamW(groups, weight_decay=0.0, eps=1e-5, fused=True)


def _finish(settings: Settings, run: Run, game: SelfPlay) -> networks.Card:
    """Write the weights and their card, with the last comparison on the deals that were kept apart."""
    policy = game.result
    policy.eval()
    bits, legal = _moments(game)
    arrays: dict[str, Any] = policy.arrays() | {"ranges": ranges(policy, bits)}
    play_in, changed = networks.choose_form(arrays, policy.architecture, bits.cpu().numpy(), legal.cpu().numpy())
    metrics = {name: round(value, 4) for name, value in game.evaluate().items()}
    return networks.write(
        run.folder / f"{settings.name}.npz",
        arrays,
        {
            "name": settings.name,
            "purpose": settings.purpose,
            "architecture": policy.architecture,
            "play": play_in,
            "training": {
                "method": f"self-play, {settings.algorithm}",
                "deals": len(game.deals),
                "transitions": game.trained,
                "settings": asdict(settings),
                "commit": source_commit(),
            },
            "metrics": metrics | {"calls changed by int8": round(changed, 5)},
        },
    )


def _moments(game: SelfPlay) -> tuple[Tensor, Tensor]:
    """Situations that the policy itself comes to: bits uint8 [M, 480] and legal bool [M, 38]."""
    deals = game.watched()
    _, seen = play(deals, (game.result, game.result), torch.Generator(game.device), greedy=True, learners=2)
    assert seen is not None
    return seen.bits[:20_000, :480], seen.legal[:20_000]
