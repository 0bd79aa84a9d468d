"""Settings of long work: a dataclass, a line of help under each field, filled from TOML and from `key=value` words."""

from __future__ import annotations

import ast
import inspect
import tomllib
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from cuebid.game import BridgeError

T = TypeVar("T")


def load(kind: type[T], path: str | Path | None = None, words: Sequence[str] = ()) -> T:
    """Settings from a TOML file and, over it, from words such as `width=512`; what is in neither keeps its default."""
    values: dict[str, Any] = {}
    if path is not None:
        try:
            values = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise BridgeError(f"{path} cannot be read as settings: {error}") from None
    for word in words:
        key, equals, text = word.partition("=")
        if not equals:
            raise BridgeError(f"a setting is given as key=value; got {word!r}")
        values[key] = _value(text)
    hints = get_type_hints(kind)
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    for key, value in values.items():
        if key not in names:
            raise BridgeError(f"no such setting: {key!r} (expected one of {', '.join(names)})")
        values[key] = _as(hints[key], key, value)
    missing = [f.name for f in fields(kind) if f.name not in values and f.default is f.default_factory]  # type: ignore[arg-type]
    if missing:
        raise BridgeError(f"these settings must be given: {', '.join(missing)}")
    return kind(**values)


def described(kind: type[Any]) -> list[tuple[str, str, str]]:
    """Name, default and help of every setting."""
    tree = ast.parse(inspect.cleandoc(inspect.getsource(kind)))
    body = tree.body[0].body  # type: ignore[attr-defined]
    rows = []
    for entry, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(entry, ast.AnnAssign) and isinstance(entry.target, ast.Name):
            said = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            default = ast.unparse(entry.value) if entry.value else "(must be given)"
            rows.append((entry.target.id, default, " ".join(str(said).split())))
    return rows


def _value(text: str) -> Any:
    """A TOML value where it is one, else the text itself."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _as(hint: Any, key: str, value: Any) -> Any:
    """The value as the field's type wants it."""
    if get_origin(hint) is tuple:
        items = value if isinstance(value, list) else [value]
        return tuple(_as(get_args(hint)[0], key, item) for item in items)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    allowed = get_args(hint)
    fits = value in allowed if allowed else isinstance(value, hint) and (hint is bool or not isinstance(value, bool))
    if not fits:
        wanted = ", ".join(map(repr, allowed)) if allowed else f"a value of type {hint.__name__}"
        raise BridgeError(f"setting {key}: expected {wanted}; got {value!r}")
    return value
