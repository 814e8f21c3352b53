"""The run manifest ``<OUT>.manifest.json``, written whole or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nli_faith.errors import OutputError
from nli_faith.io.jsontext import dumps

SUFFIX = ".manifest.json"


def manifest_path(output: str | os.PathLike[str]) -> Path:
    """``<OUT>.manifest.json`` for an output path."""
    path = Path(output)
    return path.with_name(path.name + SUFFIX)


def write_manifest(path: str | os.PathLike[str], manifest: Mapping[str, Any]) -> Path:
    """Write a run's manifest, atomically, as indented JSON.

    Args:
        path: Where to; beside an output it is :func:`manifest_path`.
        manifest: Anything :func:`nli_faith.io.dumps` takes.

    Returns:
        The path.

    Raises:
        OutputError: It cannot be written; a manifest that was there before is untouched.
    """
    target = Path(path)
    write_atomic(target, dumps(dict(manifest), pretty=True))
    return target


def write_atomic(path: Path, data: bytes) -> None:
    """Replace ``path`` by ``data`` in one step: readers see the old or the new, never a half.

    Raises:
        OutputError: It cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
