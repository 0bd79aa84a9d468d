"""A training run: its folder, its checkpoint, its log, and its time."""

from __future__ import annotations

import importlib
import json
import math
import os
import subprocess
import time
from dataclasses import MISSING, asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

import cuebid
from cuebid.files import write_whole
from cuebid.game import BridgeError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


class Run:
    """A folder that a run can be stopped in at any moment and go on from.

    `settings.json` is what was asked, `checkpoint.pt` where it stands, `log.jsonl` how it went; with `tensorboard` the
    same figures go to TensorBoard files in `tensorboard/`.
    """

    def __init__(
        self, folder: Path, settings: DataclassInstance, seconds: float | None = None, tensorboard: bool = False
    ) -> None:
        self.folder = folder
        self._end = time.monotonic() + seconds if seconds is not None else None
        self._saved = time.monotonic()
        folder.mkdir(parents=True, exist_ok=True)
        asked, before = json.dumps(asdict(settings), indent=1) + "\n", folder / "settings.json"
        if self._checkpoint.exists() and before.exists() and not _same(before, settings):
            raise BridgeError(f"{folder} is a run with other settings; choose another name or remove it")
        write_whole(before, asked.encode())
        self._board = _tensorboard(folder / "tensorboard") if tensorboard else None

    @property
    def _checkpoint(self) -> Path:
        return self.folder / "checkpoint.pt"

    def resume(self, **parts: Any) -> int:
        """Bring the parts (things with a `state_dict`) to where the run stands; the number of steps done."""
        if not self._checkpoint.exists():
            return 0
        saved = torch.load(self._checkpoint, map_location="cpu", weights_only=True)
        for name, part in parts.items():
            part.load_state_dict(saved[name])
        step = int(saved["step"])
        self.say(f"going on from step {step:,}")
        return step

    def save(self, step: int, **parts: Any) -> None:
        """Replace the checkpoint in one move, unless a network in it is lost."""
        check_finite(*(part for part in parts.values() if isinstance(part, torch.nn.Module)))
        beside = self._checkpoint.with_suffix(".new")
        torch.save({"step": step} | {name: part.state_dict() for name, part in parts.items()}, beside)
        os.replace(beside, self._checkpoint)
        self._saved = time.monotonic()

    def time_to_save(self, every: float) -> bool:
        return time.monotonic() - self._saved >= every

    def out_of_time(self) -> bool:
        return self._end is not None and time.monotonic() >= self._end

    def say(self, line: str) -> None:
        print(line, flush=True)

    def log(self, step: int, steps: int, values: dict[str, float], left: float) -> None:
        """A line for people and a row in the log."""
        told = "  ".join(
            f"{name} {value:,.4g}" if value < 1000 else f"{name} {value:,.0f}" for name, value in values.items()
        )
        self.say(f"step {step:,}/{steps:,}  {step / steps:4.0%}  {told}  {int(left) // 60}:{int(left) % 60:02} left")
        with (self.folder / "log.jsonl").open("a", encoding="utf-8") as log:
            log.write(json.dumps({"step": step, **values}) + "\n")
        if self._board:
            for name, value in values.items():
                self._board.add_scalar(name, value, step)


def _same(before: Path, settings: DataclassInstance) -> bool:
    """Whether a run was begun with these settings; what was no setting then counts as it is by default."""
    defaults = {field.name: field.default for field in fields(settings) if field.default is not MISSING}
    said = json.loads(before.read_text(encoding="utf-8"))
    return bool(json.loads(json.dumps(defaults)) | said == json.loads(json.dumps(asdict(settings))))


def _tensorboard(folder: Path) -> Any:
    try:
        return importlib.import_module("torch.utils.tensorboard").SummaryWriter(folder)
    except ImportError:
        raise BridgeError("TensorBoard logs need the package tensorboard: pip install tensorboard") from None


def pick_device(name: str) -> torch.device:
    """`auto` is the GPU where there is one."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        return torch.empty(0, device=name).device
    except (RuntimeError, AssertionError):
        raise BridgeError(f"no such device here: {name!r} (expected auto, cpu or cuda)") from None


def check_finite(*networks: torch.nn.Module) -> None:
    """Whether all weights are numbers still."""
    if not bool(torch.stack([weights.isfinite().all() for one in networks for weights in one.parameters()]).all()):
        raise BridgeError("training diverged; the last checkpoint stands. Lower the learning rates")


def set_rate(optimizer: torch.optim.Optimizer, *rates: float) -> None:
    """Learning rates, one for each group of weights; where a rate is a tensor (for captured steps) it stays one."""
    for group, rate in zip(optimizer.param_groups, rates, strict=False):
        if isinstance(group["lr"], torch.Tensor):
            group["lr"] = group["lr"].to(group["params"][0].device).fill_(rate)
        else:
            group["lr"] = rate


def warmed(share: float, warmup: float) -> float:
    """The part of the highest learning rate after that share of the steps: up in a line, down along a cosine."""
    if share < warmup:
        return share / warmup
    return (1 + math.cos(math.pi * (share - warmup) / (1 - warmup))) / 2


def source_commit() -> str:
    """The commit this runs from, or the version where it runs from no checkout."""
    here = Path(__file__).parent
    try:
        told = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=here, capture_output=True, text=True)
    except OSError:
        return f"version {cuebid.__version__}"
    return told.stdout.strip() or f"version {cuebid.__version__}"
