"""From a request's bytes to records, options and a policy, within the limits.

Everything here blocks and so runs in a worker thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nli_faith.config import ScorerConfig
from nli_faith.datamodels import Record, SegmentKind, Status
from nli_faith.errors import ConfigError, RecordError
from nli_faith.guard import Action, GuardPolicy
from nli_faith.guard.guard import split_answer
from nli_faith.io import coerce_record, loads
from nli_faith.results import FaithfulnessResult
from nli_faith.service.problems import Problem, bad_record, bad_value, over_limit
from nli_faith.service.settings import ServiceSettings

LANGUAGES = ("auto", "zh", "en")
OPTION_NAMES = ("support_threshold", "contradiction_threshold", "aggregation", "lang")
POLICY_NAMES = (
    "remove", "max_removed", "max_contradicted", "beyond", "unscored", "refuse_text", "human_text",
)  # fmt: skip
#: Keys of a body that are never fields of its record.
ENVELOPE = ("records", "options", "policy")


@dataclass(frozen=True, slots=True)
class Options:
    """How the verdicts of one request are read; nothing here needs the model again.

    Attributes:
        support: Support threshold in (0, 1]; the scorer's when None.
        contradiction: Contradiction threshold in (0, 1]; the scorer's when None.
        aggregation: ``mean``, ``min`` or ``length``; the scorer's when None.
        lang: Language of explanations: ``zh``, ``en``, or ``auto`` for the answer's.
    """

    support: float | None = None
    contradiction: float | None = None
    aggregation: str | None = None
    lang: str = "auto"

    def apply(self, result: FaithfulnessResult) -> FaithfulnessResult:
        """The result under these options.

        Args:
            result: What the scorer said.

        Raises:
            ConfigError: A threshold or the aggregation is out of range.
        """
        if self.support is None and self.contradiction is None and self.aggregation is None:
            return result
        return result.rethreshold(
            support=self.support, contradiction=self.contradiction, aggregation=self.aggregation
        )


@dataclass(frozen=True, slots=True)
class Request:
    """A request that can be scored.

    Attributes:
        records: At least one.
        many: Whether the answer is a list, as the body was.
        options: How verdicts are read.
        policy: What a guard does.
    """

    records: tuple[Record, ...]
    many: bool
    options: Options
    policy: GuardPolicy


def parse(data: bytes, settings: ServiceSettings, config: ScorerConfig) -> Request:
    """Read a body.

    Args:
        data: JSON: a record, or ``{"records": [...]}``; ``options`` and ``policy`` beside it.
        settings: The limits.
        config: The scorer's options: claims are counted as it would cut them.

    Raises:
        Problem: 400 for what is no JSON object, 422 for what cannot be scored or is over a limit.
    """
    body = _json_object(data)
    options = _options(body.get("options"), config)
    policy = _policy(body.get("policy"))
    many = "records" in body
    rows = _rows(body, settings) if many else [body]
    records = []
    for n, row in enumerate(rows):
        where = f"records[{n}]" if many else ""
        record = _record(row, str(n), where, many)
        _check_size(record, where, settings, config)
        records.append(record)
    return Request(tuple(records), many, options, policy)


def _json_object(data: bytes) -> Mapping[str, Any]:
    try:
        body = loads(data.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError) as error:
        # Also UnicodeDecodeError. The reason names the place, which helps, and is not logged.
        reason = "not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        raise Problem(400, "bad_json", f"the body is not JSON: {reason}") from None
    if not isinstance(body, Mapping):
        raise Problem(400, "bad_json", f"the body must be an object, not {type(body).__name__}")
    return body


def _rows(body: Mapping[str, Any], settings: ServiceSettings) -> list[Any]:
    rows = body["records"]
    if not isinstance(rows, list) or not rows:
        raise bad_value("records", f"must be a list of at least one record, not {rows!r:.60}")
    beside = sorted(set(body) - set(ENVELOPE))
    if beside:
        raise bad_value(beside[0], f"{beside[0]!r:.60} stands beside records: which is meant?")
    if len(rows) > settings.max_records:
        raise over_limit(422, "max_records", settings.max_records, len(rows), "records", "records")
    return rows


def _record(row: Any, default_id: str, where: str, many: bool) -> Record:
    if not isinstance(row, Mapping):
        raise bad_value(where, f"a record is an object, not {row!r:.60}")
    if not many:
        row = {k: v for k, v in row.items() if k not in ENVELOPE}
    try:
        return coerce_record(row, default_id=default_id)
    except RecordError as error:
        raise bad_record(error, where) from None


def _check_size(
    record: Record, where: str, settings: ServiceSettings, config: ScorerConfig
) -> None:
    contexts = len(record.contexts) + record.dropped_contexts
    prefix = f"{where}." if where else ""
    if contexts > settings.max_contexts:
        raise over_limit(
            422, "max_contexts", settings.max_contexts, contexts, "contexts", f"{prefix}contexts"
        )
    claims = sum(
        s.kind is SegmentKind.CLAIM for s in split_answer(record.answer, config, record.question)
    )
    if claims > settings.max_claims:
        raise over_limit(
            422, "max_claims", settings.max_claims, claims, "claims", f"{prefix}answer"
        )


def _known(value: Any, where: str, names: tuple[str, ...]) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise bad_value(where, f"must be an object, not {value!r:.60}")
    unknown = sorted(set(value) - set(names))
    if unknown:
        raise bad_value(f"{where}.{unknown[0]:.60}", f"unknown; known are {', '.join(names)}")
    return {k: v for k, v in value.items() if v is not None}


def _options(value: Any, config: ScorerConfig) -> Options:
    given = _known(value, "options", OPTION_NAMES)
    lang = given.get("lang", "auto")
    if lang not in LANGUAGES:
        raise bad_value("options.lang", f"must be one of {', '.join(LANGUAGES)}, not {lang!r:.60}")
    aggregation = given.get("aggregation")
    if aggregation is not None and not isinstance(aggregation, str):
        raise bad_value("options.aggregation", f"must be a string, not {aggregation!r:.60}")
    support, contradiction = given.get("support_threshold"), given.get("contradiction_threshold")
    try:
        # The configuration knows the ranges; asked here, so that nothing is scored in vain.
        ScorerConfig(
            aggregation=aggregation or config.aggregation,
            support_threshold=support,
            contradiction_threshold=contradiction,
        )
    except ConfigError as error:
        raise bad_value("options", str(error)) from None
    return Options(support, contradiction, aggregation, lang)


def _policy(value: Any) -> GuardPolicy:
    given = _known(value, "policy", POLICY_NAMES)
    for name in ("refuse_text", "human_text"):
        if name in given and not isinstance(given[name], str):
            raise bad_value(f"policy.{name}", f"must be a string, not {given[name]!r:.60}")
    limit = given.get("max_contradicted")
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int)):
        raise bad_value("policy.max_contradicted", f"must be an integer, not {limit!r:.60}")
    try:
        if "unscored" in given:
            given["unscored"] = _unscored(given["unscored"])
        return GuardPolicy(**given)
    except (ConfigError, TypeError) as error:
        # TypeError: a list where a word belongs, or the like.
        raise bad_value("policy", str(error)) from None


def _unscored(value: Any) -> dict[Any, Any]:
    if not isinstance(value, Mapping):
        raise ConfigError(f"unscored must be an object of status to action, not {value!r:.60}")
    try:
        actions = {Status(status): Action(action) for status, action in value.items()}
    except ValueError as error:
        raise ConfigError(f"unscored: {error}") from None
    if Action.STRIP in actions.values():
        raise ConfigError("unscored: strip needs verdicts; use pass, refuse or human")
    return actions
