"""How well calls are predicted, told as in the papers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from cuebid import networks
from cuebid.game import Call
from cuebid.learn.examples import Examples
from cuebid.machine import cores

STAGES = ("before any bid", "uncontested", "contested")


def accuracy(examples: Examples, chosen: npt.NDArray[np.int64]) -> dict[str, Any]:
    """Share of calls predicted: overall, by stage, by bidding length; precision and recall of each call."""
    right = chosen == examples.call

    def share(rows: npt.NDArray[np.bool_]) -> dict[str, float | int]:
        return {"share": round(float(right[rows].mean()), 5), "of": int(rows.sum())}

    stages = {
        name: share(examples.sides == stage) for stage, name in enumerate(STAGES) if (examples.sides == stage).any()
    }
    lengths = {str(length): share(examples.length == length) for length in np.unique(examples.length).tolist()}
    calls = {}
    for call in range(38):
        made, said = examples.call == call, chosen == call
        if made.any():
            calls[str(Call(call))] = {
                "precision": round(float(right[said].mean()), 5) if said.any() else None,
                "recall": round(float(right[made].mean()), 5),
                "of": int(made.sum()),
            }
    return {
        "accuracy": round(float(right.mean()), 5),
        "of": len(examples),
        "by stage": stages,
        "by bidding length": lengths,
        "by call": calls,
    }


def measured(
    arrays: Mapping[str, npt.NDArray[Any]], architecture: networks.Architecture, play: networks.Form, tested: Examples
) -> dict[str, Any]:
    """Accuracy of a network as it will be played."""
    stored = {name: array.astype(np.float16) for name, array in arrays.items()}
    network = networks.Network(stored, networks.Card("", "", architecture, ""), play, threads=cores())
    scores = network(np.unpackbits(tested.bits, axis=1))
    legal = np.unpackbits(tested.legal, axis=1)[:, :38].astype(bool)
    return accuracy(tested, np.where(legal, scores, -np.inf).argmax(axis=1))
