"""Whether a question asked another way gets the same answer from the same material."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, Final

from nli_faith.datamodels import Record
from nli_faith.errors import ConfigError, RecordError
from nli_faith.io import coerce_record
from nli_faith.io.names import KNOWN, normalise
from nli_faith.lexicon import Lexicon
from nli_faith.metrics.agreement import Agreement, agree
from nli_faith.metrics.base import MetricStatus, MetricValue, missing, nothing
from nli_faith.metrics.coverage import Coverage
from nli_faith.metrics.engine import EntailmentEngine
from nli_faith.metrics.rank_overlap import jaccard, rank_biased_overlap
from nli_faith.text import fold
from nli_faith.verdicts import json_number


@dataclass(frozen=True, slots=True)
class PassRules:
    """When a variant passes, against the original; the defaults are this package's own.

    Attributes:
        agreement: Lowest agreement with the original answer, in [0, 1].
        faithfulness_drop: Largest loss of faithfulness, in [0, 1].
        coverage_drop: Largest loss of coverage, in [0, 1].
        contradictions: Whether a contradiction with the original is allowed.
    """

    agreement: float = 0.8
    faithfulness_drop: float = 0.1
    coverage_drop: float = 0.1
    contradictions: bool = False

    def __post_init__(self) -> None:
        for name in ("agreement", "faithfulness_drop", "coverage_drop"):
            value = getattr(self, name)
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not number or not 0.0 <= value <= 1.0:
                raise ConfigError(f"pass rule {name!r} must be in [0, 1], not {value!r}")

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "agreement": self.agreement,
            "faithfulness_drop": self.faithfulness_drop,
            "coverage_drop": self.coverage_drop,
            "contradictions": self.contradictions,
        }


_DEFAULT_RULES: Final = PassRules()


class Robustness:
    """Agreement of the answers to rephrased questions (鲁棒性).

    Value: mean over all pairs of answers (the original's and its variants') of their agreement,
    in [0, 1], higher is better. The agreement of a pair is the harmonic mean of the shares of
    claims that either answer entails of the other (`nli_faith.metrics.agreement`).

    Besides, in ``details``: every contradiction; for the retrieved chunks of each pair the Jaccard
    overlap and the rank-biased overlap with p = 0.9 (`nli_faith.metrics.rank_overlap`; rank drift
    is 1 - RBO, higher is worse); faithfulness and coverage of each member and their largest drop
    from the original; and the pass rate, the share of variants within `PassRules`.

    No variants: missing. Fewer than two answers with claims: nothing to measure. A variant
    without an answer is counted as unanswered and cannot pass.
    """

    name: ClassVar[str] = "robustness"
    required: ClassVar[tuple[str, ...]] = ("variants", "answer")
    higher_is_better: ClassVar[bool] = True

    def __init__(
        self,
        rules: PassRules | Mapping[str, Any] | None = None,
        *,
        lexicon: Lexicon | None = None,
    ) -> None:
        """Choose when a variant passes.

        Args:
            rules: Thresholds of the pass rate; a mapping names some of them.
            lexicon: Synonyms for coverage; those that ship by default.

        Raises:
            ConfigError: A rule is unknown or out of range.
        """
        if isinstance(rules, Mapping):
            unknown = sorted(set(rules) - set(_DEFAULT_RULES.to_dict()))
            if unknown:
                names = ", ".join(_DEFAULT_RULES.to_dict())
                raise ConfigError(f"no pass rule {unknown[0]!r}; there are {names}")
            rules = PassRules(**rules)
        self._rules = rules or _DEFAULT_RULES
        self._coverage = Coverage(lexicon)

    def compute(self, record: Record, engine: EntailmentEngine) -> MetricValue:
        """See `nli_faith.metrics.base.Metric.compute`."""
        absent = [] if record.variants else ["variants"]
        absent += [] if record.answer.strip() else ["answer"]
        if absent:
            return missing(*absent)
        try:
            members = [record, *(_variant(record, i, v) for i, v in enumerate(record.variants))]
        except RecordError as error:
            return MetricValue(math.nan, MetricStatus.ERROR, str(error))
        answered = [i for i, m in enumerate(members) if m.answer.strip()]
        pairs = {
            (i, j): agree(members[i].answer, members[j].answer, engine, question=record.question)
            for i, j in combinations(answered, 2)
        }
        values = [p.value for p in pairs.values() if not math.isnan(p.value)]
        details = self._details(members, answered, pairs, engine)
        if not values:
            return nothing("fewer than two answers can be compared", **details)
        return MetricValue(sum(values) / len(values), details=details)

    def _details(
        self,
        members: Sequence[Record],
        answered: Sequence[int],
        pairs: Mapping[tuple[int, int], Agreement],
        engine: EntailmentEngine,
    ) -> dict[str, Any]:
        scores = [self._scores(m, engine) for m in members]
        rows: list[dict[str, Any]] = [
            {
                "id": m.id,
                "question": m.question,
                "answered": i in answered,
                **{name: json_number(value) for name, value in score.items()},
            }
            for i, (m, score) in enumerate(zip(members, scores, strict=True))
        ]
        for i in range(1, len(members)):
            rows[i]["failed"] = self._failures(i, pairs.get((0, i)), scores)
            rows[i]["passed"] = not rows[i]["failed"]
        passed = sum(bool(row["passed"]) for row in rows[1:])
        contexts = _retrieval(members)
        return {
            "members": rows,
            "pairs": [{"a": i, "b": j, **p.to_dict()} for (i, j), p in pairs.items()],
            "contradictions": [
                {"a": i, "b": j, **c} for (i, j), p in pairs.items() for c in p.contradictions
            ],
            "retrieval": contexts,
            "mean_jaccard": _mean([c["jaccard"] for c in contexts]),
            "mean_rank_drift": _mean([c["rank_drift"] for c in contexts]),
            "drop": {
                name: json_number(_largest_drop([s[name] for s in scores]))
                for name in ("faithfulness", "coverage")
            },
            "unanswered": len(members) - len(answered),
            "pass_rate": round(passed / (len(members) - 1), 6),
            "pass_rules": self._rules.to_dict(),
        }

    def _scores(self, member: Record, engine: EntailmentEngine) -> dict[str, float]:
        """Faithfulness and coverage of one member; NaN where they cannot be measured."""
        faithfulness = math.nan
        if member.answer.strip() and member.contexts:
            faithfulness = engine.check(member.answer, member.contexts).score
        coverage = self._coverage.compute(member, engine).value
        return {"faithfulness": faithfulness, "coverage": coverage}

    def _failures(
        self, i: int, pair: Agreement | None, scores: Sequence[Mapping[str, float]]
    ) -> list[str]:
        """The rules that a variant breaks; a value that is not measured breaks none."""
        if pair is None:
            return ["unanswered"]
        rules = self._rules
        failed = []
        if pair.value < rules.agreement:
            failed.append("agreement")
        if pair.contradictions and not rules.contradictions:
            failed.append("contradictions")
        for name, allowed in (
            ("faithfulness", rules.faithfulness_drop),
            ("coverage", rules.coverage_drop),
        ):
            if scores[0][name] - scores[i][name] > allowed + 1e-9:
                failed.append(f"{name}_drop")
        return failed


def _variant(record: Record, index: int, row: Mapping[str, Any]) -> Record:
    """A variant as a record; its field names are those that the reader knows.

    Raises:
        RecordError: A field is of a wrong type.
    """
    known = {KNOWN.get(normalise(name)) for name in row if isinstance(name, str)}
    filled = dict(row)
    for name, empty in (("answer", None), ("contexts", None)):
        if name not in known:
            filled[name] = empty
    try:
        found = coerce_record(filled, default_id=f"{record.id}#v{index + 1}")
    except RecordError as error:
        raise RecordError(
            error.reason, source=f"variants[{index}] of {record.id}", field=error.field
        ) from error
    return found


def _retrieval(members: Sequence[Record]) -> list[dict[str, Any]]:
    """Overlap of the retrieved chunks, pair by pair; chunks are the same when their text is."""
    lists = [["".join(fold(c).split()) for c in m.contexts] for m in members]
    out: list[dict[str, Any]] = []
    for i, j in combinations(range(len(members)), 2):
        if not lists[i] or not lists[j]:
            continue
        rbo = rank_biased_overlap(lists[i], lists[j])
        out.append(
            {
                "a": i,
                "b": j,
                "jaccard": round(jaccard(lists[i], lists[j]), 6),
                "rbo": round(rbo, 6),
                "rank_drift": round(1 - rbo, 6),
            }
        )
    return out


def _largest_drop(values: Sequence[float]) -> float:
    """How far the lowest variant lies under the original; 0 where none does."""
    rest = [v for v in values[1:] if not math.isnan(v)]
    return max(0.0, values[0] - min(rest)) if rest and not math.isnan(values[0]) else math.nan


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 6) if values else None
