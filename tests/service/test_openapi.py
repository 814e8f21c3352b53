"""The description is true: real answers fit it, its examples work, and no input makes a 500."""

from __future__ import annotations

import pytest

from nli_faith.service.problems import Problem
from tests.service.conftest import GOOD, HALF, serving


@pytest.fixture(scope="module")
def server():
    with serving(max_records=8, max_contexts=16, max_claims=20) as running:
        yield running


@pytest.fixture(scope="module")
def document(server):
    return server.client.get("/openapi.json").json()


def test_examples_are_served(server, document):
    for path, item in document["paths"].items():
        if "post" not in item:
            continue
        examples = item["post"]["requestBody"]["content"]["application/json"]["examples"]
        for example in examples.values():
            assert server.post(path, example["value"]).status_code == 200


def test_the_shown_answer_is_the_models_own(server, document):
    shown = document["paths"]["/v1/score"]["post"]["responses"]["200"]["content"]
    example = dict(shown["application/json"]["example"])
    body = {"id": "example", **{k: HALF[k] for k in ("answer", "contexts")}}
    body = {**body, "contexts": ["整机保修两年，电池保修一年。"]}
    assert example == server.post("/v1/score", body).json()


def test_every_field_of_an_answer_is_described(server, document):
    schemas = document["components"]["schemas"]
    result = server.post("/v1/score", HALF).json()
    assert set(result) == set(schemas["Result"]["required"])
    assert set(result["claims"][0]) == set(schemas["Claim"]["properties"])
    assert set(server.post("/v1/guard", HALF).json()) == set(schemas["Guarded"]["properties"])
    assert set(server.post("/v1/explain", HALF).json()) == set(schemas["Explanation"]["properties"])


def test_limits_are_stated(document):
    assert "max_contexts 16" in document["info"]["description"]
    codes = set(document["paths"]["/v1/score"]["post"]["responses"])
    assert {"200", "413", "422", "429", "504"} <= codes
    assert Problem(413, "x", "y").status == 413


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/v1/score", "/v1/guard", "/v1/explain", "/healthz", "/metrics"])
def test_schemathesis_finds_no_fault(server, path):
    """Hundreds of requests made from the description, and broken ones: no 5xx, answers as described."""
    schemathesis = pytest.importorskip("schemathesis", reason="comes with the dev extra")
    from hypothesis import HealthCheck, given, settings
    from schemathesis.checks import not_a_server_error
    from schemathesis.generation import GenerationMode
    from schemathesis.specs.openapi.checks import (
        content_type_conformance,
        response_schema_conformance,
        status_code_conformance,
    )

    schema = schemathesis.openapi.from_url(f"{server.url}/openapi.json")
    method = "POST" if path.startswith("/v1") else "GET"
    operation = schema[path][method]
    statuses = set()
    checks = [not_a_server_error, status_code_conformance, content_type_conformance,
              response_schema_conformance]  # fmt: skip
    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
        if mode is GenerationMode.NEGATIVE and method == "GET":
            continue  # a request without parameters cannot be broken

        @given(case=operation.as_strategy(generation_mode=mode))
        @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
        def call(case):
            response = case.call()
            statuses.add(response.status_code)
            case.validate_response(response, checks=checks)

        call()
    assert 200 in statuses
    if method == "POST":
        assert 422 in statuses
    assert server.post("/v1/score", GOOD).status_code == 200
