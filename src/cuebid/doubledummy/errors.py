"""What can go wrong with tricks, said in one line."""

from cuebid.game.errors import BridgeError


class SolverError(BridgeError):
    """The double dummy library is missing, or refused a deal."""


class StoreError(BridgeError):
    """A store of solved deals, or a file to import, that is damaged, missing or not what it claims to be."""
