"""What the service logs: one JSON line a request, and never a word of its texts.

Exceptions are the leak one forgets: their messages quote values, and a traceback ends in the
message. So only the type and the places are logged.
"""

from __future__ import annotations

import json
import logging
import sys
import time
import traceback
from typing import Any

LOGGER_NAME = "nli_faith.service"
LEVELS = ("debug", "info", "warning", "error")
logger = logging.getLogger(LOGGER_NAME)


class JsonLines(logging.Formatter):
    """Time, level, event and the fields given as ``extra={"fields": {...}}``."""

    def format(self, record: logging.LogRecord) -> str:
        """One JSON line."""
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line: dict[str, Any] = {
            "time": f"{stamp}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        line |= getattr(record, "fields", {})
        return json.dumps(line, ensure_ascii=True, default=str)


def configure(level: str = "info") -> None:
    """Send the service's log to stderr as JSON lines.

    Args:
        level: One of `LEVELS`.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logger.handlers[:] = [handler]
    logger.setLevel(level.upper())
    logger.propagate = False


def event(name: str, *, level: int = logging.INFO, **fields: Any) -> None:
    """Log an event.

    Args:
        name: A fixed word.
        level: Level of `logging`.
        **fields: Numbers, ids and fixed words; no text of a request.
    """
    logger.log(level, name, extra={"fields": fields})


def failure(name: str, error: BaseException, **fields: Any) -> None:
    """Log an exception by type and place, without its message.

    Args:
        name: A fixed word.
        error: The exception.
        **fields: As for `event`.
    """
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{f.filename.rpartition('nli_faith')[2] or f.filename}:{f.lineno} {f.name}"
              for f in frames[-8:]]  # fmt: skip
    event(name, level=logging.ERROR, error=type(error).__name__, at=places, **fields)
