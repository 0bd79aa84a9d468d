"""Files that are whole or not there."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file in one step: whatever happens, the old bytes or the new ones are there."""
    temporary = path.with_name(f".{path.name}.tmp")
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(path.parent))
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    if os.name == "posix":  # the rename itself must reach the disk too
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
