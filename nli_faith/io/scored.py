"""Reads what ``score`` wrote."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from nli_faith.io.jsontext import loads
from nli_faith.io.rows import iter_lines
from nli_faith.io.sources import open_source


def read_scored(path: str | os.PathLike[str]) -> Iterator[dict[str, Any]]:
    """Result rows of a JSON lines output, plain or compressed; none for an empty file.

    Args:
        path: The output of a run.

    Yields:
        One result row each, as `FaithfulnessResult.from_dict` takes it.

    Raises:
        InputError: It cannot be read.
    """
    if os.path.getsize(path) == 0:
        return
    with open_source(path) as source:
        for line in iter_lines(source.chunks):
            if not line.isspace():
                yield loads(line)
