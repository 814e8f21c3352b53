"""Folders of Parquet files, as Spark, Hive and Ray write them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from urllib.parse import unquote

from nli_faith.errors import InputError
from nli_faith.io import remote

SUFFIXES = (".parquet", ".pq")
_NULL = "__HIVE_DEFAULT_PARTITION__"


def parquet_files(source: str | os.PathLike[str]) -> list[tuple[str, dict[str, str | None]]] | None:
    """The Parquet files below a folder, by name, each with the columns that its path states.

    Names that begin with ``_`` or ``.`` (``_SUCCESS``, ``_temporary``) are passed over.

    Args:
        source: A local or remote path.

    Returns:
        Path and partition columns (``day=2024-01-02`` gives ``day``; texts); ``None`` when the
        source is no folder.

    Raises:
        InputError: The folder holds no Parquet file, or cannot be listed.
        ConfigError: The protocol is unknown.
        MissingExtraError: It is remote and fsspec is not installed.
    """
    name = os.fspath(source)
    if remote.is_remote(name):
        found = remote.listed(name)
        system, path = remote.filesystem(name)
        root = str(system.unstrip_protocol(path))
    else:
        found, root = (list(_walk(name)) if os.path.isdir(name) else None), name
    if found is None:
        return None
    root = root.rstrip("/") + "/"
    files = []
    for file in sorted(found):
        parts = file.removeprefix(root).replace(os.sep, "/").split("/")
        if file.lower().endswith(SUFFIXES) and not any(p.startswith(("_", ".")) for p in parts):
            files.append((file, _partition(parts[:-1])))
    if not files:
        raise InputError(f"{name}: is a directory without a Parquet file (.parquet, .pq)")
    return files


def _walk(folder: str) -> Iterator[str]:
    for where, _, names in os.walk(folder):
        yield from (os.path.join(where, name) for name in names)


def _partition(folders: list[str]) -> dict[str, str | None]:
    pairs = (folder.partition("=") for folder in folders if "=" in folder)
    return {key: None if value == _NULL else unquote(value) for key, _, value in pairs}
