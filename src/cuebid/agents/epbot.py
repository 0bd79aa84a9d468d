"""Edward Piwowar's EPBot, the bidder of his Bridge Bidding Analyser (BBA), as an agent.

The library and its cards are his, are not part of cuebid, and have to be downloaded from him (`WHERE`).
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import LifoQueue
from typing import Self

from cuebid.agents import epbot_worker
from cuebid.agents.advice import Advice, Candidate
from cuebid.agents.program import Failure, Fault, Program, count, shown
from cuebid.game import PASS, BridgeError, Call, Situation, Suit
from cuebid.machine import cores as all_cores

WHERE = "https://github.com/EdwardPiwowar/BBA, folder Native-libraries"
TIMEOUT = 10.0
START_TIMEOUT = 30.0
CHUNK = 64  # situations a question, about 30 ms of work


class EPBotError(BridgeError):
    """The library or a card is missing, or is not what it should be."""


class EPBot:
    """Bids with EPBot and one of its cards, which it also takes everybody else at the table to play.

    `card` names a `.bbsa` file beside the library, without its suffix, or is a path. The library runs in processes of
    its own, one a core, kept until `close()`. A situation for which it has no legal answer is passed and counted in
    `faults`, the first of each kind told on standard error. Not to be used in a fork of the process that made it.
    """

    def __init__(self, card: str, timeout: float = TIMEOUT, cores: int | None = None) -> None:
        library = library_path()
        path = card_path(card, library)
        self.name = f"epbot:{card}"
        self.faults: Counter[str] = Counter()
        worker = [sys.executable, "-P", epbot_worker.__file__, str(library), json.dumps(read_card(path))]
        self._programs = [Program(worker, timeout, START_TIMEOUT) for _ in range(cores or all_cores())]
        try:
            self._programs[-1].start()
        except (Fault, OSError) as error:
            raise EPBotError(f"{library} cannot be used as EPBot's library: {error}") from None
        number = self._programs[-1].hello["version"]
        self.version = f"{number}, library sha256 {_sha256(library)}, card sha256 {_sha256(path)}"
        self._free: LifoQueue[Program] = LifoQueue()  # the last one used comes first: it is running
        for program in self._programs:
            self._free.put(program)
        self._threads = ThreadPoolExecutor(len(self._programs), "epbot")

    def advise(self, situation: Situation) -> Advice:
        call = self.calls([situation])[0]
        return Advice(call, (Candidate(call, 1.0),))

    def calls(self, situations: Sequence[Situation]) -> list[Call]:
        for situation in situations:
            situation.check_turn()
        size = min(CHUNK, -(-len(situations) // len(self._programs)) or 1)
        chunks = [situations[start : start + size] for start in range(0, len(situations), size)]
        answers = map(self._ask, chunks) if len(chunks) == 1 else self._threads.map(self._ask, chunks)
        return [self._counted(answer) for chunk in answers for answer in chunk]

    def _counted(self, answer: Call | Fault) -> Call:
        if isinstance(answer, Call):
            return answer
        count(self.faults, self.name, answer)
        return PASS

    def _ask(self, situations: Sequence[Situation]) -> list[Call | Fault]:
        program = self._free.get()
        try:
            return _bids(program, situations)
        finally:
            self._free.put(program)

    def close(self) -> None:
        """End the processes."""
        self._threads.shutdown(cancel_futures=True)
        for program in self._programs:
            program.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def library_path() -> Path:
    """Where the library is: CUEBID_EPBOT."""
    named = os.environ.get("CUEBID_EPBOT")
    if not named:
        raise EPBotError(f"EPBot is not part of cuebid: get it from {WHERE}, and set CUEBID_EPBOT=path/to/libEPBot.so")
    if not Path(named).is_file():
        raise EPBotError(f"CUEBID_EPBOT names {named}, which is no file (EPBot's library comes from {WHERE})")
    return Path(named).absolute()  # without a folder, the system would look for it elsewhere


def card_path(card: str, library: Path) -> Path:
    """The card of that name beside the library, or at that path."""
    for path in (library.parent / f"{card}.bbsa", Path(card)):
        if path.is_file():
            return path
    known = ", ".join(sorted(path.stem for path in library.parent.glob("*.bbsa"))) or "there is none"
    raise EPBotError(
        f"no such EPBot card: {card!r} (expected a path, or the name of a .bbsa in {library.parent}: {known})"
    )


def read_card(path: Path) -> list[tuple[str, int]]:
    """The settings of a card in their order: `System type` and the conventions, most of them 0 or 1."""
    settings: list[tuple[str, int]] = []
    for number, line in enumerate(path.read_text("utf-8-sig", errors="replace").splitlines(), 1):
        name, _, value = (part.strip() for part in line.rpartition("="))
        if name and value.isdecimal():
            if name != "System type" or name not in dict(settings):
                settings.append((name, int(value)))
        elif line.strip():
            raise EPBotError(f"{path}:{number}: expected `name = number`, got {shown(line)}")
    if "System type" not in dict(settings):
        raise EPBotError(f"{path}: expected an EPBot card, but it has no line `System type = …`")
    return settings


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def _bids(program: Program, situations: Sequence[Situation]) -> list[Call | Fault]:
    """The calls of one process; when it fails, each situation alone shows which one is to blame."""
    try:
        answer = program.ask({"situations": [_numbers(situation) for situation in situations]})
        return [_call(bid, situation) for bid, situation in zip(answer["bids"], situations, strict=True)]
    except Failure as failure:
        if len(situations) == 1:
            return [failure]
        return [answer for situation in situations for answer in _bids(program, [situation])]
    except Fault as fault:
        return [fault] * len(situations)


def _numbers(situation: Situation) -> tuple[int, int, int, str, list[int]]:
    """What `epbot_worker.Engine.bid` takes. EPBot's bit 0 is East-West's vulnerability, and 1♣ is its bid 5."""
    vulnerability = (situation.vulnerability & 1) << 1 | situation.vulnerability >> 1
    hand = "\n".join(situation.hand.holding(suit) for suit in Suit)
    bids = [call + 2 if call.is_bid else int(call) for call in situation.calls]
    return int(situation.seat), int(situation.dealer), vulnerability, hand, bids


def _call(bid: int | str, situation: Situation) -> Call | Fault:
    if isinstance(bid, str):
        return Fault("illegal", bid)
    number = bid if bid < 3 else bid - 2
    if bid in range(40) and bid not in (3, 4) and Call(number) in situation.legal:
        return Call(number)
    return Fault("illegal", f"it answered {bid} after {shown(str(situation.auction) or 'no call')}")
