"""Duplicate matches between two agents: the boards, the bidding at both tables, the record, the result."""

from cuebid.match.boards import MatchBoards
from cuebid.match.compare import Comparison, compare
from cuebid.match.play import Auctioned, play
from cuebid.match.record import Record, rescore
from cuebid.match.result import Result, Tally
from cuebid.match.run import run

__all__ = [
    "Auctioned",
    "Comparison",
    "MatchBoards",
    "Record",
    "Result",
    "Tally",
    "compare",
    "play",
    "rescore",
    "run",
]
