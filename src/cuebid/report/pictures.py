"""Drawing with matplotlib, which comes with the extra [train]."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cuebid.game import BridgeError


def plots() -> Any:
    """`matplotlib.pyplot`, set up to draw into files; the same figures give the same bytes."""
    try:
        import matplotlib
    except ModuleNotFoundError:
        raise BridgeError("drawing needs matplotlib: pip install 'cuebid[train]'") from None
    matplotlib.use("agg")
    matplotlib.rcParams["svg.hashsalt"] = "cuebid"
    from matplotlib import pyplot

    return pyplot


def save(figure: Any, path: Path) -> None:
    """Write a figure, SVG or PNG by the name of the file, and forget it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    except ValueError as error:
        raise BridgeError(f"{path}: {error}") from None
    finally:
        plots().close(figure)
