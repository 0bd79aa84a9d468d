"""The networks: what they are built of, their weights and cards on disk, and ONNX Runtime to run them."""

from cuebid.networks.architecture import Architecture
from cuebid.networks.runtime import Network
from cuebid.networks.weights import Card, WeightsError, read, write

__all__ = ["Architecture", "Card", "Network", "WeightsError", "read", "write"]
