"""Believing: the network learns who holds what from auctions, goes on exactly, and its figures are what they say."""

import numpy as np
import pytest

from cuebid import BridgeError, networks
from cuebid.cli import main
from cuebid.doubledummy import random_deals
from cuebid.networks.belief import OUTPUTS
from cuebid.search import Belief
from cuebid.vector import Auctions, Hands, encodings

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from cuebid.learn import belief

CPU = torch.device("cpu")
SMALL = {
    "name": "small", "policy": "sayc-sl", "others": ("gf-sl",), "width": 64, "depth": 2, "tables": 256, "batch": 256,
    "rounds": 30, "learning_rate": 3e-3, "device": "cpu",
}  # fmt: skip
NOTHING = np.log(3)
"""The surprise of one who knows nothing."""


@pytest.fixture(autouse=True)
def few_measured(monkeypatch):
    monkeypatch.setattr(belief, "MEASURED", 400)


def test_it_learns_from_auctions_what_hands_hold(tmp_path):
    card = belief.train(belief.Settings(**SMALL), tmp_path)
    assert card is not None
    assert card.metrics["surprise"] < NOTHING - 0.012
    assert card.metrics["points off"] < card.metrics["points off, own hand only"] - 0.5
    assert card.metrics["partner's cards"] > 0.36 > 1 / 3
    by_calls = card.metrics["by calls"]
    assert by_calls["4"][0] < by_calls["0"][0], "the more is called, the more is known"
    assert set(card.training["networks"]) == {"sayc-sl", "gf-sl"}


def test_stopped_and_resumed_it_ends_in_the_same_bytes(tmp_path):
    asked = belief.Settings(**(SMALL | {"rounds": 4, "tables": 32, "batch": 32}))
    assert belief.train(asked, tmp_path / "whole") is not None
    parts = 0
    while belief.train(asked, tmp_path / "parts", seconds=0) is None:
        parts += 1
    assert parts == 3
    first, second = ((tmp_path / part / "small.npz").read_bytes() for part in ("whole", "parts"))
    assert first == second


def test_situations_are_the_policys_and_hold_what_is_hidden():
    settings = belief.Settings(**(SMALL | {"others_share": 1.0}))
    players = belief._players(settings, CPU)
    bits, calls = belief.situations(settings, players, 50, torch.Generator().manual_seed(1))
    hands = bits[:, encodings.POLICY - 52 :].view(-1, 4, 52)
    assert (hands.sum(dim=1) == 1).all(), "four hands, every card in one of them"
    assert (hands.sum(dim=2) == 13).all()
    assert len(calls) == len(bits)
    assert (bits[calls == 0, 4:428] == 0).all(), "before the first call nothing is marked"
    own = belief.Settings(**(SMALL | {"others": ()}))
    alone, _ = belief.situations(own, players[:1], 50, torch.Generator().manual_seed(1))
    assert len(alone) > 1.5 * len(bits), "against another only half of the calls are the policy's"


class Knows(torch.nn.Module):
    """Is told the truth about some situations' hidden hands, and gives it this share of its belief."""

    def __init__(self, bits, share):
        super().__init__()
        held = bits[:, encodings.POLICY :].view(-1, 3, 52).float()
        self.scores = (held * share + (1 - held) * (1 - share) / 2).log().view(-1, OUTPUTS)

    def forward(self, bits):
        return self.scores


def test_figures_of_one_who_knows_and_of_one_who_does_not():
    settings = belief.Settings(**SMALL)
    bits, calls = belief.situations(settings, belief._players(settings, CPU), 40, torch.Generator().manual_seed(2))
    knowing = belief.measured(Knows(bits, 0.95), bits, calls)
    assert knowing["surprise"] == pytest.approx(-np.log(0.95), abs=2e-3)
    assert knowing["partner's cards"] == 1
    assert knowing["calibration"] == [[pytest.approx(0.025), 0.0], [pytest.approx(0.95), 1.0]]
    ignorant = belief.measured(Knows(bits, 1 / 3), bits, calls)
    assert ignorant["surprise"] == pytest.approx(NOTHING, abs=2e-3)
    assert ignorant["points off"] == pytest.approx(ignorant["points off, own hand only"], abs=1e-3)
    assert ignorant["length off"] == pytest.approx(ignorant["length off, own hand only"], abs=1e-3)
    assert ignorant["calibration"] == [[pytest.approx(1 / 3, abs=1e-3)] * 2]
    assert knowing["length off"] < 0.2 < ignorant["length off"]


def test_what_plays_is_what_was_trained_card_by_card(tmp_path):
    """The chances that search asks for, by card number, against Torch's scores in the encoding's order."""
    torch.manual_seed(0)
    network = belief.Layers(belief.Settings(**SMALL).architecture).eval()
    stored = network.arrays()
    networks.write(tmp_path / "b.npz", stored, {"name": "b", "purpose": "", "architecture": network.architecture})
    network.take({name: array.astype("float16") for name, array in stored.items()})
    auctions = Auctions.start(np.arange(4), np.arange(4))
    hands = Hands.of(random_deals(3, 0, 4))
    told = Belief.load(tmp_path / "b.npz").chances(auctions, hands)
    bits = torch.from_numpy(encodings.policy(auctions, hands)).float()
    expected = network(bits).view(4, 3, 13, 4).softmax(dim=1).detach().numpy()
    for card in (0, 12, 13, 51):
        assert told[:, card] == pytest.approx(expected[:, :, card % 13, card // 13], abs=2e-3)
    assert told.sum(axis=2) == pytest.approx(1)


def test_what_is_no_belief_is_refused():
    from cuebid.agents.load import weights_path

    with pytest.raises(BridgeError, match="no belief network"):
        Belief.load(weights_path("sayc"))
    for wrong in ({"rounds": 0}, {"others_share": 1.5}, {"sampled": -0.1}, {"warmup": 1.0}):
        with pytest.raises(BridgeError):
            belief.Settings(**(SMALL | wrong))


def test_the_command_trains(tmp_path, capsys):
    words = ["policy=sayc-sl", "name=b", "width=16", "depth=1", "rounds=1", "tables=16", "batch=16", "device=cpu"]
    assert main(["train", "belief", *words, "--runs", str(tmp_path)]) == 0
    assert (tmp_path / "b" / "b.npz").is_file()
    assert "surprise" in capsys.readouterr().out
