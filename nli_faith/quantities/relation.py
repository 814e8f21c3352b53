"""The four relations between a claim's quantity and one of the context."""

from __future__ import annotations

from enum import Enum


class Relation(str, Enum):
    """How a context quantity bears on a claim quantity."""

    EQUAL = "equal"
    #: Rounded to the written precision, bounded, coarser, or the same without its unit.
    COMPATIBLE = "compatible"
    #: Same kind, comparable, another value.
    CONFLICT = "conflict"
    #: Other kinds, or no exact conversion (30天 and 1个月).
    INCOMPARABLE = "incomparable"

    def __str__(self) -> str:
        return self.value
