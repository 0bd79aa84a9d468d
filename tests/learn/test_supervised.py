"""Learning from a corpus: what the examples are, that training learns, and that it can be killed and resumed."""

import subprocess
import sys
import time

import numpy as np
import pytest
from support import random_auctions, small_corpus

from cuebid import BridgeError, Situation, Vulnerability, settings
from cuebid.agents.policy import Policy
from cuebid.game import Deal
from cuebid.vector import encodings, gather

pytest.importorskip("torch", reason="training needs the extra [train]")

from cuebid.learn import supervised
from cuebid.learn.accuracy import accuracy
from cuebid.learn.examples import Boards, Examples


def test_examples_are_the_situations_of_the_auctions():
    owner, auctions = random_auctions(300, seed=4)
    games = [auctions.to_game(table) for table in range(300)]
    calls = np.full((300, max(map(len, games))), -1, dtype=np.int8)
    for row, game in enumerate(games):
        calls[row, : len(game)] = game.calls
    vulnerability = auctions.vulnerability.astype(np.uint8)
    examples = Examples.of(Boards(owner, auctions.dealer.astype(np.uint8), vulnerability, calls), block=70)
    assert len(examples) == sum(map(len, games))

    expected = {}
    for row, game in enumerate(games):
        deal, before = Deal.from_owner(owner[row].tolist()), type(game)(game.dealer)
        for call in game.calls:
            situation = Situation.at(deal, before, Vulnerability(int(vulnerability[row])))
            bits = np.packbits(encodings.policy(*gather([situation])), axis=1)
            sides = len({seat.side for seat, made in before if made})
            expected[bits.tobytes()] = (call, len(before), sides, tuple(situation.legal))
            before = before.after(call)
    for row in range(0, len(examples), 13):
        legal = tuple(np.flatnonzero(np.unpackbits(examples.legal[row])[:38]).tolist())
        told = (examples.call[row], examples.length[row], examples.sides[row], legal)
        assert expected[examples.bits[row].tobytes()] == told


def test_an_illegal_call_in_a_corpus_is_refused(tmp_path):
    path = small_corpus(tmp_path / "c.npz", 20)
    boards = Boards.read(path)
    boards.calls[3, :2] = (10, 5)
    with pytest.raises(BridgeError, match="illegal call"):
        Examples.of(boards)


def test_the_last_part_is_for_testing_only(tmp_path):
    boards = Boards.read(small_corpus(tmp_path / "c.npz", 1000))
    learn, test = boards.split()
    assert (len(learn), len(test)) == (980, 20)
    assert (test.owner == boards.owner[980:]).all()


def test_openspiel_and_pbn_files_can_be_learned_from(tmp_path):
    from cuebid import formats

    text = (
        '[Dealer "N"]\n[Vulnerable "None"]\n'
        '[Deal "N:T943.J.J97542.73 J8652.AT6.K63.T4 K7.Q543.AQT.J865 AQ.K9872.8.AKQ92"]\n'
        '[Auction "N"]\nPass Pass Pass 1H Pass 2H Pass 4H Pass Pass Pass\n'
    )
    (tmp_path / "one.pbn").write_text(text)
    formats.write(tmp_path / "one.txt", formats.read(tmp_path / "one.pbn"))
    for name in ("one.pbn", "one.txt"):
        boards = Boards.read(tmp_path / name)
        assert boards.calls[0, :5].tolist() == [0, 0, 0, 5, 0]
        assert len(Examples.of(boards)) == 11


def test_it_learns_and_plays_what_it_learned(tmp_path):
    corpus = small_corpus(tmp_path / "c.npz", 6_000)
    asked = supervised.Settings(
        "small", (str(corpus),), width=64, depth=2, hand_features=True, epochs=6, batch=256, learning_rate=3e-3
    )
    card = supervised.train(asked, tmp_path / "run")
    assert card is not None
    assert card.metrics["accuracy"] > 0.95
    assert card.training["auctions"] == 6_000
    agent = Policy.load(tmp_path / "run" / "small.npz", "small")
    strong = Situation("AKQJ2.AT9.87.K43", dealer="N")
    assert str(agent.advise(strong).call) == "1S"
    assert agent.calls([strong, Situation("5432.J987.876.43", dealer="W", calls=["1H"])]) == [6, 0]


def test_killed_and_resumed_it_ends_in_the_same_bytes(tmp_path):
    corpus = small_corpus(tmp_path / "c.npz", 3_000)
    asked = f'name=n corpora="{corpus}" width=48 depth=2 epochs=6 batch=128 dropout=0.1 save_every=0'.split()
    command = [sys.executable, "-m", "cuebid", "train", "supervised", *asked, "--runs"]
    subprocess.run([*command, str(tmp_path / "whole")], check=True, stdout=subprocess.DEVNULL)
    killed = 0
    checkpoint = tmp_path / "parts" / "n" / "checkpoint.pt"
    for checkpoints in (1, 25, 50):  # early, while the learning rate rises, and late
        with subprocess.Popen([*command, str(tmp_path / "parts")], stdout=subprocess.DEVNULL) as process:
            seen: set[int] = set()
            while process.poll() is None and len(seen) <= checkpoints:
                if checkpoint.exists():
                    seen.add(checkpoint.stat().st_mtime_ns)
                time.sleep(0.002)
            killed += process.poll() is None
            process.kill()
    assert killed, "it was never killed in the middle"
    subprocess.run([*command, str(tmp_path / "parts")], check=True, stdout=subprocess.DEVNULL)
    first, second = ((tmp_path / part / "n" / "n.npz").read_bytes() for part in ("whole", "parts"))
    assert first == second


def test_it_can_start_from_another_network(tmp_path):
    corpus = str(small_corpus(tmp_path / "c.npz", 2_000))
    asked = {"corpora": (corpus,), "width": 32, "depth": 2, "epochs": 4, "batch": 128}
    first = supervised.train(supervised.Settings("one", **asked), tmp_path / "one")
    start = str(tmp_path / "one" / "one.npz")
    gentle = asked | {"epochs": 0.1, "learning_rate": 1e-6}
    second = supervised.train(supervised.Settings("two", start=start, **gentle), tmp_path / "two")
    assert second.metrics["accuracy"] == pytest.approx(first.metrics["accuracy"], abs=0.02)
    with pytest.raises(BridgeError, match="other layers"):
        supervised.train(supervised.Settings("three", start=start, **(asked | {"width": 33})), tmp_path / "three")


def test_a_run_with_other_settings_is_not_mixed_up(tmp_path):
    corpus = str(small_corpus(tmp_path / "c.npz", 1_000))
    asked = supervised.Settings("n", (corpus,), width=16, depth=1, epochs=1, batch=64)
    supervised.train(asked, tmp_path / "run", seconds=0)
    other = supervised.Settings("n", (corpus,), width=17, depth=1, epochs=1, batch=64)
    with pytest.raises(BridgeError, match="other settings"):
        supervised.train(other, tmp_path / "run")


def test_accuracy_is_told_by_stage_length_and_call():
    owner, auctions = random_auctions(100, seed=5)
    games = [auctions.to_game(table) for table in range(100)]
    calls = np.full((100, max(map(len, games))), -1, dtype=np.int8)
    for row, game in enumerate(games):
        calls[row, : len(game)] = game.calls
    boards = Boards(owner, auctions.dealer.astype(np.uint8), auctions.vulnerability.astype(np.uint8), calls)
    examples = Examples.of(boards)
    told = accuracy(examples, np.zeros(len(examples), dtype=np.int64))
    passes = (examples.call == 0).mean()
    assert told["accuracy"] == pytest.approx(passes, abs=1e-5)
    assert told["by call"]["P"]["recall"] == 1
    assert told["by call"]["P"]["precision"] == pytest.approx(passes, abs=1e-5)
    assert sum(part["of"] for part in told["by stage"].values()) == len(examples)
    assert sum(part["of"] for part in told["by bidding length"].values()) == len(examples)


def test_settings_refuse_what_they_do_not_know(tmp_path):
    toml = tmp_path / "s.toml"
    toml.write_text('name = "a"\ncorpora = ["x.npz"]\nwidth = 32\n')
    asked = settings.load(supervised.Settings, toml, ["depth=2", "epochs=3", "kind=mlp"])
    assert (asked.width, asked.depth, asked.epochs, asked.corpora) == (32, 2, 3.0, ("x.npz",))
    for word, says in (
        ("widht=3", "no such setting: 'widht'"),
        ("width=a", "expected a value of type int"),
        ("width=true", "expected a value of type int"),
        ("kind=cnn", "'mlp', 'residual'"),
        ("width", "key=value"),
    ):
        with pytest.raises(BridgeError, match=says):
            settings.load(supervised.Settings, toml, [word])
    with pytest.raises(BridgeError, match="must be given: name, corpora"):
        settings.load(supervised.Settings)
    described = {name: told for name, _, told in settings.described(supervised.Settings)}
    assert set(described) == set(supervised.Settings.__slots__)
    assert all(described.values()), "every setting is explained"
