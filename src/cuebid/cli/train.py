"""`cuebid train METHOD`: settings from a TOML file and from key=value words; stop at will, run again to go on."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path
from typing import Any

from cuebid.game import BridgeError

METHODS = ("supervised", "selfplay", "tricks", "belief")  # modules of cuebid.learn
METHODS_HELP = "supervised: imitate a corpus; selfplay: win; tricks: estimate tricks; belief: place the hidden cards"


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    train = verbs.add_parser("train", help="train a network (needs the extra [train])")
    train.add_argument("method", choices=METHODS, help=METHODS_HELP)
    train.add_argument("settings", nargs="*", metavar="SETTINGS", help="a .toml file, then words such as width=512")
    train.add_argument("--runs", type=Path, default=Path("runs"), help="where runs live (default: runs/)")
    train.add_argument("--seconds", type=float, help="stop after so long; the same command goes on from there")
    train.add_argument("--tensorboard", action="store_true", help="also log to RUNS/NAME/tensorboard")
    train.add_argument("--explain", action="store_true", help="list the settings with their defaults")
    train.set_defaults(run=run)

    curves = verbs.add_parser("curves", help="draw how runs of self-play went (needs the extra [train])")
    curves.add_argument("folders", nargs="+", type=Path, metavar="RUN", help="folders of runs, such as runs/max")
    curves.add_argument(
        "--against", default="start", metavar="NETWORK", help="which of those it was measured against (default: start)"
    )
    curves.add_argument(
        "--out", type=Path, default=Path("curves.svg"), help="an .svg or .png file (default: curves.svg)"
    )
    curves.add_argument("--lowest", type=float, metavar="IMPS", help="cut off what lies under so many IMPs a deal")
    curves.set_defaults(run=run_curves)

    beliefs = verbs.add_parser("beliefs", help="what belief networks know of the hidden cards, by the number of calls")
    beliefs.add_argument(
        "networks", nargs="+", metavar="NETWORK", help="policies whose beliefs are shipped, or .npz files"
    )
    beliefs.add_argument("--out", type=Path, help="draw it: an .svg or .png file (needs the extra [train])")
    beliefs.set_defaults(run=run_beliefs)


def run(options: argparse.Namespace) -> None:
    try:
        method: Any = importlib.import_module(f"cuebid.learn.{options.method}")
    except ModuleNotFoundError as error:
        raise BridgeError(f"training needs {error.name}: pip install 'cuebid[train]'") from None
    from cuebid import settings

    if options.explain:
        for name, default, told in settings.described(method.Settings):
            print(f"{name} = {default}\n    {told}")
        return
    words = list(options.settings)
    path = words.pop(0) if words and "=" not in words[0] else None
    asked = settings.load(method.Settings, path, words)
    if Path(asked.name).name != asked.name:
        raise BridgeError(f"a run's name is the name of a folder in {options.runs}; got {asked.name!r}")
    method.train(asked, options.runs / asked.name, options.seconds, options.tensorboard)


def run_curves(options: argparse.Namespace) -> None:
    from cuebid.report import curves

    read = [curves.Curve.read(folder, options.against) for folder in options.folders]
    curves.draw(read, options.out, "the start" if options.against == "start" else options.against, options.lowest)
    print(f"wrote {options.out}")


def run_beliefs(options: argparse.Namespace) -> None:
    from cuebid.report import beliefs

    known = [beliefs.Known.read(name) for name in options.networks]
    print(beliefs.table(known))
    for one in known:
        figures = {name: value for name, value in one.metrics.items() if isinstance(value, float)}
        print(f"\n{one.name}: " + ", ".join(f"{name} {value:.3f}" for name, value in figures.items()))
    if options.out:
        beliefs.draw(known, options.out)
        print(f"\nwrote {options.out}")
