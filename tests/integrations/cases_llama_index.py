import asyncio

import pytest
from llama_index.core.base.response.schema import Response
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle, TextNode
from pydantic import ValidationError

from nli_faith import FaithfulnessScorer
from nli_faith.errors import ConfigError, RecordError
from nli_faith.integrations.llama_index import EvidencePostprocessor, NliFaithfulnessEvaluator

from .data import BAD, CONTEXTS, GOOD, QUESTION, REFUSAL

ALL = [*CONTEXTS, "公司食堂每天中午供应三种套餐。"]


@pytest.fixture(scope="module")
def scorer():
    return FaithfulnessScorer.from_pretrained("bundled", threads=1)


def nodes():
    return [
        NodeWithScore(node=TextNode(text=t, metadata={"n": n}), score=1 - n / 10)
        for n, t in enumerate(ALL)
    ]


def test_evaluator(scorer):
    evaluator = NliFaithfulnessEvaluator(scorer, threshold=0.7)
    done = evaluator.evaluate(query=QUESTION, response=GOOD + BAD, contexts=CONTEXTS)
    own = scorer.score({"answer": GOOD + BAD, "contexts": CONTEXTS, "question": QUESTION})
    assert done.score == own.score
    assert done.passing is False
    assert BAD in done.feedback
    good = asyncio.run(evaluator.aevaluate(response=GOOD, contexts=CONTEXTS))
    assert (good.score, good.passing, good.invalid_result) == (1.0, True, False)


def test_evaluator_takes_a_response_with_its_sources(scorer):
    response = Response(GOOD, source_nodes=nodes())
    assert NliFaithfulnessEvaluator(scorer).evaluate_response(response=response).score == 1.0


def test_what_has_no_score_is_invalid(scorer):
    done = NliFaithfulnessEvaluator(scorer).evaluate(response=REFUSAL, contexts=CONTEXTS)
    assert (done.score, done.passing, done.invalid_result) == (None, None, True)
    assert "refusal" in done.invalid_reason
    with pytest.raises(RecordError, match="contexts"):
        NliFaithfulnessEvaluator(scorer).evaluate(response=GOOD)


def test_postprocessor_keeps_what_backs_the_answer(scorer):
    given = nodes()
    kept = EvidencePostprocessor(scorer=scorer, keep="supporting").postprocess_nodes(
        given, query_str=GOOD
    )
    assert [n.node.metadata["n"] for n in kept] == [0, 1]
    assert all(n.node.metadata["nli_faith_label"] == "supported" for n in kept)
    assert [n.score for n in kept] == [1.0, 0.9]
    assert all(set(n.node.metadata) == {"n"} for n in given)
    for mode in (MetadataMode.LLM, MetadataMode.EMBED):
        assert "nli_faith" not in kept[0].node.get_content(metadata_mode=mode)


def test_postprocessor_takes_hypothetical_answers(scorer):
    bundle = QueryBundle(QUESTION, custom_embedding_strs=["电池保修期限为一年。"])
    first = EvidencePostprocessor(scorer=scorer, reorder=True, top_n=1)
    (best,) = first.postprocess_nodes(nodes(), bundle)
    assert best.node.metadata["n"] == 1
    own = scorer.score({"answer": "电池保修期限为一年。", "contexts": [ALL[1]]})
    assert best.node.metadata["nli_faith_support"] == round(own.claims[0].support, 6)
    (alone,) = EvidencePostprocessor(scorer=scorer, min_support=0.9).postprocess_nodes(
        [nodes()[1], nodes()[2]], bundle
    )
    assert alone.node.metadata["n"] == 1


def test_a_question_states_nothing(scorer):
    kept = EvidencePostprocessor(scorer=scorer, keep="supporting").postprocess_nodes(
        nodes(), query_str=QUESTION
    )
    assert len(kept) == len(ALL)
    assert all("nli_faith_label" not in n.node.metadata for n in kept)


def test_values_that_cannot_be_are_quoted():
    with pytest.raises(ConfigError, match="-1"):
        NliFaithfulnessEvaluator(threshold=-1)
    with pytest.raises(ValidationError, match="some"):
        EvidencePostprocessor(keep="some")
    with pytest.raises((ConfigError, ValidationError), match="gpt"):
        EvidencePostprocessor(scorer="gpt")
