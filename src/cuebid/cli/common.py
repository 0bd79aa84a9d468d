"""What several commands share: arguments, progress, JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from cuebid.game import BridgeError, Deal, Seat, Vulnerability

if TYPE_CHECKING:
    from cuebid.doubledummy.solve import Progress


_T = TypeVar("_T")


def seat(text: str) -> Seat:
    return _reads(Seat, text)


def vulnerability(text: str) -> Vulnerability:
    return _reads(Vulnerability, text)


def _reads(kind: type[_T], text: str) -> _T:
    """Read an argument so that argparse reports what the rules say is wrong with it."""
    try:
        return kind(text)  # type: ignore[call-arg]
    except BridgeError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def whole(text: str) -> int:
    """A whole number, 0 or more."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number, 0 or more; got {text!r}")
    return int(text)


def seconds(text: str) -> float:
    """A time above 0."""
    try:
        time = float(text)
    except ValueError:
        time = 0.0
    if not 0 < time < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a number of seconds above 0; got {text!r}")
    return time


def taking(agent: str, time: float | None) -> str:
    """An agent's name, with so many seconds for each decision where it searches."""
    if time is None or agent.partition(":")[0] != "search":
        return agent
    from cuebid.agents.search import DEFAULT

    return f"{agent if ':' in agent else f'search:{DEFAULT}'},seconds={time:g}"


def check_searches(time: float | None, *agents: str) -> None:
    """Complain where a time is given and nobody searches."""
    if time is not None and not any(agent.partition(":")[0] == "search" for agent in agents):
        raise BridgeError(f"--seconds is for agents that search; got {' and '.join(agents)}")


def new_seed() -> int:
    """A short one, for a person to repeat."""
    import secrets

    return secrets.randbelow(1_000_000)


def deal_of(seed: int, number: int = 1) -> Deal:
    """A seed's first deal, or another."""
    from cuebid.doubledummy import random_deals

    return Deal.from_owner(random_deals(seed, number - 1, 1)[0].tolist())


def print_json(value: Any) -> None:
    json.dump(value, sys.stdout, ensure_ascii=False)
    sys.stdout.write("\n")


@contextmanager
def progress(what: str, unit: str) -> Iterator[Progress]:
    """A bar on standard error while something long runs, only where a person looks."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from cuebid import draw

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TextColumn(unit), TimeRemainingColumn())
    terminal = draw.console(stderr=True)
    with Progress(*columns, console=terminal, disable=not terminal.is_terminal, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
