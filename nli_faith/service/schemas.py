"""JSON schemas of requests and answers. A test holds them against real answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from nli_faith.datamodels import Label, SegmentKind, Status
from nli_faith.guard import Action
from nli_faith.results import AGGREGATIONS

OBJECT: Final[Mapping[str, Any]] = {"type": "object"}
_STRING = {"type": "string"}
_NULL_STRING = {"type": ["string", "null"]}
_PROBABILITY = {"type": "number", "minimum": 0, "maximum": 1}
_NULL_PROBABILITY = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
_THRESHOLD = {"type": ["number", "null"], "exclusiveMinimum": 0, "maximum": 1}
_COUNT = {"type": "integer", "minimum": 0}
_BOOL = {"type": "boolean"}
_LABELS = [label.value for label in Label]
_SPAN = {"text": _STRING, "start": _COUNT, "end": _COUNT}


def ref(name: str) -> dict[str, Any]:
    """A reference to a schema of `SCHEMAS`."""
    return {"$ref": f"#/components/schemas/{name}"}


def _closed(properties: Mapping[str, Any], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    """An object whose properties are all there but the optional ones."""
    return {
        **OBJECT,
        "properties": dict(properties),
        "required": [name for name in properties if name not in optional],
    }


def _or_null(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"anyOf": [dict(schema), {"type": "null"}]}


def _listed(items: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": dict(items), **more}


_RECORD = {
    **OBJECT,
    "description": "Field names of Ragas, DeepEval and plain logs are read as well, in any case.",
    "required": ["answer", "contexts"],
    "properties": {
        "id": {"type": ["string", "integer", "null"], "description": "Comes back as a string"},
        "answer": {**_NULL_STRING, "description": "The generated answer"},
        "contexts": {
            "description": "Retrieved chunks in rank order; one string is one chunk",
            "anyOf": [_listed(_NULL_STRING), _NULL_STRING],
        },
        "question": {**_NULL_STRING, "description": "The user's question, if known"},
        "meta": {"type": ["object", "null"], "description": "Comes back as it is"},
    },
}
_OPTIONS = {
    **OBJECT,
    "additionalProperties": False,
    "description": "How verdicts are read; as `FaithfulnessResult.rethreshold`, without the model. "
    "`support` of a claim that was settled early is a lower bound: for a higher threshold "
    "than the server's, start it with --no-early-exit or with that threshold.",
    "properties": {
        "support_threshold": _THRESHOLD,
        "contradiction_threshold": _THRESHOLD,
        "aggregation": {"enum": [*AGGREGATIONS, None]},
        "lang": {"enum": ["auto", "zh", "en"], "description": "Of explanations"},
    },
}
_POLICY = {
    **OBJECT,
    "additionalProperties": False,
    "description": "See `nli_faith.guard.GuardPolicy`.",
    "properties": {
        "remove": _listed({"enum": [Label.CONTRADICTED.value, Label.UNSUPPORTED.value]}),
        "max_removed": {"type": ["number", "null"], "minimum": 0, "maximum": 1},
        "max_contradicted": {"type": ["integer", "null"], "minimum": 0},
        "beyond": {"enum": [Action.REFUSE.value, Action.HUMAN.value]},
        "unscored": {
            **OBJECT,
            "propertyNames": {"enum": [s.value for s in Status]},
            "additionalProperties": {"enum": ["pass", "refuse", "human"]},
        },
        "refuse_text": _NULL_STRING,
        "human_text": _NULL_STRING,
    },
}
_EVIDENCE = _closed(
    {
        "context": _COUNT,
        **{k: _SPAN[k] for k in ("start", "end", "text")},
        "probs": _listed(_NULL_PROBABILITY, minItems=3, maxItems=3),
        "spans": _listed(_listed(_COUNT, minItems=3, maxItems=3)),
    },
    optional=("spans",),
)
_CLAIM = _closed(
    {
        **_SPAN,
        "label": {"enum": _LABELS},
        "support": _PROBABILITY,
        "contradiction": _NULL_PROBABILITY,
        "nli_support": _PROBABILITY,
        "combined": _PROBABILITY,
        "overlap": _PROBABILITY,
        "evidence": _or_null(ref("Evidence")),
        "counter_evidence": _or_null(ref("Evidence")),
        "flags": _listed(_STRING),
        "capped": _BOOL,
        "conflict": _BOOL,
        "signals": {**OBJECT, "additionalProperties": {"type": "number"}},
    }
)
_RESULT = _closed(
    {
        "id": _STRING,
        "status": {"enum": [s.value for s in Status]},
        "score": {**_NULL_PROBABILITY, "description": "null unless status is scored"},
        "label_counts": _closed(dict.fromkeys(_LABELS, _COUNT)),
        "claims": _listed(ref("Claim")),
        "non_claims": _listed(
            _closed({**_SPAN, "kind": {"enum": [kind.value for kind in SegmentKind]}})
        ),
        "truncated": _BOOL,
        "pairs_scored": _COUNT,
        "pairs_possible": _COUNT,
        "dropped_contexts": _COUNT,
        "aggregation": {"enum": list(AGGREGATIONS)},
        "thresholds": _or_null(
            _closed(
                {
                    "support": _PROBABILITY,
                    "contradiction": _PROBABILITY,
                    "calibrated_on": _NULL_STRING,
                }
            )
        ),
        "meta": OBJECT,
        "scorer": _or_null({**OBJECT, "additionalProperties": _STRING}),
        "error": {**_STRING, "description": "What went wrong, where status is error"},
    },
    optional=("error",),
)
_GUARDED = _closed(
    {
        "id": _STRING,
        "action": {"enum": [action.value for action in Action]},
        "text": {**_STRING, "description": "What may be shown"},
        "reason": _STRING,
        "removed": _listed(ref("Claim")),
        "orphans": _listed(_STRING),
        "result": ref("Result"),
    }
)
_QUOTE = _closed(
    {"context": _COUNT, "start": _COUNT, "end": _COUNT, "before": _STRING, "quote": _STRING,
     "after": _STRING}
)  # fmt: skip
_EXPLANATION = _closed(
    {
        "lang": {"enum": ["zh", "en"]},
        "summary": _STRING,
        "claims": _listed(
            _closed(
                {
                    "text": _STRING,
                    "label": {"enum": [*_LABELS, None]},
                    "label_text": _STRING,
                    "reason": _STRING,
                    "flags": _listed(_STRING),
                    "evidence": _or_null(_QUOTE),
                    "counter_evidence": _or_null(_QUOTE),
                }
            )
        ),
        "result": ref("Result"),
    }
)
_ERROR = _closed(
    {
        "error": _closed(
            {
                "code": _STRING,
                "message": _STRING,
                "where": _STRING,
                "limit": _closed(
                    {
                        "name": _STRING,
                        "value": {"type": "number"},
                        "given": {"type": ["number", "null"]},
                    }
                ),
            },
            optional=("where", "limit"),
        ),
        "request_id": _STRING,
    }
)


def _request(**beside: Any) -> dict[str, Any]:
    """One record or several, with what may stand beside them."""
    many = {**OBJECT, "required": ["records"], "additionalProperties": False,
            "properties": {"records": _listed(ref("Record"), minItems=1), **beside}}  # fmt: skip
    one = {"allOf": [ref("Record"), {**OBJECT, "properties": beside}], "not": {
        "required": ["records"]}}  # fmt: skip
    return {"anyOf": [one, many]}


SCHEMAS: Final[Mapping[str, Any]] = {
    "Record": _RECORD,
    "ScoreRequest": _request(options=_OPTIONS),
    "GuardRequest": _request(options=_OPTIONS, policy=_POLICY),
    "ExplainRequest": _request(options=_OPTIONS),
    "Evidence": _EVIDENCE,
    "Claim": _CLAIM,
    "Result": _RESULT,
    "Guarded": _GUARDED,
    "Explanation": _EXPLANATION,
    "Status": _closed({"status": _STRING}),
    "Error": _ERROR,
}
