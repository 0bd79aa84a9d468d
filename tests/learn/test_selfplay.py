"""Self-play: every method learns, and a run goes on exactly where it was killed."""

import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest
from support import random_estimator, small_corpus

from cuebid import BridgeError
from cuebid.networks import read

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from cuebid.learn import selfplay
from cuebid.learn.rounds import SelfPlay

SMALL = {
    "name": "small", "width": 32, "depth": 2, "hand_features": True, "value_width": 32, "rounds": 6, "tables": 128,
    "minibatch": 256, "epochs": 1, "learning_rate": 1e-3, "value_learning_rate": 1e-3, "evaluate_every": 3,
    "evaluate_deals": 64, "validation": 1000, "replay": 2000, "burn_in": 500, "updates": 3, "device": "cpu",
}  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"algorithm": "postmortem"},
        {"algorithm": "postmortem", "opponents": "prioritized", "league_every": 2, "reward": "score"},
        {"algorithm": "postmortem", "start": "sayc-sl", "pull": 0.1},
        {"algorithm": "a2c-replay"},
        {"algorithm": "a2c-replay", "priority_exponent": 0.0},
        {"algorithm": "a2c-replay", "optimizer": "adan", "vulnerability": "none"},
        {"value_sees_all": False, "value_sees_tricks": False, "value_sees_others": False},
        {"copies": 2, "trace": 0.9, "sure": 0.9},
        {"opponents": "league", "league_every": 2, "league_most": 2, "league_share": 1.0},
        {"opponents": "prioritized", "league_every": 2},
        {"opponents": "league", "league_share": 0.3, "rivals": ("sayc-sl",), "rival_share": 0.4},
        {"reward": "score", "optimizer": "rmsprop", "kind": "residual", "depth": 5, "activation": "relu"},
        {"average": 0.5},
        {"start": "sayc-sl", "pull": 0.1, "last_pull": 0.01, "value_rounds": 2},
    ],
    ids=str,
)
def test_every_method_opponent_and_ablation_runs(change, tmp_path):
    card = selfplay.train(selfplay.Settings(**(SMALL | change)), tmp_path)
    assert card is not None
    assert card.training["transitions"] > 1000
    arrays, _ = read(tmp_path / "small.npz")
    assert all(np.isfinite(array).all() for array in arrays.values())
    rows = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    expected = {"decisions/s"} if change.get("algorithm") == "postmortem" else {"calls/s", "value error"}
    assert {"minutes", "entropy", "IMPs v start"} | expected <= set(rows[-1])
    assert ("IMPs v league" in rows[-1]) == (change.get("opponents", "self") != "self")


def test_only_the_value_network_learns_at_first(tmp_path):
    asked = selfplay.Settings(**(SMALL | {"start": "sayc-sl", "value_rounds": 2, "rounds": 3}))
    game = SelfPlay(asked)
    before = [parameter.clone() for parameter in game.policy.parameters()]
    value = [parameter.clone() for parameter in game.learner.value.parameters()]
    game.round(0)
    assert all(bool((a == b).all()) for a, b in zip(before, game.policy.parameters(), strict=True))
    assert not all(bool((a == b).all()) for a, b in zip(value, game.learner.value.parameters(), strict=True))
    game.round(2)
    assert not all(bool((a == b).all()) for a, b in zip(before, game.policy.parameters(), strict=True))


@pytest.mark.parametrize("algorithm", ["postmortem", "ppo", "a2c-replay"])
def test_it_improves_on_a_small_problem(algorithm, tmp_path):
    """From a bidder that knows when to stop at nothing: against its start, by far more than the noise."""
    change = {
        "algorithm": algorithm, "rounds": 20, "tables": 256, "minibatch": 1024, "epochs": 2, "updates": 20,
        "learning_rate": 2e-3, "value_learning_rate": 2e-3, "entropy": 0.03, "lowest_entropy": 0.0,
        "evaluate_every": 20, "evaluate_deals": 1000, "width": 64, "replay": 20_000, "burn_in": 5_000,
    }  # fmt: skip
    card = selfplay.train(selfplay.Settings(**(SMALL | change)), tmp_path)
    assert card is not None
    assert card.metrics["IMPs v start"] > 10 * max(card.metrics["± start"], 0.1)


def test_killed_and_resumed_it_ends_in_the_same_bytes(tmp_path):
    change = {"algorithm": "postmortem", "opponents": "league", "league_every": 3, "rounds": 30, "save_every": 0}
    words = [f"{key}={json.dumps(value)}" for key, value in (SMALL | change).items()]
    command = [sys.executable, "-m", "cuebid", "train", "selfplay", *words, "--runs"]
    quiet = {"stdout": subprocess.DEVNULL, "env": os.environ | {"OMP_NUM_THREADS": "1"}}
    subprocess.run([*command, str(tmp_path / "whole")], check=True, **quiet)
    checkpoint, killed = tmp_path / "parts" / "small" / "checkpoint.pt", 0
    for checkpoints in (2, 9):
        with subprocess.Popen([*command, str(tmp_path / "parts")], **quiet) as process:
            seen = set()
            while process.poll() is None and len(seen) <= checkpoints:
                if checkpoint.exists():
                    seen.add(checkpoint.stat().st_mtime_ns)
                time.sleep(0.002)
            killed += process.poll() is None
            process.kill()
    assert killed, "it was never killed in the middle"
    subprocess.run([*command, str(tmp_path / "parts")], check=True, **quiet)
    first, second = ((tmp_path / part / "small" / "small.npz").read_bytes() for part in ("whole", "parts"))
    assert first == second


@pytest.mark.parametrize(
    "change",
    [
        {"opponents": "league", "league_every": 2},
        {"algorithm": "a2c-replay", "average": 0.9},
        {"algorithm": "postmortem", "perfect_defence": 0.5, "estimated": 300, "estimator": "tricks.npz",
         "opponents": "prioritized", "rivals": ("sayc-sl",), "rival_share": 0.5},
    ],
    ids=str,
)  # fmt: skip
def test_stopped_after_every_round_it_ends_in_the_same_bytes(change, tmp_path):
    if "estimator" in change:
        change = change | {"estimator": random_estimator(tmp_path / "tricks.npz")}
    asked = selfplay.Settings(**(SMALL | change))
    assert selfplay.train(asked, tmp_path / "whole") is not None
    parts = 0
    while selfplay.train(asked, tmp_path / "parts", seconds=0) is None:
        parts += 1
    assert parts == asked.rounds - 1
    first, second = ((tmp_path / part / "small.npz").read_bytes() for part in ("whole", "parts"))
    assert first == second


def test_agreement_is_held_by_the_weight_of_imitation(tmp_path):
    """Short of it, imitation is pulled up; beyond it, let go; and what was reached outlives a stop."""
    corpus = small_corpus(tmp_path / "corpus.npz", 200)
    weights = []
    for agreement in (0.1, 0.99):
        change = {"start": "sayc-sl", "corpus": (str(corpus),), "agreement": agreement, "algorithm": "postmortem"}
        change |= {"imitation": 0.5}
        asked = selfplay.Settings(**(SMALL | change))
        folder = tmp_path / str(agreement)
        while (card := selfplay.train(asked, folder, seconds=0)) is None:
            pass
        assert 0 <= card.metrics["agreement with the corpus"] <= 1
        rows = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
        weights.append([row["imitation"] for row in rows])
    falling, rising = weights
    assert falling == sorted(falling, reverse=True)
    assert rising == sorted(rising)
    assert falling[-1] < 0.5 < rising[-1]


def test_a_collapsed_policy_stops_the_run(tmp_path):
    asked = selfplay.Settings(**(SMALL | {"lowest_entropy": 5.0, "save_every": 0}))
    with pytest.raises(BridgeError, match="entropy has collapsed"):
        selfplay.train(asked, tmp_path)


@pytest.mark.parametrize("algorithm", ["postmortem", "ppo", "a2c-replay"])
def test_a_lost_run_stops_and_its_checkpoint_is_sound(algorithm, tmp_path):
    """The learning rate is made absurd after a checkpoint; what is no number is never saved."""
    change = {"algorithm": algorithm, "save_every": 0, "burn_in": 50, "minibatch": 64}
    assert selfplay.train(selfplay.Settings(**(SMALL | change)), tmp_path, seconds=0) is None
    (tmp_path / "settings.json").unlink()
    with pytest.raises(BridgeError, match="diverged"):
        selfplay.train(selfplay.Settings(**(SMALL | change | {"learning_rate": 1e38})), tmp_path)
    saved = torch.load(tmp_path / "checkpoint.pt", weights_only=True)["policy"]
    assert all(bool(tensor.isfinite().all()) for tensor in saved.values())


@pytest.mark.parametrize(
    "wrong",
    [
        {"most": 1},
        {"least": 0.0},
        {"doubt": 2.0},
        {"algorithm": "postmortem", "copies": 2},
        {"opponents": "league", "rivals": ("sayc-sl",)},
        {"opponents": "league", "rival_share": 0.2},
        {"rivals": ("sayc-sl",), "rival_share": 0.2},
        {"agreement": 0.9},
        {"average": 1.0},
        {"perfect_defence": 0.5},
        {"estimated": 10},
        {"estimator": "tricks.npz"},
    ],
    ids=str,
)
def test_settings_that_cannot_be_meant_are_refused(wrong):
    with pytest.raises(BridgeError):
        selfplay.Settings(**(SMALL | wrong))


def test_settings_files_load():
    from pathlib import Path

    from cuebid import settings
    from cuebid.learn import belief, supervised, tricks

    files = {path.stem: path for path in (Path(__file__).parents[2] / "experiments").glob("*.toml")}
    assert {"qiu-2024", "max", "sayc-sl", "tricks"} <= set(files)
    for name, path in files.items():
        method = {"tricks": tricks, "belief": belief, "tries": supervised}.get(name.split("-")[0], selfplay)
        method = supervised if "-sl" in name else method
        assert settings.load(method.Settings, path).name
