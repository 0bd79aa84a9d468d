"""Random legal calls a second, with the legal mask and the 480 bits before each: ours, OpenSpiel's, pgx's.

python benchmarks/rules.py                  # one core; pgx only where it is installed
python benchmarks/rules.py --device cuda    # ours on a GPU
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

SECONDS = 3.0
WARM_UP = 100
"""Turns before the clock starts."""


def ours(tables: int, device: str) -> float:
    """Calls a second; every fourth turn the tables that have finished get new deals. Idle turns do not count."""
    from cuebid.vector import Auctions, Hands, encodings

    rng = np.random.default_rng(1)
    owner = rng.permuted(np.tile(np.repeat(np.arange(4, dtype=np.uint8), 13), (tables, 1)), axis=1)
    dealer, vulnerability = rng.integers(0, 4, (2, tables))
    if device == "numpy":
        xp: Any = np
        uniform, wait = rng.random, lambda: None
    else:
        import torch

        xp = torch
        owner, dealer, vulnerability = (torch.from_numpy(a).to(device) for a in (owner, dealer, vulnerability))
        generator = torch.Generator(device).manual_seed(1)
        uniform = lambda count: torch.rand(count, generator=generator, device=device)  # noqa: E731
        wait = torch.cuda.synchronize if device.startswith("cuda") else lambda: None

    auctions, hands = Auctions.start(dealer, vulnerability), Hands.of(owner)
    calls, start = 0, time.perf_counter()
    for turn in count():
        if turn == WARM_UP:
            wait()
            calls, start = 0, time.perf_counter()
        if turn > WARM_UP and turn % 16 == 0 and time.perf_counter() - start > SECONDS:
            break
        if turn % 4 == 0:
            over = auctions.over
            auctions.restart(over)
            hands = Hands(xp.where(over[:, None, None], xp.roll(hands.words, 1, 0), hands.words))
        legal = auctions.legal()
        encodings.policy(auctions, hands)
        calls = calls + xp.where(auctions.over, 0, 1).sum()
        auctions.step(_choose(xp, legal, auctions.highest, uniform(len(auctions))))
    calls = int(calls)
    wait()
    return calls / (time.perf_counter() - start)


def _choose(xp: Any, legal: Any, highest: Any, uniform: Any) -> Any:
    """A legal call, all equally likely: pass, then double or redouble if there is one, then the higher bids."""
    special = legal[:, 1] | legal[:, 2]
    choices = 35 - highest + xp.where(special, 1, 0)
    chosen = (uniform * choices).astype(np.int64) if xp is np else (uniform * choices).long()
    bid = 3 + highest + chosen - xp.where(special, 1, 0)
    doubling = xp.where(legal[:, 1], 1, 2)
    return xp.where(chosen == 0, 0, xp.where(special & (chosen == 1), doubling, bid))


def openspiel() -> float:
    """Its fastest loop: the tensor written into a buffer, the mask as a list, one table at a time."""
    import random

    import pyspiel

    game = pyspiel.load_game("bridge", {"use_double_dummy_result": False})
    source, buffer = random.Random(1), np.zeros(571, dtype=np.float32)
    deals = []
    for _ in range(200):
        state = game.new_initial_state()
        cards = list(range(52))
        source.shuffle(cards)
        for card in cards:
            state.apply_action(card)
        deals.append(state)
    calls, auction = 0, 1  # the phase number of bidding
    start = time.perf_counter()
    while time.perf_counter() - start < SECONDS:
        for deal in deals:
            state = deal.clone()
            while not state.is_terminal() and state.current_phase() == auction:
                legal = state.legal_actions()
                state.write_observation_tensor(buffer)
                state.apply_action(legal[int(source.random() * len(legal))])
                calls += 1
    return calls / (time.perf_counter() - start)


def pgx(tables: int) -> float:
    """Its batch, compiled, with its automatic restart."""
    import jax
    import jax.numpy as jnp
    from pgx.bridge_bidding import BridgeBidding
    from pgx.experimental import auto_reset

    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "deals.npy"
        np.save(table, _pgx_deals(64))
        env = BridgeBidding(str(table))

    def play(state: Any, key: Any) -> Any:
        def turn(state: Any, key: Any) -> tuple[Any, None]:
            choose, reset = jax.random.split(key)
            calls = jax.random.categorical(choose, jnp.log(state.legal_action_mask.astype(jnp.float32)), axis=-1)
            keys = jax.random.split(reset, tables)
            return jax.vmap(auto_reset(env.step, env.init))(state, calls, keys), None

        return jax.lax.scan(turn, state, jax.random.split(key, 100))[0]

    play = jax.jit(play)
    key = jax.random.PRNGKey(0)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(key, tables))
    state = jax.block_until_ready(play(state, key))
    calls, start = 0, time.perf_counter()
    while time.perf_counter() - start < SECONDS:
        key, next_key = jax.random.split(key)
        state = jax.block_until_ready(play(state, next_key))
        calls += 100 * tables
    return calls / (time.perf_counter() - start)


def _pgx_deals(count: int) -> np.ndarray:
    """A table of deals in its form: keys of four numbers (a suit each, a base-4 digit a card), then values."""
    owner = np.random.default_rng(1).permuted(np.tile(np.repeat(np.arange(4), 13), (count, 1)), axis=1)
    keys = (owner.reshape(count, 4, 13) * 4 ** np.arange(12, -1, -1)).sum(axis=2)
    return np.stack([keys, np.zeros_like(keys)]).astype(np.int32)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--device", default="numpy", help="numpy (default), cpu or cuda")
    device = options.parse_args().device
    if device.startswith("cuda"):
        print(f"ours, 65,536 tables on {device}: {ours(65_536, device) / 1e6:8.2f} M calls/s")
        return
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    speed = ours(4_096, device)
    print(f"ours, 4,096 tables on one core ({device}): {speed / 1e6:8.2f} M calls/s")
    for name, measure in (("OpenSpiel", openspiel), ("pgx, 1,024 tables", lambda: pgx(1_024))):
        try:
            peer = measure()
        except ImportError as error:
            print(f"{name}: not installed ({error})")
            continue
        print(f"{name}: {peer / 1e6:8.2f} M calls/s; ours is {speed / peer:.2f} times as fast")


if __name__ == "__main__":
    main()
