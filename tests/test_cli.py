"""The real commands, run as a person runs them."""

import json
import subprocess
import sys

import pytest

from cuebid import Deal
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
