"""Search at the table: imagine deals that fit the auction, bid them out, and compare what each candidate leads to."""

from cuebid.search.belief import Belief
from cuebid.search.decision import Decision, Outcome, Search, open_to
from cuebid.search.settings import Settings

__all__ = ["Belief", "Decision", "Outcome", "Search", "Settings", "open_to"]
