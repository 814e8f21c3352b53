import asyncio

import pytest
from deepeval import assert_test, evaluate
from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig
from deepeval.metrics import ExactMatchMetric
from deepeval.test_case import LLMTestCase

from nli_faith import FaithfulnessScorer
from nli_faith.errors import ConfigError
from nli_faith.integrations.deepeval import NliFaithfulnessMetric

from .data import BAD, CONTEXTS, GOOD, QUESTION, REFUSAL


@pytest.fixture(scope="module")
def scorer():
    return FaithfulnessScorer.from_pretrained("bundled", threads=1)


def case(answer, contexts=CONTEXTS):
    return LLMTestCase(input=QUESTION, actual_output=answer, retrieval_context=contexts)


@pytest.mark.parametrize("run_async", [True, False])
def test_assert_test(scorer, run_async):
    metric = NliFaithfulnessMetric(threshold=0.9, scorer=scorer)
    assert_test(case(GOOD), [metric], run_async=run_async)
    with pytest.raises(AssertionError, match="NLI Faithfulness") as caught:
        assert_test(case(GOOD + BAD), [metric], run_async=run_async)
    assert BAD in str(caught.value)
    assert "0.66" in str(caught.value)


def test_scores_are_the_scorers(scorer):
    metric = NliFaithfulnessMetric(scorer=scorer)
    own = scorer.score({"answer": GOOD + BAD, "contexts": CONTEXTS, "question": QUESTION})
    assert metric.measure(case(GOOD + BAD)) == own.score == metric.score
    assert metric.is_successful()
    assert metric.score_breakdown["supported"] == 2
    assert metric.evaluation_model is None
    assert asyncio.run(metric.a_measure(case(BAD))) == 0.0
    assert not metric.is_successful()


def test_evaluate_beside_another_metric(scorer):
    cases = [case(GOOD), case(BAD)]
    for c in cases:
        c.expected_output = GOOD
    done = evaluate(
        cases, [NliFaithfulnessMetric(scorer=scorer), ExactMatchMetric()],
        display_config=DisplayConfig(show_indicator=False, print_results=False),
        cache_config=CacheConfig(write_cache=False, use_cache=False),
        async_config=AsyncConfig(run_async=True),
    )  # fmt: skip
    got = {
        (r.input and r.actual_output, m.name): m.score
        for r in done.test_results for m in r.metrics_data
    }  # fmt: skip
    assert got[(GOOD, "NLI Faithfulness")] == 1.0
    assert got[(BAD, "NLI Faithfulness")] == 0.0


def test_what_has_no_score(scorer):
    failing = NliFaithfulnessMetric(scorer=scorer)
    assert failing.measure(case(REFUSAL)) == 0.0
    assert not failing.is_successful()
    assert "refusal" in failing.reason
    assert failing.score_breakdown["status"] == "refusal"
    assert_test(case(REFUSAL), [NliFaithfulnessMetric(scorer=scorer, unscored="pass")])
    with pytest.raises(AssertionError):
        assert_test(case(REFUSAL), [failing])


def test_a_missing_context_is_named(scorer):
    from deepeval.errors import MissingTestCaseParamsError

    with pytest.raises(MissingTestCaseParamsError, match="retrieval_context"):
        NliFaithfulnessMetric(scorer=scorer).measure(LLMTestCase(input="?", actual_output=GOOD))


def test_values_that_cannot_be_are_quoted():
    with pytest.raises(ConfigError, match=r"1\.5"):
        NliFaithfulnessMetric(threshold=1.5)
    with pytest.raises(ConfigError, match="maybe"):
        NliFaithfulnessMetric(unscored="maybe")
    with pytest.raises(ConfigError, match="gpt"):
        NliFaithfulnessMetric(scorer="gpt")
