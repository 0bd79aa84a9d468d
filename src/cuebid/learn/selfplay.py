"""A policy made strong by bidding against itself (Qiu et al. 2024, section IV; Gong et al. 2019; Kita et al. 2024)."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from cuebid import networks
from cuebid.agents.load import weights_path
from cuebid.game import BridgeError
from cuebid.learn.accuracy import measured as accuracy_of
from cuebid.learn.examples import Boards, Examples
from cuebid.learn.networks import ranges
from cuebid.learn.rollout import LARGEST_IMPS
from cuebid.learn.rounds import SelfPlay
from cuebid.learn.runs import Run, source_commit
from cuebid.learn.selfplay_settings import Settings
from cuebid.learn.updates import Told
from cuebid.networks.weights import read_card

__all__ = ["Settings", "train"]


def train(
    settings: Settings, folder: Path, seconds: float | None = None, tensorboard: bool = False
) -> networks.Card | None:
    """Train, or go on training, in `folder`; stop after so many seconds. The card when it is finished."""
    run = Run(folder, settings, seconds, tensorboard)
    game = SelfPlay(settings)
    number = run.resume(**game.parts())
    solved = len(game.deals) - settings.estimated
    estimated = f" and {settings.estimated:,} estimated ones" if settings.estimated else ""
    run.say(f"{solved:,} solved deals{estimated} x 96 images, {len(game.watch):,} kept apart; on {game.device}")
    unit = "decisions/s" if settings.algorithm == "postmortem" else "calls/s"
    measured: dict[str, float] = {}
    mark = (time.monotonic(), number, game.trained)
    while number < settings.rounds:
        begun = time.monotonic()
        told = game.round(number)
        game.seconds += time.monotonic() - begun
        number += 1
        last = number == settings.rounds
        looked = number % settings.evaluate_every == 0 or last
        if told is not None and (looked or run.time_to_save(settings.save_every) or run.out_of_time()):
            figures = _told(told, settings)
            run.save(number, **game.parts())
            took, rounds, calls = time.monotonic() - mark[0], number - mark[1], game.trained - mark[2]
            figures = {unit: calls / took, "minutes": game.seconds / 60, **figures}
            if settings.agreement:
                figures["imitation"] = game.imitation
            if looked:
                measured = game.evaluate()
                figures |= measured
            run.log(number, settings.rounds, figures, left=(settings.rounds - number) * took / rounds)
            mark = (time.monotonic(), number, game.trained)
        if settings.keep_every and number % settings.keep_every == 0:
            _store(settings, folder / f"round-{number}.npz", game, {})
        if run.out_of_time() and not last:
            run.save(number, **game.parts())
            run.say(f"stopped after round {number:,} of {settings.rounds:,}; the same command goes on from here")
            return None
    metrics = {name: round(value, 4) for name, value in (measured or game.evaluate()).items()}
    return _store(settings, folder / f"{settings.name}.npz", game, metrics)


def _told(told: Told, settings: Settings) -> dict[str, float]:
    """The figures of an update, unless they say that the run is lost."""
    figures = told.figures()
    if figures["entropy"] < settings.lowest_entropy:
        raise BridgeError(
            f"the policy's entropy has collapsed to {figures['entropy']:.4f}; the last checkpoint stands. "
            "Raise `entropy`, or lower the learning rate"
        )
    scale = LARGEST_IMPS if settings.reward == "imps" else 1
    if "value error" in figures:
        figures["value error"] = figures["value error"] ** 0.5 * scale
    return figures


def _used(settings: Settings) -> dict[str, str]:
    """The networks that a run starts from, meets, asks for tricks and is measured against, with their checksums."""
    names = filter(None, (settings.start, settings.estimator, *settings.rivals, *settings.against))
    return {name: read_card(weights_path(name)).sha256 for name in names}


def _store(settings: Settings, path: Path, game: SelfPlay, metrics: dict[str, Any]) -> networks.Card:
    """Write the policy as it stands, with its card."""
    policy = game.result
    policy.eval()
    bits, legal = game.situations()
    arrays: dict[str, Any] = policy.arrays() | {"ranges": ranges(policy, bits)}
    play_in, changed = networks.choose_form(arrays, policy.architecture, bits.cpu().numpy(), legal.cpu().numpy())
    if settings.corpus:
        tested = Examples.joined([Examples.of(Boards.read(path).split()[1]) for path in settings.corpus])
        metrics["agreement with the corpus"] = accuracy_of(arrays, policy.architecture, play_in, tested)["accuracy"]
    return networks.write(
        path,
        arrays,
        {
            "name": path.stem,
            "purpose": settings.purpose,
            "architecture": policy.architecture,
            "play": play_in,
            "training": {
                "method": f"self-play, {settings.algorithm}",
                "solved deals": len(game.deals) - settings.estimated,
                "estimated deals": settings.estimated,
                "networks": _used(settings),
                "transitions": game.trained,
                "settings": asdict(settings),
                "commit": source_commit(),
            },
            "metrics": metrics | {"calls changed by int8": round(changed, 5)},
        },
    )
