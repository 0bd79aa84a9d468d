"""How long `import cuebid` and `cuebid --help` take beyond a bare Python: the least of several cold runs.

python benchmarks/start.py
"""

from __future__ import annotations

import subprocess
import sys
import time

RUNS = 15


def least(*command: str) -> float:
    """Seconds of the quickest run."""
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    bare = least("-c", "pass")
    print(f"bare Python    {bare:.3f} s")
    for name, command in (
        ("import numpy", ("-c", "import numpy")),
        ("import cuebid", ("-c", "import cuebid")),
        ("cuebid bid", ("-m", "cuebid", "bid", "AKQ2.JT9.876.543")),
        ("cuebid --help", ("-c", "import sys; from cuebid.cli import main; sys.argv = ['cuebid', '--help']; main()")),
    ):
        seconds = least(*command)
        print(f"{name:14} {seconds:.3f} s, {seconds - bare:.3f} s beyond bare Python")


if __name__ == "__main__":
    main()
