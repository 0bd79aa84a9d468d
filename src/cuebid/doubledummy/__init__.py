"""Double dummy tricks: exact through DDS, estimated by a network, and the store of solved deals with its 96 symmetries.

Arrays throughout: `owner` uint8 [N, 52] is the seat that holds each card, `tricks` uint8 [N, 4, 5] the tricks of
declarers N E S W in strains C D H S NT, and a cell a row (deal, strain, declarer). The solver loads when first used.
"""

from cuebid.doubledummy.errors import SolverError, StoreError
from cuebid.doubledummy.estimate import Estimate
from cuebid.doubledummy.importers import import_deals
from cuebid.doubledummy.make import make
from cuebid.doubledummy.solve import Exact, Solution, Tricks, owner_of, solve, solve_cells, solve_tables, table_of
from cuebid.doubledummy.store import Store, random_deals, shipped_store
from cuebid.doubledummy.symmetry import SYMMETRIES, transform

__all__ = [
    "SYMMETRIES",
    "Estimate",
    "Exact",
    "Solution",
    "SolverError",
    "Store",
    "StoreError",
    "Tricks",
    "import_deals",
    "make",
    "owner_of",
    "random_deals",
    "shipped_store",
    "solve",
    "solve_cells",
    "solve_tables",
    "table_of",
    "transform",
]
