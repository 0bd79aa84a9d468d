"""Estimating tricks: the network follows the 96 symmetries, learns, goes on exactly, and deals by its chances."""

import json

import numpy as np
import pytest
from support import random_estimator

from cuebid import BridgeError, networks, settings
from cuebid.cli import main
from cuebid.doubledummy import SYMMETRIES, shipped_store, transform
from cuebid.networks import TricksArchitecture, WeightsError
from cuebid.networks.tricks import COUNTS

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from cuebid.learn import selfplay, tricks
from cuebid.learn.rounds import SelfPlay

CPU = torch.device("cpu")
SMALL = {"name": "small", "width": 16, "blocks": 2, "batch": 128, "epochs": 0.7, "average": 0.98, "device": "cpu"}


def random_network(seed=0):
    torch.manual_seed(seed)
    return tricks.TricksNetwork(TricksArchitecture(width=8, blocks=2)).eval()


def test_answers_follow_every_symmetry():
    """What the transformed deal is told equals the transformed table of what the deal is told."""
    network, owner = random_network(), shipped_store().owner[:3]
    told = network(torch.from_numpy(owner)).detach().numpy()
    assert np.abs(told[0] - told[1]).max() > 1e-3, "different deals, different answers"
    for symmetry in range(SYMMETRIES):
        where = np.full(3, symmetry)
        moved, _ = transform(owner, np.zeros((3, 4, 5), np.uint8), where)
        expected = np.stack([transform(owner, told[..., count], where)[1] for count in range(COUNTS)], axis=-1)
        assert network(torch.from_numpy(moved)).detach().numpy() == pytest.approx(expected, abs=1e-4)


def test_each_hand_and_suit_matters_to_every_cell():
    """No cell is blind to a part of the deal: exchanging two cards anywhere moves all of its chances."""
    network, owner = random_network(), torch.from_numpy(shipped_store().owner[:1].copy())
    before = network(owner)
    for suit in range(4):
        one = owner.clone()
        cards = one[0, 13 * suit : 13 * suit + 13]
        other = int((cards != cards[0]).nonzero()[0])
        cards[[0, other]] = cards[[other, 0]]
        assert bool(((network(one) - before).abs().amax(dim=-1) > 0).all())


def test_it_learns_what_it_has_not_seen(tmp_path):
    card = tricks.train(tricks.Settings(**SMALL), tmp_path)
    assert card is not None
    assert card.metrics["of"] == 40_000, "it learned from the shipped deals: measured on those kept apart"
    assert card.metrics["surprise"] < 2.3 < np.log(COUNTS)
    rows = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert {"loss", "unseen", "MAE", "exact", "deals/s"} <= set(rows[-1])


def test_stopped_and_resumed_it_ends_in_the_same_bytes(tmp_path):
    asked = tricks.Settings(**(SMALL | {"epochs": 0.05}))
    assert tricks.train(asked, tmp_path / "whole") is not None
    parts = 0
    while tricks.train(asked, tmp_path / "parts", seconds=0) is None:
        parts += 1
    assert parts == 7
    first, second = ((tmp_path / part / "small.npz").read_bytes() for part in ("whole", "parts"))
    assert first == second


def test_the_stored_network_is_the_one_that_was_measured(tmp_path):
    network = random_network(3)
    arrays = network.arrays()
    assert {name: array.shape for name, array in arrays.items()} == network.architecture.shapes
    described = {"name": "x", "purpose": "", "architecture": network.architecture}
    networks.write(tmp_path / "x.npz", arrays, described)
    again, owner = tricks.load(str(tmp_path / "x.npz"), CPU), torch.from_numpy(shipped_store().owner[:50])
    assert torch.allclose(again(owner), network(owner), atol=2e-3)
    with pytest.raises(WeightsError, match="cannot call"):
        networks.Network.load(tmp_path / "x.npz")
    with pytest.raises(WeightsError, match="does not estimate tricks"):
        tricks.load("sayc-sl", CPU)


class Fixed(torch.nn.Module):
    """Is sure of nothing: the same chances for every cell."""

    def __init__(self, shares):
        super().__init__()
        self.scores = torch.full((COUNTS,), -1e4)
        for count, share in shares.items():
            self.scores[count] = np.log(share)

    def forward(self, owner):
        return self.scores.expand(len(owner), 4, 5, COUNTS)


def test_estimated_deals_are_deals_and_their_tricks_come_as_often_as_estimated():
    owner, tables = tricks.estimated_deals(Fixed({7: 0.2, 8: 0.5, 9: 0.3}), 40_000, 1, CPU)
    assert bool((owner.long().sort(dim=1).values == torch.arange(52) // 13).all()), "thirteen cards each"
    seats = torch.stack([(owner == seat).float().mean(dim=0) for seat in range(4)])
    assert float((seats - 0.25).abs().max()) < 0.015, "every card anywhere"
    for count, share in {7: 0.2, 8: 0.5, 9: 0.3}.items():
        assert (tables == count).float().mean(dim=0).numpy() == pytest.approx(np.full((4, 5), share), abs=0.015)
    assert bool((tables[:, 0] == tables[:, 2]).all()), "one draw for a partnership"
    high = tables[tables[:, 0, 0] == 9]
    assert int(high[:, 1].max()) < 9, "what goes well for one side goes badly for the other"
    again = tricks.estimated_deals(Fixed({7: 0.2, 8: 0.5, 9: 0.3}), 40_000, 1, CPU)
    assert bool((again[0] == owner).all())
    assert bool((again[1] == tables).all())


def test_measures_on_a_case_worked_out_by_hand():
    tables = torch.full((10, 4, 5), 8)
    tables[:5] = 9
    told = tricks.measured(Fixed({8: 0.75, 9: 0.25}), torch.zeros(10, 52), tables)
    assert told["MAE"] == told["exact"] == 0.5
    assert told["within one"] == 1
    assert told["surprise"] == pytest.approx(-(np.log(0.75) + np.log(0.25)) / 2, abs=0.02)
    assert told["said exact"] == pytest.approx(0.75, abs=0.01)
    assert told["bias at 6-10 tricks"] == pytest.approx(8.25 - 8.5, abs=0.01)


def test_self_play_deals_what_was_estimated(tmp_path):
    asked = selfplay.Settings(
        "small", width=16, depth=1, validation=18_000, estimator=random_estimator(tmp_path / "x.npz"), estimated=500,
        algorithm="postmortem", perfect_defence=0.3, device="cpu",
    )  # fmt: skip
    game = SelfPlay(asked)
    assert len(game.deals) == 2_500
    drawn = game.deals.draw(20_000, torch.Generator().manual_seed(1))
    assert float(drawn.strict.float().mean()) == pytest.approx(0.3, abs=0.02)
    assert not game.watch.draw(1000, torch.Generator().manual_seed(1)).strict.any(), (
        "it is watched as matches are scored"
    )


def test_settings_that_cannot_be_meant_are_refused():
    for wrong in ({"dropout": 1.0}, {"average": -0.1}, {"epochs": 0.0}, {"width": 0}):
        with pytest.raises(BridgeError):
            tricks.Settings(**(SMALL | wrong))
    with pytest.raises(BridgeError, match="no such setting"):
        settings.load(tricks.Settings, None, ["name=x", "depth=3"])


def test_a_run_stays_in_its_folder(tmp_path, capsys):
    assert main(["train", "tricks", "name=../x", "--runs", str(tmp_path / "runs")]) == 2
    assert "name of a folder" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_lost_run_keeps_its_last_sound_checkpoint(tmp_path):
    asked = tricks.Settings(**(SMALL | {"learning_rate": 1e30, "warmup": 0.0}))
    checkpoint = tmp_path / "checkpoint.pt"

    def to_the_end():
        while tricks.train(asked, tmp_path, seconds=0) is None:
            saved = torch.load(checkpoint, weights_only=True)["network"]
            assert all(bool(tensor.isfinite().all()) for tensor in saved.values())

    with pytest.raises(BridgeError, match="diverged"):
        to_the_end()


def test_tempered_it_is_as_sure_as_it_is_right():
    """Of a network whose scores are four times too large the temperature is found, and divided out."""
    network, owner = random_network(), torch.from_numpy(shipped_store().owner[:400])
    with torch.no_grad():
        for head in (network.trumps, network.notrump):
            head.weight.mul_(6)
        source = torch.Generator().manual_seed(0)
        right = tricks.chances(network, owner)
        tables = torch.multinomial(right.view(-1, COUNTS), 1, generator=source).view(-1, 4, 5)
        for head in (network.trumps, network.notrump):
            head.weight.mul_(3)
            head.bias.mul_(3)
    assert tricks.temper(network, owner, tables) == pytest.approx(3, rel=0.1)
    assert torch.allclose(tricks.chances(network, owner), right, atol=0.06)
