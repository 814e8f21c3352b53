"""The three NLI classes, and how the order of a model's output columns is learnt.

Models disagree on the order: some put entailment first, some contradiction, and the same family
changes between releases. A wrong guess turns every supported claim into a contradicted one
without any error, so the order is read from what the model says of itself, or from the user, and
never guessed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from .errors import LabelMapError


class NLILabel(str, Enum):
    """What a premise says of a hypothesis."""

    ENTAILMENT = "entailment"
    NEUTRAL = "neutral"
    CONTRADICTION = "contradiction"

    def __str__(self) -> str:
        return str(self.value)


#: Names that published models give to the classes. Compared after NFKC, lower-casing and
#: dropping spaces, hyphens and underscores.
_SYNONYMS: dict[str, NLILabel] = {
    **dict.fromkeys(
        (
            "entailment", "entail", "entails", "entailed", "support", "supports", "supported",
            "蕴含", "蕴涵", "蘊含", "蘊涵",
        ),
        NLILabel.ENTAILMENT,
    ),
    **dict.fromkeys(
        ("neutral", "undetermined", "notenoughinfo", "nei", "中立", "中性", "无关", "無關"),
        NLILabel.NEUTRAL,
    ),
    **dict.fromkeys(
        (
            "contradiction", "contradict", "contradicts", "contradicted", "contradictory",
            "refute", "refutes", "refuted", "refutation", "矛盾",
        ),
        NLILabel.CONTRADICTION,
    ),
}  # fmt: skip

#: Names of the merged class of two-class models. Its probability is stored as "neutral".
_MERGED = frozenset(
    {"notentailment", "notentailed", "nonentailment", "notentail", "不蕴含", "非蕴含", "不蘊含"}
)

_PLACEHOLDER = re.compile(r"label\d+|\d+")
_SEPARATORS = re.compile(r"[\s_\-]+")

#: What the number of a one-column model may be; see `LabelOrder.regression`.
REGRESSION = ("sigmoid", "probability")

#: Most classes a message lists before it says how many more there are.
_MAX_QUOTED = 12


@dataclass(frozen=True, slots=True)
class LabelOrder:
    """Which output column holds which class.

    Attributes:
        entailment: Column index of entailment.
        neutral: Column index of neutral; for a two-class model, of the merged class.
        contradiction: Column index of contradiction, or ``None`` for a two-class model,
            which cannot tell contradiction from neutral.
        regression: For a model of one number: ``sigmoid`` or ``probability``, what the number
            is. Its probability of support stands as entailment, the rest as neutral.
    """

    entailment: int
    neutral: int
    contradiction: int | None
    regression: str | None = None

    @property
    def columns(self) -> int:
        """Number of output columns, 1 to 3."""
        if self.regression is not None:
            return 1
        return 2 if self.contradiction is None else 3

    @property
    def note(self) -> str:
        """What a reader of the probabilities must know; empty for three classes."""
        if self.regression is not None:
            return (
                f"contradiction is null: the model gives one number, read as a {self.regression} "
                "of support"
            )
        if self.contradiction is None:
            return (
                "contradiction is null: the model has two classes, entailment and not_entailment, "
                "and cannot tell contradiction from neutral"
            )
        return ""

    @property
    def names(self) -> tuple[str, ...]:
        """Class names in column order."""
        if self.regression is not None:
            return ("support",)
        by_column = {self.entailment: NLILabel.ENTAILMENT.value}
        if self.contradiction is None:
            by_column[self.neutral] = "not_entailment"
        else:
            by_column[self.neutral] = NLILabel.NEUTRAL.value
            by_column[self.contradiction] = NLILabel.CONTRADICTION.value
        return tuple(by_column[i] for i in sorted(by_column))


def _key(name: str) -> str:
    return _SEPARATORS.sub("", unicodedata.normalize("NFKC", name).casefold())


def _quote(columns: Mapping[int, str]) -> str:
    shown = [f"{i}: {columns[i]!r}" for i in sorted(columns)[:_MAX_QUOTED]]
    more = len(columns) - len(shown)
    return "{" + ", ".join(shown) + (f", and {more} more" if more > 0 else "") + "}"


def _columns(id2label: object) -> dict[int, str]:
    """Reads ``id2label`` as a config gives it: a mapping (JSON has string keys) or a list."""
    if isinstance(id2label, Mapping):
        items = list(id2label.items())
    elif isinstance(id2label, (list, tuple)):
        items = list(enumerate(id2label))
    else:
        raise LabelMapError(
            f"the model states no id2label (found {id2label!r}): it needs an explicit label map"
        )
    columns: dict[int, str] = {}
    for raw_index, name in items:
        text = str(raw_index).strip()
        if not (text.isascii() and text.isdigit()) or isinstance(raw_index, bool):
            raise LabelMapError(f"id2label has a key that is no column index: {raw_index!r}")
        if not isinstance(name, str):
            raise LabelMapError(f"id2label names column {text} by {name!r}, which is no text")
        if int(text) in columns:
            raise LabelMapError(f"id2label names column {int(text)} twice: {dict(items)!r}")
        columns[int(text)] = name
    if sorted(columns) != list(range(len(columns))):
        raise LabelMapError(f"id2label skips columns; found {_quote(columns)}")
    return columns


def _apply_map(columns: Mapping[int, str], label_map: Mapping[object, object]) -> dict[int, str]:
    """Replaces model names by the user's; keys are column indices or the model's own names."""
    by_name: dict[str, int] = {}
    for i, name in columns.items():
        if by_name.setdefault(_key(name), i) != i:
            by_name[_key(name)] = -1  # ambiguous: usable by index only
    mapped: dict[int, str] = {}
    for raw_key, raw_value in label_map.items():
        text = str(raw_key).strip()
        if not isinstance(raw_value, (str, NLILabel)):
            raise LabelMapError(f"the label map gives {raw_key!r} the name {raw_value!r}")
        index = by_name.get(_key(text))
        if index is None and text.isascii() and text.isdigit():
            index = int(text) if int(text) in columns else None
        if index is None or index < 0:
            raise LabelMapError(
                f"the label map names {raw_key!r}, which is not one label of the model; "
                f"it has {_quote(columns)}"
            )
        if index in mapped:
            raise LabelMapError(f"the label map names column {index} twice: {dict(label_map)!r}")
        mapped[index] = str(raw_value)
    missing = sorted(set(columns) - set(mapped))
    if missing:
        raise LabelMapError(
            f"the label map leaves columns {missing} unnamed; the model has {_quote(columns)}"
        )
    return mapped


def resolve_label_order(
    id2label: object, label_map: Mapping[object, object] | None = None
) -> LabelOrder:
    """Finds the columns of entailment, neutral and contradiction.

    Args:
        id2label: The model config's ``id2label``: column index to class name (string or int
            keys), or a list of names.
        label_map: The user's own names: column index, or the model's name for a column, to one
            of ``entailment``, ``neutral``, ``contradiction``; or to ``entailment`` and
            ``not_entailment`` for a two-class model; or, for a model of one number, to
            ``sigmoid`` (the number is log-odds of support) or ``probability``. Must name every
            column.

    Returns:
        The validated order.

    Raises:
        LabelMapError: The names are placeholders (``LABEL_0``), unknown, doubled, incomplete, or
            a two-class model comes without a map. The message quotes what was found.

    Example:
        >>> resolve_label_order({"0": "CONTRADICTION", "1": "NEUTRAL", "2": "ENTAILMENT"})
        LabelOrder(entailment=2, neutral=1, contradiction=0)
    """
    columns = _columns(id2label)
    found = _quote(columns)
    if len(columns) == 1:
        return _regression(columns, label_map)
    explicit = label_map is not None
    named = _apply_map(columns, label_map) if label_map is not None else columns
    keys = {i: _key(name) for i, name in named.items()}
    if not explicit and any(_PLACEHOLDER.fullmatch(k) for k in keys.values()):
        raise LabelMapError(
            f"the model's labels are placeholders, {found}: it needs an explicit label map, "
            "such as {0: 'entailment', 1: 'neutral', 2: 'contradiction'}; see the model's card "
            "for the true order"
        )
    merged = [i for i, k in keys.items() if k in _MERGED]
    if merged and not explicit:
        raise LabelMapError(
            f"a two-class model ({found}) cannot tell contradiction from neutral: it needs an "
            "explicit label map that says so, such as "
            "{'entailment': 'entailment', 'not_entailment': 'not_entailment'}"
        )
    unknown = [named[i] for i, k in keys.items() if k not in _SYNONYMS and k not in _MERGED]
    if unknown:
        what = "the label map" if explicit else "the model"
        raise LabelMapError(
            f"{what} uses unknown class names {unknown[:_MAX_QUOTED]!r}; the model has {found}"
            + ("" if explicit else ", so it needs an explicit label map")
        )
    return _order(keys, merged, found)


def _regression(
    columns: Mapping[int, str], label_map: Mapping[object, object] | None
) -> LabelOrder:
    """A model of one number: the user says what the number is."""
    kind = _apply_map(columns, label_map)[0] if label_map is not None else None
    if kind not in REGRESSION:
        raise LabelMapError(
            f"the model gives one number ({_quote(columns)}): it needs an explicit label map that "
            f"says what it is, {{0: 'sigmoid'}} for log-odds of support or {{0: 'probability'}}"
            + (f"; found {kind!r}" if kind is not None else "")
        )
    return LabelOrder(0, 0, None, kind)


def _order(keys: Mapping[int, str], merged: list[int], found: str) -> LabelOrder:
    """Turns recognised names into an order; each class must have exactly one column."""
    where: dict[NLILabel, list[int]] = {label: [] for label in NLILabel}
    for i, k in keys.items():
        if k in _SYNONYMS:
            where[_SYNONYMS[k]].append(i)
    for label, indices in where.items():
        if len(indices) > 1:
            raise LabelMapError(f"columns {sorted(indices)} are all {label}; found {found}")
    entail, neutral, contra = (where[label] for label in NLILabel)
    if merged:
        if len(merged) == 1 and entail and not neutral and not contra:
            return LabelOrder(entail[0], merged[0], None)
        raise LabelMapError(
            f"not_entailment goes with entailment alone, in a model of two classes; found {found}"
        )
    missing = [str(label) for label, indices in where.items() if not indices]
    if missing:
        raise LabelMapError(f"no column is {' or '.join(missing)}; found {found}")
    return LabelOrder(entail[0], neutral[0], contra[0])
