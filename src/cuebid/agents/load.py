"""From a name to an agent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from cuebid.agents.advice import Agent
from cuebid.game import BridgeError

WEIGHTS = Path(__file__).parents[1] / "weights"

OTHERS = (
    "`search:NAME` (searches over a network, docs/search.md), a weights file (.npz with its card beside it), "
    "`random` or `random:SEED`, `pass`, "
    "`process:COMMAND` (a program that speaks docs/engine-protocol.md) or `epbot:CARD`"
)


def shipped() -> list[str]:
    """The names of the networks that come with cuebid."""
    return sorted(path.stem for path in WEIGHTS.glob("*.npz"))


def weights_path(name: str) -> Path:
    """The weights file of a shipped network's name, or the file named."""
    if name in shipped():
        return WEIGHTS / f"{name}.npz"
    if name.endswith(".npz"):
        return Path(name)
    raise BridgeError(f"no such network: {name!r} (expected {', '.join(shipped())} or a weights file, .npz)")


def load_agent(name: str) -> Agent:
    """The agent of that name: a shipped network's, a weights file's, `random`, `pass`, `process:…` or `epbot:…`."""
    kind, colon, rest = name.partition(":")
    if kind == "process" and rest:
        from cuebid.agents.process import Process

        return Process(rest)
    if kind == "search":
        from cuebid.agents.search import Searcher

        return Searcher(rest)
    if kind == "epbot" and rest:
        from cuebid.agents.epbot import EPBot

        return EPBot(rest)
    if kind == "random" and (not colon or (rest.isdecimal() and len(rest) < 20)):
        from cuebid.agents.simple import Random

        return Random(int(rest or 0))
    if name == "pass":
        from cuebid.agents.simple import Passer

        return Passer()

    from cuebid.agents.policy import Policy

    if name in shipped() or name.endswith(".npz"):
        return Policy.load(weights_path(name), name)
    raise BridgeError(f"no such agent: {name!r} (expected {', '.join(shipped())}, {OTHERS})")


@contextmanager
def seated(*names: str) -> Iterator[list[Agent]]:
    """The agents of these names, for as long as they are needed; programs among them are then told to leave."""
    with ExitStack() as stack:
        agents = []
        for name in names:
            agents.append(load_agent(name))
            close = getattr(agents[-1], "close", None)
            if close:
                stack.callback(close)
        yield agents
