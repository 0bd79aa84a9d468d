"""What belief networks know is told and drawn as their cards have it."""

import json

import pytest

from cuebid import BridgeError
from cuebid.agents.load import WEIGHTS
from cuebid.cli import main
from cuebid.networks import read
from cuebid.report.beliefs import Known

SHIPPED = sorted(path.stem for path in (WEIGHTS / "belief").glob("*.npz"))


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_belief_is_what_its_card_says(name):
    arrays, card = read(WEIGHTS / "belief" / f"{name}.npz")
    assert arrays
    assert (WEIGHTS / "belief" / f"{name}.npz").stat().st_size < 16 << 20
    for told in ("method", "settings", "commit", "commands", "networks"):
        assert card.training[told]
    metrics = card.metrics
    assert metrics["surprise"] < 1.06
    assert metrics["points off"] < 0.6 * metrics["points off, own hand only"]
    assert all(abs(said - there) < 0.02 for said, there in metrics["calibration"])


def test_the_shipped_estimator_is_what_its_card_says():
    arrays, card = read(WEIGHTS / "tricks" / "tricks.npz")
    assert arrays
    assert card.training["commands"]
    assert card.metrics["MAE"] < 0.22
    assert abs(card.metrics["said exact"] - card.metrics["exact"]) < 0.02


def test_a_table_and_a_picture(tmp_path, capsys):
    pytest.importorskip("matplotlib", reason="pictures need the extra [train]")
    pictures = [tmp_path / "one.svg", tmp_path / "two.svg"]
    for picture in pictures:
        assert main(["beliefs", "sayc", str(WEIGHTS / "belief" / "sayc.npz"), "--out", str(picture)]) == 0
    shown = capsys.readouterr().out
    assert "| calls | `sayc`: surprise | `sayc`: partner's cards | `" in shown
    assert "points off" in shown
    assert pictures[0].read_bytes() == pictures[1].read_bytes()
    known = Known.read("sayc")
    card = json.loads((WEIGHTS / "belief" / "sayc.json").read_text(encoding="utf-8"))
    assert known.surprise[3] == card["metrics"]["by calls"]["3"][0]


def test_other_networks_are_refused():
    with pytest.raises(BridgeError, match="no belief network"):
        Known.read(str(WEIGHTS / "sayc.npz"))
    with pytest.raises(BridgeError, match="no belief network comes with"):
        Known.read("gf-sl")
