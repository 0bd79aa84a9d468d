"""The real commands, run as a person runs them."""

import json
import os
import subprocess
import sys

import pytest

from cuebid import Deal, formats
from cuebid.cli import main

DEAL = "N:T943.J.J97542.73 J8652.AT6.K63.T4 K7.Q543.AQT.J865 AQ.K9872.8.AKQ92"


def run(*arguments):
    return subprocess.run([sys.executable, "-m", "cuebid", *arguments], capture_output=True, text=True)


def test_same_seed_same_bytes():
    first, second = run("deal", "--seed", "7", "--boards", "2"), run("deal", "--seed", "7", "--boards", "2")
    assert first.returncode == 0
    assert first.stdout == second.stdout != run("deal", "--seed", "8", "--boards", "2").stdout
    assert "\x1b" not in first.stdout, "no colours where nobody looks"


def test_solve_as_json(capsys):
    assert main(["solve", DEAL, "--dealer", "N", "--vul", "none", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert Deal(said["deal"]) == Deal(DEAL)
    assert said["tricks"]["E"] == {"C": 11, "D": 6, "H": 11, "S": 10, "NT": 11}
    assert said["par"]["score"] == -460
    assert {"contract": "3NTE", "tricks": 11} in said["par"]["contracts"]


def test_files_from_one_format_to_another_and_solved(tmp_path, capsys):
    pbn, lin = tmp_path / "one.pbn", tmp_path / "one.lin"
    pbn.write_text(f'[Board "5"]\n[Dealer "N"]\n[Vulnerable "NS"]\n[Deal "{DEAL}"]\n[Auction "N"]\n1S Pass Pass Pass\n')
    assert main(["convert", str(pbn), str(lin)]) == 0
    capsys.readouterr()
    assert main(["solve", str(lin), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["deal"] == DEAL
    assert said["vulnerability"] == "ns"


def test_a_file_is_solved_up_to_what_is_wrong_and_goes_on(tmp_path, capsys):
    good = f'[Board "7"]\n[Dealer "N"]\n[Vulnerable "NS"]\n[Deal "{DEAL}"]\n\n'
    source, out = tmp_path / "in.pbn", tmp_path / "out.pbn"
    source.write_text(good + '[Board "8"]\n[Dealer "Q"]\n')
    assert main(["solve", str(source), "--json"]) == 2
    said = capsys.readouterr()
    assert json.loads(said.out)["par"]["score"] == -460
    assert "in.pbn:" in said.err
    source.write_text(good)
    assert main(["solve", str(source), "--out", str(out)]) == 0
    assert "1 solved now" in capsys.readouterr().out
    assert formats.read(out).boards[0].tricks[1] == (11, 6, 11, 10, 11)
    assert main(["solve", str(source), "--out", str(out)]) == 0
    assert "0 solved now" in capsys.readouterr().out
    source.write_text(good.replace("T943.J", "J943.T"))
    assert main(["solve", str(source), "--out", str(out)]) == 2
    assert main(["solve", str(source), "--vul", "ew"]) == 2


def test_a_hand_without_spades_and_a_terminal_without_suits():
    assert run("bid", "-.AKQJT98.765.432", "--agent", "pass").returncode == 0
    command = [sys.executable, "-m", "cuebid", "bid", "AKQ2.JT9.876.543", "--agent", "pass"]
    plain = subprocess.run(command, capture_output=True, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert plain.returncode == 0
    assert b"AKQ2" in plain.stdout


def test_a_long_seed_does_not_push_the_hands(capsys):
    for seed in ("3", "123456789012345678"):
        assert main(["deal", "--seed", seed]) == 0
        first_lines = capsys.readouterr().out.splitlines()[:4]
        assert [line[18] for line in first_lines] == list("♠♥♦♣")


def test_make_a_store_and_look_at_it(tmp_path, capsys):
    store = str(tmp_path / "store")
    assert main(["deals", "make", store, "--deals", "3", "--seed", "1"]) == 0
    assert main(["deals", "make", store, "--deals", "4", "--seed", "1"]) == 0
    capsys.readouterr()
    assert main(["deals", "info", store, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["deals"] == 4
    chunk = next((tmp_path / "store").glob("*.npz"))
    chunk.write_bytes(chunk.read_bytes()[:-10])
    assert main(["deals", "info", store]) == 2
    assert f"{chunk} was cut short or altered" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["solve", "N:AKQ2"], "a deal has four hands"),
        (["solve", "missing.pbn"], "missing.pbn"),
        (["solve", DEAL, "--dealer", "Q"], "no such seat"),
        (["solve", DEAL, "--vul", "some"], "no such vulnerability"),
        (["deal", "--seed", "x"], "whole number"),
        (["deal", "--boards", "-1"], "whole number"),
        (["deals", "info", "missing"], "no store at missing"),
        (["convert", "a.pbn", "b.doc"], "a.pbn"),
        (["match", "pass", "pass", "--boards", "-5"], "whole number"),
        (["match", "pass", "pass", "--boards", "3", "--record", "missing/m.pbn"], "missing/m.pbn"),
        (["train", "supervised", "epochs=0", "name=n", "corpora=x.npz"], "above 0"),
        (["train", "supervised", "widht=3"], "no such setting"),
        (["nonsense"], "nonsense"),
        ([], "COMMAND"),
    ],
)
def test_bad_input_ends_with_2_and_says_why(arguments, says):
    ended = run(*arguments)
    assert ended.returncode == 2
    assert says in ended.stderr
    assert "Traceback" not in ended.stderr


def test_start_is_quick_and_light():
    """Nothing heavy is imported before a command runs."""
    listing = "import sys, cuebid.cli as cli; cli.parser(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "rich", "torch", "endplay", "onnxruntime", "cuebid.vector"} & set(loaded)
