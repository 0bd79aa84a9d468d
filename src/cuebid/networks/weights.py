"""A network on disk: one `.npz` of 16-bit weights, and a card beside it that tells where it came from."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from cuebid.files import write_whole
from cuebid.game import BridgeError
from cuebid.networks.architecture import Architecture
from cuebid.networks.tricks import TricksArchitecture

Form = Literal["fp32", "int8"]
Arrays = dict[str, npt.NDArray[np.float16]]
"""Of a policy: `layers.K.weight` [inputs, outputs] and `layers.K.bias` [outputs] of every layer, and `ranges` [layers]:
the largest input that layer is expected to see, for play in 8 bits."""


class WeightsError(BridgeError):
    """A weights file that is missing, damaged, or not the one its card describes."""


@dataclass(frozen=True, slots=True)
class Card:
    """What a network is, for people and programs; the `.json` beside its weights."""

    name: str
    purpose: str
    architecture: Architecture | TricksArchitecture
    sha256: str
    play: Form = "fp32"
    """How it is played: in 8 bits where that changes at most 0.5 % of its choices."""
    training: dict[str, Any] = field(default_factory=dict)
    """Method, settings, corpus and its size, seed, commit."""
    metrics: dict[str, Any] = field(default_factory=dict)

    @property
    def layers(self) -> Architecture:
        """The architecture of a network that calls."""
        if not isinstance(self.architecture, Architecture):
            raise WeightsError(f"{self.name} estimates tricks, it cannot call")
        return self.architecture

    @property
    def estimator(self) -> TricksArchitecture:
        """The architecture of a network that estimates tricks."""
        if not isinstance(self.architecture, TricksArchitecture):
            raise WeightsError(f"{self.name} calls, it does not estimate tricks")
        return self.architecture


def write(path: str | Path, arrays: dict[str, npt.NDArray[Any]], card: dict[str, Any]) -> Card:
    """Write the weights and the card; `card` holds the fields of `Card` but for the checksum."""
    path = Path(path)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **{name: array.astype(np.float16) for name, array in arrays.items()})  # type: ignore[arg-type]
    data = buffer.getvalue()
    described = Card(**card, sha256=hashlib.sha256(data).hexdigest())
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, data)
    text = json.dumps(asdict(described), indent=2, ensure_ascii=False) + "\n"
    write_whole(path.with_suffix(".json"), text.encode())
    return described


def read_card(path: str | Path) -> Card:
    """The card beside a weights file."""
    if not Path(path).is_file():
        raise WeightsError(f"no weights file at {path}")
    beside = Path(path).with_suffix(".json")
    try:
        said = json.loads(beside.read_text(encoding="utf-8"))
        built = said["architecture"]
        kind = TricksArchitecture if built["kind"] == "suits" else Architecture
        card = Card(**(said | {"architecture": kind(**built)}))
    except FileNotFoundError:
        raise WeightsError(f"{path} has no card {beside.name} beside it") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise WeightsError(f"{beside} is no card of a network: {error}") from None
    if card.play not in get_args(Form):
        raise WeightsError(f"{beside}: a network is played in {' or '.join(get_args(Form))}, not in {card.play!r}")
    return card


def read(path: str | Path) -> tuple[Arrays, Card]:
    """The weights and their card; a file that does not match its card is refused."""
    path, card = Path(path), read_card(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise WeightsError(f"{path} cannot be read: {error.strerror}") from None
    if (found := hashlib.sha256(data).hexdigest()) != card.sha256:
        raise WeightsError(f"{path} is not the network of its card: sha256 {found[:12]}…, expected {card.sha256[:12]}…")
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            weights = dict(arrays)
        shapes = {name: weights[name].shape for name in card.architecture.shapes}
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise WeightsError(f"{path} holds no network: {error}") from None
    for name, expected in card.architecture.shapes.items():
        if shapes[name] != tuple(expected):
            raise WeightsError(f"{path}: {name} does not have the shape that its card says")
    return weights, card
