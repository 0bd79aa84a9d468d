"""Curves are read from the logs of runs and drawn."""

import json

import pytest

from cuebid import BridgeError
from cuebid.cli import main
from cuebid.report.curves import Curve

pytest.importorskip("matplotlib", reason="pictures need the extra [train]")

ROWS = [
    {"step": 1, "minutes": 0.5, "entropy": 0.3},
    {"step": 2, "minutes": 1.0, "IMPs v start": 0.25, "± start": 0.1},
    {"step": 4, "minutes": 2.0, "IMPs v start": 0.5, "± start": 0.05},
]


def logged(folder, rows):
    folder.mkdir()
    (folder / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def test_a_curve_is_what_the_log_says(tmp_path):
    curve = Curve.read(logged(tmp_path / "ppo", ROWS))
    assert curve == Curve("ppo", [1.0, 2.0], [0.25, 0.5], [0.1, 0.05])


def test_the_picture_names_every_run_and_is_the_same_every_time(tmp_path, capsys):
    runs = [logged(tmp_path / name, ROWS) for name in ("ppo", "post-mortem")]
    pictures = [tmp_path / "one.svg", tmp_path / "two.svg"]
    for picture in pictures:
        assert main(["curves", *map(str, runs), "--out", str(picture)]) == 0
    text = pictures[0].read_text()
    assert "post-mortem" in text
    assert text == pictures[1].read_text()


def test_another_opponent_and_a_lowest_value_can_be_asked_for(tmp_path):
    rows = [ROWS[1] | {"IMPs v sayc-sl": -9.0, "± sayc-sl": 0.2}, ROWS[2] | {"IMPs v sayc-sl": 1.0, "± sayc-sl": 0.2}]
    run = logged(tmp_path / "nothing", rows)
    assert Curve.read(run, "sayc-sl").imps == [-9.0, 1.0]
    pictures = [tmp_path / "whole.svg", tmp_path / "cut.svg"]
    for picture, words in zip(pictures, ([], ["--lowest", "-2"]), strict=True):
        assert main(["curves", str(run), "--against", "sayc-sl", "--out", str(picture), *words]) == 0
    whole, cut = (picture.read_text() for picture in pictures)
    assert "sayc-sl" in whole
    assert whole != cut


def test_what_is_no_run_is_named(tmp_path):
    with pytest.raises(BridgeError, match=r"no log\.jsonl"):
        Curve.read(tmp_path / "nothing")
    with pytest.raises(BridgeError, match="tells no IMPs"):
        Curve.read(logged(tmp_path / "new", ROWS[:1]))
