"""Another program, asked in JSON, a line a question (`docs/engine-protocol.md`); what it does wrong never hurts us.

Three threads a running program (a reader for each of its outputs, a writer) keep it from ever blocking us: no `select`,
which Windows does not have for pipes. All that is kept of what it prints is bounded.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import IO, Any, Literal

PROTOCOL = 1
LINE = 1 << 16  # bytes a line may have
WAITING = 1000  # lines that may wait to be read, by us or by the program
LAST_WORDS = 2000  # bytes kept of standard error
RESTARTS = 3  # in a row, without an answer in between
FAREWELL = 1.0  # seconds a program has to leave when its questions have ended

Kind = Literal["dead", "slow", "illegal", "garbled"]


class Fault(Exception):  # noqa: N818 - also a value: kept, handed on, counted
    """Why there is no answer to a question."""

    def __init__(self, kind: Kind, detail: str) -> None:
        super().__init__(kind, detail)
        self.kind = kind
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}"


class Failure(Fault):
    """A fault that only a new start may mend."""


def count(faults: Counter[str], name: str, fault: Fault) -> None:
    """Count a fault; tell the first of its kind on standard error (a warning could be made an exception)."""
    faults[fault.kind] += 1
    if faults[fault.kind] == 1:
        print(
            f"cuebid: {name} is passed for: {fault} (further {fault.kind!r} faults are only counted)", file=sys.stderr
        )


def shown(text: str, most: int = 80) -> str:
    """Foreign text for a message: quoted, without control characters, cut to fit."""
    return repr(text if len(text) <= most else text[:most] + "…")


class Program:
    """Starts a program when it is needed, asks it, and starts it anew when it died or hung, but not for ever.

    `timeout` seconds are given for an answer, `start_timeout` for the first line, in which it introduces itself. For
    one thread at a time.
    """

    def __init__(self, arguments: Sequence[str] | str, timeout: float, start_timeout: float) -> None:
        self.arguments = arguments
        self.timeout = timeout
        self.start_timeout = start_timeout
        self.hello: dict[str, Any] = {}
        self._child: _Child | None = None
        self._asked = 0
        self._failures = 0
        self._gone: Failure | None = None

    def start(self) -> None:
        """Start it and hear who it is. `OSError` when it cannot be started at all."""
        child = _Child(self.arguments)
        try:
            hello = _read(child.receive(self.start_timeout, "its first line"))
            if hello.get("protocol") != PROTOCOL:
                raise Failure("garbled", f'its first line is not {{"protocol": {PROTOCOL}, …}}: {shown(str(hello))}')
        except Fault as fault:
            raise self._failed(child, fault) from None
        self.hello = self.hello or hello
        self._child = child

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """The answer to a question, both of which carry the same number; a `Fault` when there is none."""
        if self._gone:
            raise self._gone
        if not self._child:
            self._restart()
        assert self._child
        self._asked += 1
        try:
            self._child.send(json.dumps({"id": self._asked, **question}).encode() + b"\n")
            answer = self._answer(self._child)
        except Failure as failure:
            raise self._failed(self._child, failure) from None
        self._failures = 0
        return answer

    def close(self, grace: float = FAREWELL) -> None:
        """End it: it is told that no question follows, and killed when it has not left in time."""
        if self._child:
            self._child.stop(grace)
            self._child = None

    def _answer(self, child: _Child) -> dict[str, Any]:
        deadline = time.monotonic() + self.timeout
        while True:
            answer = _read(child.receive(deadline - time.monotonic(), f"an answer in {self.timeout:g} s"))
            number = answer.get("id")
            if type(number) is int and number == self._asked:
                return answer
            if type(number) is not int or number > self._asked:
                raise Fault("garbled", f'its answer to question {self._asked} has "id": {shown(str(number))}')
            # an answer to an earlier question, for which it has been passed already

    def _restart(self) -> None:
        try:
            self.start()
        except OSError as error:
            raise self._failed(None, Failure("dead", f"it cannot be started: {error}")) from None

    def _failed(self, child: _Child | None, fault: Fault) -> Failure:
        """Stop it; the fault with all that is known now. After too many in a row it is not started again."""
        detail = fault.detail
        if child:
            code = child.stop(FAREWELL / 2 if fault.kind == "dead" else 0)
            ending = "" if code is None else f" (exit code {code})"
            words = child.last_words()
            detail += ending + (f"; its last words: {words}" if words else "")
        self._child = None
        self._failures += 1
        if self._failures > RESTARTS:
            detail += f"; given up after {self._failures} failures in a row"
            self._gone = Failure(fault.kind, detail)
        return Failure(fault.kind, detail)


def _read(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):  # wrong encoding, no JSON; brackets by the thousand
        value = None
    if not isinstance(value, dict):
        raise Fault("garbled", f"it printed {shown(line.decode(errors='replace'))}, which is no JSON object")
    return value


class _Child:
    """One run of a program. Its threads hold no reference to it, so that a forgotten one is ended with its agent."""

    def __init__(self, arguments: Sequence[str] | str) -> None:
        pipe = subprocess.PIPE
        # a session of its own: what it starts can be ended with it, and Ctrl-C here is ours to handle
        popen = subprocess.Popen(arguments, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
        self._popen = popen
        self._questions: SimpleQueue[bytes | None] = SimpleQueue()
        self._lines: SimpleQueue[bytes | Failure] = SimpleQueue()
        self._words = bytearray()
        self._kill = weakref.finalize(self, _kill, popen, self._questions, os.getpid())
        self._threads = [
            threading.Thread(target=_write, args=(popen.stdin, self._questions), daemon=True),
            threading.Thread(target=_read_lines, args=(popen.stdout, self._lines), daemon=True),
            threading.Thread(target=_read_words, args=(popen.stderr, self._words), daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def send(self, line: bytes) -> None:
        if self._questions.qsize() >= WAITING:
            raise Failure("slow", f"it leaves {WAITING:,} questions unread")
        self._questions.put(line)

    def receive(self, seconds: float, what: str) -> bytes:
        try:
            line = self._lines.get(timeout=max(seconds, 0))
        except Empty:
            raise Failure("slow", f"it did not print {what}") from None
        if isinstance(line, Failure):
            raise line
        return line

    def stop(self, grace: float) -> int | None:
        """Its exit code, none when it had to be killed."""
        code: int | None = None
        self._questions.put(None)
        with suppress(subprocess.TimeoutExpired):
            code = self._popen.wait(grace)
        self._kill()
        for thread in self._threads:
            thread.join(1)  # at once, unless something it started has left its session and holds the pipes
        return code

    def last_words(self) -> str:
        lines = bytes(self._words).decode(errors="replace").split("\n")
        return " / ".join(shown(line.strip(), 200) for line in lines if line.strip())[-600:]


def _kill(popen: subprocess.Popen[bytes], questions: SimpleQueue[bytes | None], owner: int) -> None:
    if os.getpid() != owner:  # a fork of the process that started it
        return
    if sys.platform == "win32":
        popen.kill()
    else:
        with suppress(ProcessLookupError, PermissionError):  # macOS refuses when only zombies are left
            os.killpg(popen.pid, signal.SIGKILL)
    popen.wait()
    questions.put(None)


def _write(pipe: IO[bytes], questions: SimpleQueue[bytes | None]) -> None:
    with suppress(OSError):  # it has ended: the reader says so
        for question in iter(questions.get, None):
            pipe.write(question)
            pipe.flush()
    with suppress(OSError):
        pipe.close()


def _read_lines(pipe: IO[bytes], lines: SimpleQueue[bytes | Failure]) -> None:
    """Pass its lines on, until it ends, or prints more than can be meant."""
    rest = b""
    with pipe:
        while chunk := pipe.read1(LINE):  # type: ignore[attr-defined]
            *whole, rest = (rest + chunk).split(b"\n")
            for line in whole:
                lines.put(line)
            if len(rest) > LINE:
                lines.put(Failure("garbled", f"it printed a line of more than {LINE:,} bytes"))
                return
            if lines.qsize() > WAITING:
                lines.put(Failure("garbled", f"it printed more than {WAITING:,} lines that nobody asked for"))
                return
    lines.put(Failure("dead", "its output ended"))


def _read_words(pipe: IO[bytes], words: bytearray) -> None:
    with pipe:
        while chunk := pipe.read1(LINE):  # type: ignore[attr-defined]
            words += chunk
            del words[:-LAST_WORDS]
