"""A progress bar on stderr, with rate and time left."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from nli_faith.cli.render import console

T = TypeVar("T")
_BLOCK = 1 << 20
# Counting the lines of a file reads it once more; beyond this the time left is not worth that.
_COUNTABLE_BYTES = 4 << 30
_LINE_FORMATS = (".jsonl", ".ndjson")


def count_rows(source: str) -> int | None:
    """Rows of a file where a quick look tells, else None.

    Args:
        source: The input; only plain JSON lines files are counted.
    """
    try:
        if not source.endswith(_LINE_FORMATS) or os.path.getsize(source) > _COUNTABLE_BYTES:
            return None
        with open(source, "rb") as file:
            return sum(block.count(b"\n") for block in iter(lambda: file.read(_BLOCK), b""))
    except OSError:
        return None  # reading it will say what is wrong


class _Rate(ProgressColumn):
    """Records a second."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:.1f}/s" if task.speed else "–/s", style="dim")


class ProgressBar:
    """Counts items that pass through; a context manager."""

    def __init__(self, total: int | None) -> None:
        """Set the bar up.

        Args:
            total: Items in all, if known; only then is the time left shown.
        """
        self._total = total
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            _Rate(),
            TimeRemainingColumn(),
            console=console(sys.stderr),
            transient=True,
        )

    def __enter__(self) -> ProgressBar:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def track(self, items: Iterable[T], size: Callable[[T], int]) -> Iterator[T]:
        """Pass items through, counting those that are done with.

        Args:
            items: The items.
            size: How much an item counts.
        """
        task = self._bar.add_task("scoring", total=self._total)
        for item in items:
            yield item
            self._bar.advance(task, size(item))
