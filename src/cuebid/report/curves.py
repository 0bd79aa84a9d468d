"""How runs of self-play went: figure 2 of Qiu et al. 2024, drawn from their logs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from cuebid.game import BridgeError
from cuebid.report.pictures import plots, save


@dataclass(frozen=True, slots=True)
class Curve:
    """What a run won against another network, as it went on."""

    name: str
    minutes: list[float]
    """Of bidding and learning, without the time of measuring."""
    imps: list[float]
    """A deal."""
    errors: list[float]
    """Their standard errors."""

    @classmethod
    def read(cls, run: Path, against: str = "start") -> Self:
        """From the folder of a run: against its start, a rival, or one of those it was measured `against`."""
        log = run / "log.jsonl"
        try:
            rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        except (FileNotFoundError, NotADirectoryError):
            raise BridgeError(f"{run} is not the folder of a run: it has no log.jsonl") from None
        kept = [row for row in rows if f"IMPs v {against}" in row]
        if not kept:
            raise BridgeError(f"{log} tells no IMPs against {against}: is it a run of self-play that has got so far?")
        columns = ([row[name] for row in kept] for name in ("minutes", f"IMPs v {against}", f"± {against}"))
        return cls(run.name, *columns)


def draw(curves: Sequence[Curve], path: Path, against: str = "the start", lowest: float | None = None) -> None:
    """Write the curves as a picture, SVG or PNG by the name of the file; `against` names the other network in it.

    What lies under `lowest` is cut off, so that one poor run does not flatten the others.
    """
    figure, axes = plots().subplots(figsize=(8, 5), layout="constrained")
    for curve in curves:
        (line,) = axes.plot(curve.minutes, curve.imps, label=curve.name)
        low, high = (
            [mean + sign * error for mean, error in zip(curve.imps, curve.errors, strict=True)] for sign in (-1, 1)
        )
        axes.fill_between(curve.minutes, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    axes.axhline(0, color="grey", linewidth=0.8)
    axes.set(xlabel="minutes of training", ylabel=f"IMPs a deal against {against} (± standard error)")
    axes.set_ylim(bottom=lowest)
    axes.legend()
    save(figure, path)
