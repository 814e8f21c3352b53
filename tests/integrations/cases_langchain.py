import asyncio
import uuid

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableGenerator, RunnableLambda, RunnablePassthrough
from langsmith import Client, evaluate
from langsmith.schemas import Example, LangSmithInfo

from nli_faith import FaithfulnessScorer
from nli_faith.errors import ConfigError, RecordError
from nli_faith.guard import Action, GuardPolicy, guard
from nli_faith.integrations.langchain import FaithfulnessEvaluator, FaithfulnessGuard

from .data import BAD, CONTEXTS, GOOD, QUESTION, REFUSAL

DOCS = [Document(page_content=c, metadata={"n": n}) for n, c in enumerate(CONTEXTS)]


@pytest.fixture(scope="module")
def scorer():
    return FaithfulnessScorer.from_pretrained("bundled", threads=1)


def test_guard_in_a_chain(scorer):
    model = RunnableLambda(lambda _: AIMessage(content=GOOD + BAD))
    retriever = RunnableLambda(lambda _: DOCS)
    chain = (
        {"input": RunnablePassthrough(), "context": retriever}
        | RunnablePassthrough.assign(answer=model)
        | FaithfulnessGuard(scorer=scorer)
    )
    assert chain.invoke(QUESTION) == GOOD
    assert asyncio.run(chain.ainvoke(QUESTION)) == GOOD
    assert chain.batch([QUESTION, QUESTION]) == [GOOD, GOOD]


def test_guard_is_the_guard(scorer):
    policy = GuardPolicy(max_removed=0, beyond=Action.HUMAN, human_text="请稍候。")
    runnable = FaithfulnessGuard(policy, scorer, returns="guarded")
    row = {"answer": GOOD + BAD, "context": CONTEXTS, "input": QUESTION}
    own = guard(GOOD + BAD, CONTEXTS, question=QUESTION, policy=policy, scorer=scorer)
    assert runnable.invoke(row).to_dict() == own.to_dict()
    assert FaithfulnessGuard(policy, scorer).invoke(row) == "请稍候。"


def test_guard_streams_whole_sentences(scorer):
    def tokens(parts):
        list(parts)
        yield from GOOD + BAD + "七天内可以无条件退款。"

    chain = (
        RunnablePassthrough.assign(context=lambda _: DOCS)
        | RunnablePassthrough.assign(answer=RunnableGenerator(tokens))
        | FaithfulnessGuard(scorer=scorer)
    )
    shown = list(chain.stream({"input": QUESTION}))
    assert "".join(shown) == GOOD + "七天内可以无条件退款。"
    assert len(shown) > 1
    assert shown[0] == "整机保修期限为两年。"
    whole = list(FaithfulnessGuard(scorer=scorer).stream({"answer": GOOD, "context": CONTEXTS}))
    assert "".join(whole) == GOOD


def test_other_keys(scorer):
    runnable = FaithfulnessGuard(
        scorer=scorer, answer_key="result", contexts_key="source_documents"
    )
    assert runnable.invoke({"result": GOOD, "source_documents": DOCS}) == GOOD
    with pytest.raises(RecordError, match=r"no 'source_documents', only \['answer', 'result'\]"):
        runnable.invoke({"result": GOOD, "answer": GOOD})
    with pytest.raises(RecordError, match="no 'source_documents'"):
        list(runnable.stream({"result": GOOD}))


def test_evaluator_as_a_function(scorer):
    evaluator = FaithfulnessEvaluator(scorer)
    done = evaluator(inputs={"input": QUESTION}, outputs={"answer": GOOD + BAD, "context": DOCS})
    assert done["key"] == "nli_faithfulness"
    own = scorer.score({"answer": GOOD + BAD, "contexts": CONTEXTS, "question": QUESTION})
    assert done["score"] == own.score
    assert BAD in done["comment"]
    none = evaluator(outputs={"answer": REFUSAL, "context": CONTEXTS})
    assert (none["score"], none["value"]) == (None, "refusal")


def test_evaluator_in_langsmiths_evaluate(scorer):
    data = [
        Example(id=uuid.uuid4(), dataset_id=uuid.uuid4(), inputs={"input": q}, outputs={})
        for q in ("good", "bad")
    ]

    # Without `info` LangSmith's own client asks its server what it can do, uploads or not.
    client = Client(api_key="none", info=LangSmithInfo(), auto_batch_tracing=False)

    def target(inputs):
        return {"answer": GOOD if inputs["input"] == "good" else BAD, "context": CONTEXTS}

    rows = list(
        evaluate(
            target, data=data, evaluators=[FaithfulnessEvaluator(scorer)], upload_results=False,
            client=client,
        )
    )  # fmt: skip
    got = {
        r["example"].inputs["input"]: r["evaluation_results"]["results"][0] for r in rows
    }  # fmt: skip
    assert got["good"].score == 1.0
    assert got["bad"].score == 0.0
    assert got["bad"].key == "nli_faithfulness"


def test_values_that_cannot_be_are_quoted():
    with pytest.raises(ConfigError, match="html"):
        FaithfulnessGuard(returns="html")
    with pytest.raises(ConfigError, match="gpt"):
        FaithfulnessEvaluator("gpt")
    with pytest.raises(RecordError, match="17"):
        FaithfulnessGuard().invoke({"answer": 17, "context": []})
