"""An agent that is another program, over its standard input and output (`docs/engine-protocol.md`)."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from threading import Lock
from typing import Any, Self

from cuebid.agents.advice import Advice, Candidate
from cuebid.agents.program import Fault, Program, count, shown
from cuebid.game import PASS, BridgeError, Call, Situation

TIMEOUT = 10.0
START_TIMEOUT = 30.0


class ProcessError(BridgeError):
    """A command that cannot be run."""


class Process:
    """Asks a program that runs from now until `close()`, one question at a time.

    A program that is dead, slow, or answers nonsense or illegal calls is passed for: the pass is counted in `faults`
    by kind ("dead", "slow", "illegal", "garbled"), and the first of each kind told on standard error. One that died or
    hung is started again, three times in a row, then given up. Only a command that cannot be run is an error.
    """

    def __init__(self, command: str, timeout: float = TIMEOUT, start_timeout: float = START_TIMEOUT) -> None:
        self.name = f"process:{' '.join(command.split())}"
        self.faults: Counter[str] = Counter()
        self._lock = Lock()
        self._program = Program(_split(command), timeout, start_timeout)
        try:
            with suppress(Fault):  # the first question starts it again, and tells
                self._program.start()
        except (OSError, ValueError) as error:
            raise ProcessError(f"{command!r} cannot be run: {error}") from None

    @property
    def version(self) -> str:
        """What the program says it is."""
        words = [self._program.hello.get(key, "") for key in ("name", "version")]
        text = " ".join(str(word)[:60] for word in words)
        return "".join(filter(str.isprintable, text)).strip() or "unknown"

    def advise(self, situation: Situation) -> Advice:
        situation.check_turn()
        try:
            with self._lock:
                answer = self._program.ask(_question(situation))
            return _advice(answer, situation)
        except Fault as fault:
            count(self.faults, self.name, fault)
            return Advice(PASS, (Candidate(PASS, 1.0),))

    def calls(self, situations: Sequence[Situation]) -> list[Call]:
        for situation in situations:
            situation.check_turn()
        return [self.advise(situation).call for situation in situations]

    def close(self) -> None:
        """End the program."""
        with self._lock:
            self._program.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _split(command: str) -> list[str] | str:
    try:
        arguments = shlex.split(command)
    except ValueError as error:
        raise ProcessError(f"{command!r} is no command: {error}") from None
    if not arguments:
        raise ProcessError("process: needs a command, such as process:python3 examples/bot.py")
    return command if os.name == "nt" else arguments  # Windows splits itself; to shlex \ is no path separator


def _question(situation: Situation) -> dict[str, Any]:
    return {
        "hand": str(situation.hand),
        "seat": str(situation.seat),
        "dealer": str(situation.dealer),
        "vulnerability": str(situation.vulnerability),
        "calls": [str(call) for call in situation.calls],
        "legal": [str(call) for call in situation.legal],
    }


def _advice(answer: dict[str, Any], situation: Situation) -> Advice:
    call = _legal(answer.get("call"), situation)
    given = answer.get("candidates") or [{"call": str(call), "probability": 1.0}]
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise Fault("garbled", f'its "candidates" are no list of objects: {shown(str(given))}')
    try:
        candidates = [Candidate(_legal(one.get("call"), situation), _chance(one.get("probability"))) for one in given]
    except Fault as fault:
        raise Fault("garbled", f'its "candidates" are impossible: {fault.detail}') from None
    return Advice(call, tuple(sorted(candidates, key=lambda one: -one.probability)))


def _legal(text: object, situation: Situation) -> Call:
    if not isinstance(text, str):
        raise Fault("garbled", f'its "call" is no text but {shown(str(text))}')
    with suppress(BridgeError):
        if (call := Call(text)) in situation.legal:
            return call
    raise Fault("illegal", f"it answered {shown(text)} after {shown(str(situation.auction) or 'no call')}")


def _chance(value: object) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    raise Fault("garbled", f'its "probability" is no number from 0 to 1 but {shown(str(value))}')
