"""The OpenAPI 3.1 description of the service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from nli_faith._version import __version__
from nli_faith.service.schemas import OBJECT, SCHEMAS, ref
from nli_faith.service.settings import ServiceSettings

EXAMPLE_RECORD: Final[Mapping[str, Any]] = {
    "answer": "电池保修一年。门店提供上门取件服务。",
    "contexts": ["整机保修两年，电池保修一年。"],
}
_QUESTION = "电池保修多久？"
_BATCH = {"records": [
    {"id": "a", **EXAMPLE_RECORD},
    {"id": "b", "answer": "The battery has a warranty of one year.",
     "contexts": ["The battery is covered for one year."]},
]}  # fmt: skip
_ERRORS: Final = {
    400: "The body is no JSON object",
    401: "No valid key",
    403: "A keyless service on loopback was called by another name",
    408: "The body took longer than body_timeout_s",
    413: "The body is over max_body_bytes",
    415: "The body is not application/json",
    422: "A record, option or policy cannot be used, or is over max_records, max_contexts or "
    "max_claims; `error.limit` names the limit, `error.where` the place",
    429: "max_in_flight requests are held already; see Retry-After",
    500: "A fault of the service",
    503: "Starting or stopping",
    504: "No result within timeout_s",
}


def describe(
    settings: ServiceSettings, with_key: bool, example: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The description of one service: its limits, and what its model says of the example.

    Args:
        settings: Limits, which the text states.
        with_key: Whether a key is needed.
        example: The result for the example record; left out when None.
    """
    limits = ", ".join(f"{name} {value:,}" for name, value in settings.limits().items())
    security: list[dict[str, list[str]]] = [{"bearer": []}, {"header": []}] if with_key else []
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "nli_faith",
            "version": __version__,
            "description": "Is every sentence of a RAG answer backed by the material? A verdict "
            "says what the material says, never what is true. Results equal those of the "
            f"command line and of Python. Limits: {limits}.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": {
            "/v1/score": {"post": _scoring(
                "score", "Score answers", "A result for each claim, with its evidence.",
                "Result", security, example)},
            "/v1/guard": {"post": _scoring(
                "guard", "What may be shown of an answer",
                "Unsupported sentences are taken out, or the answer is withheld, by `policy`.",
                "Guarded", security, None)},
            "/v1/explain": {"post": _scoring(
                "explain", "A verdict in words",
                "Why each claim got its label, and the evidence with what stands around it.",
                "Explanation", security, None)},
            "/healthz": {"get": _probe("healthz", "Is the process alive?", 503)},
            "/readyz": {"get": _probe("readyz", "Should requests be sent here?", 503)},
            "/metrics": {"get": _metrics(security)},
            "/openapi.json": {"get": _description()},
        },
        "components": {
            "schemas": dict(SCHEMAS),
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "header": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
            },
        },
    }  # fmt: skip


def _scoring(name: str, summary: str, text: str, schema: str, security: list[dict[str, list[str]]],
             example: Mapping[str, Any] | None) -> dict[str, Any]:  # fmt: skip
    one: dict[str, Any] = {"schema": _one_or_many(schema)}
    if example is not None:
        one["example"] = dict(example)
    return {
        "operationId": name,
        "summary": summary,
        "description": text + " The body is one record, or `records`; the answer has the same "
        "form. Other fields of a record come back under `meta`.",
        "security": security,
        "requestBody": {
            "required": True,
            "content": {"application/json": {
                "schema": ref(f"{name.title()}Request"),
                "examples": _examples(name),
            }},
        },
        "responses": {
            "200": {"description": "Done", "headers": _ID, "content": {"application/json": one}},
            **{str(status): _error(status) for status in _ERRORS},
        },
    }  # fmt: skip


def _one_or_many(schema: str) -> dict[str, Any]:
    many = {**OBJECT, "required": ["results"],
            "properties": {"results": {"type": "array", "items": ref(schema)}}}  # fmt: skip
    return {"anyOf": [ref(schema), many]}


_ID: Final = {"X-Request-Id": {"schema": {"type": "string"}, "description": "Also in the log"}}


def _examples(name: str) -> dict[str, Any]:
    one: dict[str, Any] = {**EXAMPLE_RECORD, "question": _QUESTION}
    if name == "guard":
        one["policy"] = {"max_removed": 0.5, "beyond": "refuse"}
    else:
        one["options"] = {"aggregation": "min"}
    return {
        "one": {"summary": "One record", "value": one},
        "many": {"summary": "Several records", "value": _BATCH},
    }


def _error(status: int) -> dict[str, Any]:
    headers: dict[str, Any] = dict(_ID)
    if status == 429:
        headers["Retry-After"] = {"schema": {"type": "integer", "minimum": 1}}
    return {
        "description": _ERRORS[status],
        "headers": headers,
        "content": {"application/json": {"schema": ref("Error")}},
    }


def _probe(name: str, summary: str, bad: int) -> dict[str, Any]:
    status = {"application/json": {"schema": ref("Status")}}
    return {
        "operationId": name,
        "summary": summary,
        "security": [],
        "responses": {
            "200": {"description": "Yes", "content": status},
            str(bad): {"description": "No, with the reason", "content": status},
            "403": _error(403),
        },
    }


def _metrics(security: list[dict[str, list[str]]]) -> dict[str, Any]:
    return {
        "operationId": "metrics",
        "summary": "Metrics for Prometheus",
        "security": security,
        "responses": {
            "200": {"description": "Text format",
                    "content": {"text/plain": {"schema": {"type": "string"}}}},
            "401": _error(401),
            "403": _error(403),
        },
    }  # fmt: skip


def _description() -> dict[str, Any]:
    return {
        "operationId": "openapi",
        "summary": "This description",
        "security": [],
        "responses": {
            "200": {"description": "OpenAPI 3.1",
                    "content": {"application/json": {"schema": {"type": "object"}}}},
            "403": _error(403),
        },
    }  # fmt: skip
