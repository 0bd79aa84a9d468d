"""EPBot's native library in a process of its own, where neither its crashes nor its global state reach anybody.

Run by `epbot.py` as `python epbot_worker.py LIBRARY SETTINGS`; speaks the lines of `program.py`: a question has many
situations. It imports nothing of cuebid, so that it starts at once and wherever cuebid was imported from.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from typing import Any

IMPS = 1  # epbot_set_scoring

_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "create": (),
    "version": (ctypes.c_void_p,),
    "new_hand": (ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, *[ctypes.c_int] * 4),
    "set_system_type": (ctypes.c_void_p, ctypes.c_int, ctypes.c_int),
    "set_conventions": (ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_int),
    "set_scoring": (ctypes.c_void_p, ctypes.c_int),
    "set_bid": (ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_char_p),
    "get_bid": (ctypes.c_void_p,),
    "get_last_error": (),
}


class EngineError(Exception):
    """What the library says went wrong."""


def load(path: str) -> Any:
    """The library with its functions' types; `OSError` or `AttributeError` when it is not EPBot's."""
    library = ctypes.CDLL(path)
    for name, arguments in _SIGNATURES.items():
        function = getattr(library, f"epbot_{name}")
        function.argtypes = arguments
        function.restype = {"create": ctypes.c_void_p, "get_last_error": ctypes.c_char_p}.get(name, ctypes.c_int)
    return library


class Engine:
    """The one handle of this process (several disturb each other), playing one card."""

    def __init__(self, library: Any, settings: list[tuple[str, int]]) -> None:
        self._library = library
        self._handle = library.epbot_create()
        self.version = self._do("version")
        for side in (0, 1):
            for name, value in settings:
                if name == "System type":
                    self._do("set_system_type", side, value)
                else:
                    self._do("set_conventions", side, name.encode(), value)
        self._do("set_scoring", IMPS)

    def bid(self, seat: int, dealer: int, vulnerability: int, hand: str, auction: list[int]) -> int:
        """The bid in one situation, in the library's numbers.

        It keeps what it thought when it was asked before, so that it is asked again at each of its earlier turns: only
        then does the answer depend on nothing but the situation.
        """
        self._do("new_hand", seat, hand.encode(), dealer, vulnerability, 0, 0)
        for number, bid in enumerate(auction):
            turn = (dealer + number) % 4
            if turn == seat:
                self._do("get_bid")
            self._do("set_bid", turn, bid, b"")
        return self._do("get_bid")

    def _do(self, name: str, *arguments: object) -> int:
        status: int = getattr(self._library, f"epbot_{name}")(self._handle, *arguments)
        if status < 0:
            text = self._library.epbot_get_last_error()
            raise EngineError(
                f"epbot_{name} answered {status}" + (f": {text.decode(errors='replace')}" if text else "")
            )
        return status


def _answer(engine: Engine, situation: list[Any]) -> int | str:
    try:
        return engine.bid(*situation)
    except EngineError as error:
        return str(error)


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # should the library print anything, it is not taken for an answer
    library, settings = sys.argv[1:]
    try:
        engine = Engine(load(library), json.loads(settings))
    except (OSError, AttributeError, EngineError) as error:
        sys.exit(str(error))
    print(json.dumps({"protocol": 1, "version": engine.version}), file=answers, flush=True)
    for line in sys.stdin:
        question = json.loads(line)
        bids = [_answer(engine, situation) for situation in question["situations"]]
        print(json.dumps({"id": question["id"], "bids": bids}), file=answers, flush=True)


if __name__ == "__main__":
    main()
