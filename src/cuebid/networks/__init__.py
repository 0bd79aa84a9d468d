"""The networks: what they are built of, their weights and cards on disk, and ONNX Runtime to run them."""

from cuebid.networks.architecture import Architecture
from cuebid.networks.runtime import Network, choose_form
from cuebid.networks.tricks import TricksArchitecture
from cuebid.networks.weights import Card, Form, WeightsError, read, write

__all__ = [
    "Architecture",
    "Card",
    "Form",
    "Network",
    "TricksArchitecture",
    "WeightsError",
    "choose_form",
    "read",
    "write",
]
