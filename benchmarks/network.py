"""Situations a second that a shipped network answers on one core, in 8 bits and in 32-bit floats.

python benchmarks/network.py [NAME]
"""

from __future__ import annotations

import sys
import time

import numpy as np

from cuebid.agents.load import weights_path
from cuebid.networks import Network

SECONDS = 2.0


def speed(network: Network, bits: np.ndarray, batch: int) -> float:
    """Rows a second."""
    network(bits[:batch], batch)
    rows, start = 0, time.perf_counter()
    while time.perf_counter() - start < SECONDS:
        network(bits[:batch], batch)
        rows += batch
    return rows / (time.perf_counter() - start)


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else "sayc-sl"
    bits = (np.random.default_rng(1).random((1024, 480)) < 0.05).astype(np.uint8)
    networks = {form: Network.load(weights_path(name), form) for form in ("int8", "fp32")}
    for batch in (1, 64, 1024):
        short, exact = (speed(networks[form], bits, batch) for form in ("int8", "fp32"))
        print(
            f"{name}, {batch:5,} at a time: 8 bits {short:9,.0f}/s  floats {exact:9,.0f}/s  ratio {short / exact:.2f}"
        )


if __name__ == "__main__":
    main()
