"""The README keeps its promises."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_ci_runs_the_readme_test_command():
    command = next(line for line in README.splitlines() if line.endswith("-m pytest"))
    assert command in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()


def test_the_first_command_prints_what_is_shown():
    command = shlex.split(README.split("```\n")[1].rpartition("bin/cuebid ")[2])
    printed = subprocess.run([sys.executable, "-m", "cuebid", *command], capture_output=True, text=True, check=True)
    shown = README.split("```\n")[3].split("```")[0]
    (head, rest), (shown_head, shown_rest) = (text.strip().split("\n  2♥") for text in (printed.stdout, shown))
    assert head == shown_head
    # Another processor may round the networks' sums otherwise, and time differs: the words must agree.
    assert re.findall("[a-z-]{3,}", rest) == re.findall("[a-z-]{3,}", shown_rest)


def test_every_command_named_exists():
    for verb in set(re.findall(r"`cuebid ([a-z]+)", README)):
        asked = subprocess.run([sys.executable, "-m", "cuebid", verb, "--help"], capture_output=True, text=True)
        assert asked.returncode == 0, asked.stderr
