"""Small tables that users write: TOML or JSON, by suffix."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

from nli_faith.errors import ConfigError, InputError


def read_table(path: str | Path) -> dict[str, Any]:
    """Read a table from ``.toml`` or ``.json``.

    Args:
        path: The file, UTF-8 (a byte order mark is passed over).

    Raises:
        InputError: It cannot be read, or is not what its suffix says; names the place.
        ConfigError: It has another suffix, holds no table, or is TOML on Python 3.10 without
            ``tomli``.
    """
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix not in (".toml", ".json"):
        raise ConfigError(
            f"{path}: give a .toml or .json file, not {suffix or 'one without suffix'!r}"
        )
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 (byte {error.start})") from error
    try:
        table = _toml(text) if suffix == ".toml" else json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: not JSON: {error.msg}") from error
    except ConfigError:
        raise
    except ValueError as error:  # tomllib.TOMLDecodeError says the line itself
        raise InputError(f"{path}: not TOML: {error}") from error
    if not isinstance(table, dict):
        raise ConfigError(f"{path}: must hold a table, not {table!r:.60}")
    return table


def _toml(text: str) -> Any:
    # tomllib is there from Python 3.11 on; tomli is the same for 3.10.
    for name in ("tomllib", "tomli"):
        try:
            return importlib.import_module(name).loads(text)
        except ImportError:
            continue
    raise ConfigError("TOML needs Python 3.11 or the package tomli; JSON does not")
