"""Where the registry lies when no path is given."""

from __future__ import annotations

import os
import sys
from pathlib import Path

VARIABLE = "NLI_FAITH_RUNS"
"""Environment variable that names another file."""

NAME = "runs.sqlite"


def default_path() -> Path:
    """``$NLI_FAITH_RUNS``, else ``nli_faith/runs.sqlite`` in the user's data directory.

    That is ``%LOCALAPPDATA%`` on Windows, ``~/Library/Application Support`` on macOS, and
    ``$XDG_DATA_HOME`` (``~/.local/share``) elsewhere.
    """
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named)
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    return base / "nli_faith" / NAME
