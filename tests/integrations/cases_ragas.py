import asyncio
import math

import pytest
from ragas import EvaluationDataset, evaluate
from ragas.dataset_schema import SingleTurnSample
from ragas.metrics import ExactMatch
from ragas.metrics.base import MetricWithLLM

from nli_faith import FaithfulnessScorer
from nli_faith.errors import ConfigError, RecordError
from nli_faith.integrations.ragas import NliFaithfulness

from .data import BAD, CONTEXTS, GOOD, QUESTION, REFUSAL


@pytest.fixture(scope="module")
def scorer():
    return FaithfulnessScorer.from_pretrained("bundled", threads=1)


def test_collections_api(scorer):
    metric = NliFaithfulness(scorer)
    done = asyncio.run(metric.ascore(response=GOOD + BAD, retrieved_contexts=CONTEXTS))
    own = scorer.score({"answer": GOOD + BAD, "contexts": CONTEXTS})
    assert done.value == own.score == pytest.approx(2 / 3)
    assert BAD in done.reason
    assert metric.score(response=GOOD, retrieved_contexts=CONTEXTS).value == 1.0
    assert metric.validate_result_value(done.value) is None


def test_batches_are_scored_together(scorer):
    rows = [
        {"response": GOOD, "retrieved_contexts": CONTEXTS, "user_input": QUESTION},
        {"response": REFUSAL, "retrieved_contexts": CONTEXTS},
        {"response": BAD, "retrieved_contexts": CONTEXTS},
    ]
    values = [r.value for r in NliFaithfulness(scorer).batch_score(rows)]
    assert values[0] == 1.0
    assert math.isnan(values[1])
    assert values[2] == 0.0


def test_evaluate_beside_other_metrics_without_an_llm(scorer):
    metric = NliFaithfulness(scorer)
    assert not isinstance(metric, MetricWithLLM)
    samples = [
        SingleTurnSample(
            user_input=QUESTION, response=r, retrieved_contexts=CONTEXTS, reference=GOOD
        )
        for r in (GOOD, BAD, REFUSAL)
    ]
    with pytest.warns(DeprecationWarning, match="evaluate"):
        table = evaluate(
            EvaluationDataset(samples), metrics=[metric, ExactMatch()], show_progress=False,
            raise_exceptions=True,
        ).to_pandas()  # fmt: skip
    assert list(table["nli_faithfulness"][:2]) == [1.0, 0.0]
    assert math.isnan(table["nli_faithfulness"][2])
    assert list(table["exact_match"]) == [1.0, 0.0, 0.0]


def test_evaluate_beside_a_metric_that_asks_an_llm(scorer):
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from ragas.llms import LangchainLLMWrapper
    from ragas.metrics import AspectCritic

    def answers():
        while True:
            yield '{"reason": "short", "verdict": 1}'

    asked = LangchainLLMWrapper(GenericFakeChatModel(messages=answers()))
    critic = AspectCritic(name="short", definition="Is it short?", llm=asked)
    sample = SingleTurnSample(user_input=QUESTION, response=GOOD, retrieved_contexts=CONTEXTS)
    with pytest.warns(DeprecationWarning, match="evaluate"):
        table = evaluate(
            EvaluationDataset([sample]), metrics=[NliFaithfulness(scorer), critic],
            show_progress=False, raise_exceptions=True,
        ).to_pandas()  # fmt: skip
    assert (table["nli_faithfulness"][0], table["short"][0]) == (1.0, 1)


def test_single_turn_score(scorer):
    sample = SingleTurnSample(response=GOOD + BAD, retrieved_contexts=CONTEXTS)
    assert NliFaithfulness(scorer).single_turn_score(sample) == pytest.approx(2 / 3)


def test_a_missing_column_is_named_by_ragas(scorer):
    with (
        pytest.warns(DeprecationWarning, match="evaluate"),
        pytest.raises(ValueError, match="retrieved_contexts"),
    ):
        evaluate(
            EvaluationDataset([SingleTurnSample(user_input="?", response=GOOD)]),
            metrics=[NliFaithfulness(scorer)], show_progress=False,
        )  # fmt: skip


def test_values_that_cannot_be_are_quoted(scorer):
    with pytest.raises(ConfigError, match="'gpt-4o'"):
        NliFaithfulness("gpt-4o")
    with pytest.raises(RecordError, match="17"):
        NliFaithfulness(scorer).score(response=17, retrieved_contexts=CONTEXTS)
    with pytest.raises(ConfigError, match="answer"):
        NliFaithfulness(scorer).batch_score([{"answer": "x", "retrieved_contexts": []}])
