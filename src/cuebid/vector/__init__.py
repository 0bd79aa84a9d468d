"""The same rules for tens of thousands of tables at once, and the encodings that networks read.

Written once against the array API: the arrays may be NumPy's or Torch's, on any device.
"""

from cuebid.vector import encodings
from cuebid.vector.auctions import Auctions
from cuebid.vector.contracts import Contracts, imps
from cuebid.vector.encodings import Hands
from cuebid.vector.situations import gather
from cuebid.vector.tables import Array

__all__ = ["Array", "Auctions", "Contracts", "Hands", "encodings", "gather", "imps"]
