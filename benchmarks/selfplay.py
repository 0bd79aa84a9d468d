"""Calls a second that PPO bids and learns from, both networks 4×1024, in rounds of self-play against itself.

python benchmarks/selfplay.py --tables 524288 --minibatch 65536    # one GPU
python benchmarks/selfplay.py --tables 512 --minibatch 256         # to see that it runs
"""

from __future__ import annotations

import argparse
import time

import torch

from cuebid.learn.rounds import SelfPlay
from cuebid.learn.selfplay_settings import Settings

WARM_UP, ROUNDS = 2, 3


def speed(tables: int, minibatch: int, epochs: int, deals: tuple[str, ...]) -> float:
    """Calls a second, of rounds in which both networks learn."""
    settings = Settings(
        "speed", deals=deals, hand_features=True, tables=tables, minibatch=minibatch, epochs=epochs, lowest_entropy=0.0
    )
    game = SelfPlay(settings)
    before, start = 0, 0.0
    for number in range(WARM_UP + ROUNDS):
        if number == WARM_UP:
            before, start = game.trained, _now(game.device)
        game.round(settings.value_rounds + number)
    return (game.trained - before) / (_now(game.device) - start)


def _now(device: torch.device) -> float:
    if device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tables", type=int, default=524_288, help="a round (default 524,288)")
    options.add_argument("--minibatch", type=int, default=65_536, help="calls a step (default 65,536)")
    options.add_argument("--deals", nargs="*", default=[], help="stores of solved deals (default: the shipped one)")
    asked = options.parse_args()
    for epochs in (1, 2):
        calls = speed(asked.tables, asked.minibatch, epochs, tuple(asked.deals))
        print(f"PPO, passes over a round of {asked.tables:,} tables: {epochs}; {calls / 1e6:.3f} M calls/s")


if __name__ == "__main__":
    main()
