"""The column names that the field uses for one RAG turn, and which column means what.

Resolution looks at the names alone, never at the values, so that every row with the same columns
is read the same way. Names compare without regard to case, ``camelCase`` or separators:
``Retrieved Contexts``, ``retrievedContexts`` and ``retrieved-contexts`` are one.

Where several columns could be the answer or the contexts, the rules are, in this order:

1. A mapping given by the user wins.
2. Names that say *retrieved* win for the contexts (``retrieval_context`` over ``context``:
   DeepEval's ``context`` is the ideal one), and names that say *generated* win for the answer
   (``actual_output`` over ``answer``). Ideal or gold columns (``reference_contexts``,
   ``expected_output``, …) are never read as contexts or answer.
3. A contexts column of one framework picks that framework's answer column
   (``retrieved_contexts``: ``response``; ``retrieval_context``: ``actual_output``).
4. What is still ambiguous (``answer`` beside ``response``, ``contexts`` beside ``documents``) is
   an error that names the columns: a guess could score the gold answer.

For question, reference and id the first name in the list wins; a wrong pick harms no score.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nli_faith.errors import ConfigError, RecordError

Path = tuple[str, ...]

ANSWER: tuple[tuple[str, ...], ...] = (
    ("actual_output", "generated_answer", "model_answer", "predicted_answer", "llm_answer"),
    ("answer", "response", "prediction", "回答", "答案", "回复"),
    ("output", "completion", "generation", "generated_text"),
)
CONTEXTS: tuple[tuple[str, ...], ...] = (
    (
        "retrieved_contexts", "retrieval_context", "retrieved_context", "retrieval_contexts",
        "retrieved_documents", "retrieved_docs", "retrieved_chunks", "retrieved_passages",
        "source_documents", "source_nodes", "检索内容", "检索结果", "召回内容",
    ),
    (
        "contexts", "context", "documents", "document", "docs", "chunks", "passages", "passage",
        "ctxs", "上下文", "材料", "资料", "参考资料",
    ),
)  # fmt: skip
QUESTION = ("question", "user_input", "query", "input", "user_query", "问题", "提问")
REFERENCE = (
    "reference", "ground_truth", "ground_truths", "expected_output", "reference_answer",
    "expected_answer", "gold_answer", "golden_answer", "参考答案", "标准答案",
)  # fmt: skip
ID = (
    "id", "_id", "record_id", "qid", "uuid", "question_id", "query_id", "sample_id",
    "example_id", "row_id", "编号",
)  # fmt: skip
FAMILY = {"retrieved_contexts": "response", "retrieval_context": "actual_output"}

TIERS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "answer": ANSWER,
    "contexts": CONTEXTS,
    "question": tuple((name,) for name in QUESTION),
    "reference": tuple((name,) for name in REFERENCE),
    "id": tuple((name,) for name in ID),
    "variants": (("variants",),),
    "relevant_ids": (("relevant_ids",), ("relevant_doc_ids",)),
    "meta": (("meta",),),
}
"""Field -> tiers of column names; an earlier tier wins over a later one."""

REQUIRED = ("answer", "contexts")
KNOWN: Mapping[str, str] = {
    name: field for field, tiers in TIERS.items() for tier in tiers for name in tier
}
"""Normalised column name -> field."""

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SEPARATORS = re.compile(r"[\s\-]+")
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Plan:
    """Which column of a row is which field.

    Attributes:
        answer: Path of the answer: one key, or a dotted path's parts.
        contexts: Path of the contexts.
        question: Path or ``None``; so for ``reference``, ``id``, ``variants``,
            ``relevant_ids`` and ``meta``.
        rest: Columns that go to ``meta``.
        watched: The required columns and the id as they stand quoted in JSON text, to find
            duplicate keys.
    """

    answer: Path
    contexts: Path
    question: Path | None
    reference: Path | None
    id: Path | None
    variants: Path | None
    relevant_ids: Path | None
    meta: Path | None
    rest: tuple[str, ...]
    watched: tuple[bytes, ...]


def normalise(name: str) -> str:
    """A column name without case, camelCase, separators and byte order mark."""
    name = _CAMEL.sub("_", name.strip().lstrip("\ufeff").strip())
    return _SEPARATORS.sub("_", name).lower()


def parse_mapping(items: Iterable[str]) -> dict[str, str]:
    """``["answer=col", "contexts=meta.docs"]`` as a mapping.

    Raises:
        ConfigError: An item has no ``=``, an empty side, or names a field twice.
    """
    return parse_pairs(items, "mapping", "FIELD=COLUMN, as in answer=model_output")


def parse_pairs(items: Iterable[str], what: str, form: str) -> dict[str, str]:
    """``LEFT=RIGHT`` options as a mapping; the first ``=`` divides, spaces around are dropped.

    Args:
        items: The options' values.
        what: What they make together, for messages.
        form: How one is written, for messages.

    Raises:
        ConfigError: An item has no ``=`` or an empty side, or gives a left side another right
            side than before.
    """
    found: dict[str, str] = {}
    for item in items:
        left, _, right = (part.strip() for part in item.partition("="))
        if not (left and right):
            raise ConfigError(f"{what} {item!r}: write {form}")
        if found.get(left, right) != right:
            raise ConfigError(f"{what}: {left!r} is given twice ({found[left]}, {right})")
        found[left] = right
    return found


def check_mapping(mapping: Mapping[str, str] | None) -> dict[str, str]:
    """The mapping with its fields by our names (``response=x`` is ``answer=x``).

    Raises:
        ConfigError: A field is unknown, a column is not a string, or two columns are given for
            one field.
    """
    checked: dict[str, str] = {}
    for name, column in (mapping or {}).items():
        field = KNOWN.get(normalise(name))
        if field is None:
            raise ConfigError(f"mapping: no field {name!r}; there are {', '.join(TIERS)}")
        if not isinstance(column, str) or not column:
            raise ConfigError(f"mapping: the column for {name!r} is {column!r}, not a name")
        if checked.get(field, column) != column:
            raise ConfigError(f"mapping: two columns for {field!r}: {checked[field]}, {column}")
        checked[field] = column
    return checked


def make_plan(keys: tuple[str, ...], mapping: Mapping[str, str]) -> Plan:
    """Decide which column is which field.

    Args:
        keys: The row's keys.
        mapping: Field -> column as :func:`check_mapping` returns it.

    Raises:
        RecordError: A required or mapped column is absent, or several could be meant.
    """
    by_name: dict[str, str] = {}
    for key in keys:
        by_name.setdefault(normalise(key), key)
    by_name.update({key: key for key in keys if key in KNOWN})  # the plain spelling wins
    found: dict[str, Path] = {}
    for field, column in mapping.items():
        found[field] = _mapped(field, column, keys)
    taken = {path[0] for path in found.values() if len(path) == 1}
    problem: RecordError | None = None
    # Contexts first, they may decide the answer's column; but a problem with the answer is
    # reported first.
    for field in ("contexts", *(name for name in TIERS if name != "contexts")):
        if field in found:
            continue
        try:
            path = _detected(field, by_name, keys, taken, found.get("contexts"))
        except RecordError as error:
            problem = error
            continue
        if path is not None:
            found[field] = path
    if problem is not None:
        raise problem
    taken = {path[0] for path in found.values() if len(path) == 1}
    watched = {found[f][0] for f in (*REQUIRED, "id") if f in found}
    return Plan(
        **{field: found.get(field) for field in TIERS},  # type: ignore[arg-type]
        rest=tuple(key for key in keys if key not in taken),
        watched=tuple(f'"{name}"'.encode("utf-8", "surrogatepass") for name in sorted(watched)),
    )


def show_keys(keys: Iterable[str]) -> str:
    """A row's keys for a message, the first 20."""
    names = [repr(key) if len(key) <= 40 else repr(key[:40] + "…") for key in keys]
    if not names:
        return "it has no keys at all"
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return "it has " + ", ".join(names[:_SHOWN]) + more


def _mapped(field: str, column: str, keys: tuple[str, ...]) -> Path:
    if column in keys:
        return (column,)
    parts = column.split(".")
    if len(parts) > 1 and any(".".join(parts[:i]) in keys for i in range(1, len(parts))):
        return tuple(parts)
    raise RecordError(f"mapped to {column!r}, which the row lacks; {show_keys(keys)}", field=field)


def _detected(
    field: str,
    by_name: Mapping[str, str],
    keys: tuple[str, ...],
    taken: set[str],
    contexts: Path | None,
) -> Path | None:
    if field == "answer" and contexts is not None:
        partner = by_name.get(FAMILY.get(normalise(contexts[0]), ""))
        if partner is not None and partner not in taken:
            return (partner,)
    for tier in TIERS[field]:
        present = [by_name[n] for n in tier if n in by_name and by_name[n] not in taken]
        if len(present) > 1 and field in REQUIRED:
            raise RecordError(
                f"{' and '.join(map(repr, present))} could both be meant: "
                f"say which with --map {field}=COLUMN",
                field=field,
            )
        if present:
            return (present[0],)
    if field not in REQUIRED:
        return None
    tried = ", ".join(n for tier in TIERS[field] for n in tier if n.isascii())
    raise RecordError(
        f"missing; {show_keys(keys)}; tried {tried}; name another with --map {field}=COLUMN",
        field=field,
    )
