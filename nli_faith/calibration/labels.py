"""Label values of the field -> our labels; what is not known is asked for, never guessed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from nli_faith.datamodels import Label
from nli_faith.errors import ConfigError
from nli_faith.io import parse_pairs
from nli_faith.label_words import KNOWN, SKIP, SKIPPED, normal_form

_TRUTH_VALUES = frozenset({"true", "false", "1", "0", "yes", "no", "是", "否"})
# `hallucinated: true` means the opposite of `faithful: true`.
_NEGATIVE_NAME = re.compile(
    r"halluc|unsupport|unfaith|error|wrong|bad|幻觉|错误|不忠实", re.IGNORECASE
)
_SHOWN = 12


def parse_label_map(items: Iterable[str]) -> dict[str, str]:
    """``["ok=supported", "2=contradicted", "?=skip"]`` as a mapping.

    Raises:
        ConfigError: An item has no ``=`` or an empty side, its right side is no label, or a
            value is given two labels.
    """
    allowed = [*(label.value for label in Label), SKIP]
    form = f"VALUE=LABEL, LABEL one of {', '.join(allowed)}"
    pairs = parse_pairs(items, "label map", form)
    for value, label in pairs.items():
        if label not in allowed:
            raise ConfigError(f"label map {f'{value}={label}'!r}: write {form}")
    return {normal_form(value): label for value, label in pairs.items()}


class LabelReader:
    """Reads values of one label field.

    Args:
        field: Its name, for messages, and because truth values under a name like
            ``hallucinated`` are not read without being told.
        mapping: Value -> label or ``skip``, over the known words.
    """

    def __init__(self, field: str, mapping: Mapping[str, str] | None = None) -> None:
        self.field = field
        self._mapping = {normal_form(k): v for k, v in (mapping or {}).items()}
        self._ambiguous = _NEGATIVE_NAME.search(field) is not None
        self._unknown: dict[str, int] = {}
        self._truth = False

    def read(self, value: Any) -> Label | None:
        """The label of a value; None for one to be left out.

        Unknown values are collected and count as left out until `check` is called.
        """
        key = normal_form(value)
        if key in self._mapping:
            label = self._mapping[key]
            return None if label == SKIP else Label(label)
        if key in SKIPPED:
            return None
        if key in KNOWN and not (self._ambiguous and key in _TRUTH_VALUES):
            return KNOWN[key]
        self._truth = self._truth or key in _TRUTH_VALUES
        self._unknown[key] = self._unknown.get(key, 0) + 1
        return None

    def check(self) -> None:
        """Refuse values that could not be read.

        Raises:
            ConfigError: There were some; the message shows them with counts.
        """
        if not self._unknown:
            return
        most = sorted(self._unknown.items(), key=lambda kv: (-kv[1], kv[0]))
        shown = ", ".join(f"{value[:30]!r} ({n}x)" for value, n in most[:_SHOWN])
        more = f" and {len(most) - _SHOWN} more" if len(most) > _SHOWN else ""
        why = " (under this name true may mean faithful or hallucinated)" if self._truth else ""
        raise ConfigError(
            f"label field {self.field!r} holds values that are no known label{why}: {shown}{more}; "
            f"say what they mean with --label-map {most[0][0][:30]}=supported and the like "
            "(supported, contradicted, unsupported, skip)"
        )
