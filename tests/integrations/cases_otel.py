import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as names

from nli_faith import FaithfulnessScorer
from nli_faith.integrations.otel import record_faithfulness

from .data import BAD, CONTEXTS, GOOD, REFUSAL


@pytest.fixture(scope="module")
def scorer():
    return FaithfulnessScorer.from_pretrained("bundled", threads=1)


@pytest.fixture
def exporter():
    return InMemorySpanExporter()


@pytest.fixture
def tracer(exporter):
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return provider.get_tracer("test")


def test_attributes_and_event_on_the_current_span(scorer, tracer, exporter):
    result = scorer.score({"answer": GOOD + BAD, "contexts": CONTEXTS})
    with tracer.start_as_current_span("rag"):
        record_faithfulness(result)
    (span,) = exporter.get_finished_spans()
    got = dict(span.attributes)
    assert got["nli_faith.score"] == result.score
    assert got["nli_faith.status"] == "scored"
    assert got["nli_faith.claims.supported"] == 2
    assert got["nli_faith.claims.unsupported"] + got["nli_faith.claims.contradicted"] == 1
    assert got["nli_faith.config_hash"] == result.scorer.config_hash
    (event,) = span.events
    assert event.name == "gen_ai.evaluation.result"
    assert event.attributes[names.GEN_AI_EVALUATION_SCORE_VALUE] == result.score
    assert event.attributes[names.GEN_AI_EVALUATION_NAME] == "nli_faithfulness"
    assert BAD not in str(got) + str(dict(event.attributes))


def test_texts_only_when_asked_for(scorer, tracer, exporter):
    result = scorer.score({"answer": BAD, "contexts": CONTEXTS})
    with tracer.start_span("rag") as span:
        record_faithfulness(result, span, texts=True)
    (done,) = exporter.get_finished_spans()
    assert BAD in done.attributes["nli_faith.explanation"]
    assert BAD in done.events[0].attributes[names.GEN_AI_EVALUATION_EXPLANATION]


def test_nothing_measured_writes_no_number(scorer, tracer, exporter):
    with tracer.start_span("rag") as span:
        record_faithfulness(scorer.score({"answer": REFUSAL, "contexts": CONTEXTS}), span)
    (done,) = exporter.get_finished_spans()
    assert "nli_faith.score" not in done.attributes
    assert done.attributes["nli_faith.status"] == "refusal"
    assert names.GEN_AI_EVALUATION_SCORE_VALUE not in done.events[0].attributes
    assert done.events[0].attributes[names.GEN_AI_EVALUATION_SCORE_LABEL] == "refusal"


def test_without_a_span_nothing_happens(scorer):
    result = scorer.score({"answer": GOOD, "contexts": CONTEXTS})
    record_faithfulness(result)
    record_faithfulness(result, trace.INVALID_SPAN)
