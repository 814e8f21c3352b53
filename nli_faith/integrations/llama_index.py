"""LlamaIndex: an evaluator, and a postprocessor that marks nodes by what they back.

NliFaithfulnessEvaluator().evaluate_response(response=query_engine.query(question))
EvidencePostprocessor(keep="supporting").postprocess_nodes(response.source_nodes,
                                                           query_str=response.response)
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Literal

from nli_faith.datamodels import Label, Record, Status
from nli_faith.errors import MissingExtraError
from nli_faith.integrations._common import (
    check_share,
    score_answer,
    score_or_none,
    scorer_or_bundled,
)
from nli_faith.integrations.assertions import explain
from nli_faith.results import FaithfulnessResult
from nli_faith.scorer import FaithfulnessScorer

try:
    from llama_index.core.bridge.pydantic import Field, field_validator
    from llama_index.core.evaluation import BaseEvaluator, EvaluationResult
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle
except ImportError as error:
    raise MissingExtraError(error.name or "llama_index", "llama-index") from error

SUPPORT_KEY = "nli_faith_support"
LABEL_KEY = "nli_faith_label"


class NliFaithfulnessEvaluator(BaseEvaluator):
    """Share of the response's claims that the contexts back, in [0, 1].

    A response that has no score (a refusal, nothing asserted, no contexts) is an invalid result,
    with the reason, and neither passes nor fails.
    """

    def __init__(self, scorer: FaithfulnessScorer | None = None, threshold: float = 0.5) -> None:
        """Sets up; the model loads on first use.

        Args:
            scorer: Any scorer; the bundled model, loaded once, when None.
            threshold: Least score that passes, in [0, 1].

        Raises:
            ConfigError: An option has a value that cannot be.
        """
        if scorer is not None:
            scorer_or_bundled(scorer)
        self._scorer, self._threshold = scorer, check_share("threshold", threshold)

    def _get_prompts(self) -> dict[str, Any]:
        return {}

    def _update_prompts(self, prompts: Any) -> None:
        """There are none."""

    def evaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> EvaluationResult:
        """Evaluate one response.

        Args:
            query: The question, if known.
            response: The answer.
            contexts: Retrieved chunks.
            **kwargs: LlamaIndex's.

        Raises:
            RecordError: The response or the contexts are missing or of a wrong type.
        """
        result = score_answer(self._scorer, response, contexts, query)
        score = score_or_none(result)
        return EvaluationResult(
            query=query,
            response=response,
            contexts=contexts,
            passing=None if score is None else score >= self._threshold,
            score=score,
            feedback=explain(result),
            invalid_result=score is None,
            invalid_reason=explain(result) if score is None else None,
        )

    async def aevaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        sleep_time_in_seconds: float = 0,
        **kwargs: Any,
    ) -> EvaluationResult:
        """As `evaluate`, in a worker thread.

        Args:
            query: See `evaluate`.
            response: See `evaluate`.
            contexts: See `evaluate`.
            sleep_time_in_seconds: LlamaIndex's, to spare an LLM; waited for.
            **kwargs: LlamaIndex's.
        """
        await asyncio.sleep(sleep_time_in_seconds)
        return await asyncio.to_thread(self.evaluate, query, response, contexts)


class EvidencePostprocessor(BaseNodePostprocessor):
    """Marks nodes by how far each one alone backs a statement, and may leave the others out.

    A question states nothing, so there must be a statement: the hypothetical answers of a query
    bundle (as ``HyDEQueryTransform`` makes them), else its query string, which may be the
    answer already given. Where nothing is stated, nodes pass unmarked.

    Each node's metadata get ``nli_faith_support`` (highest support of a claim, in [0, 1]) and
    ``nli_faith_label``; both are kept out of prompts and embeddings. The nodes handed in are left
    as they are.

    Attributes:
        scorer: The scorer; the bundled model, loaded once, when None.
        keep: ``all``, or ``supporting``: only nodes that back some claim.
        min_support: Nodes below this support go, in [0, 1].
        reorder: Whether the most supporting nodes come first.
        top_n: At most so many nodes; all when None.
    """

    scorer: Any = Field(default=None, exclude=True)
    keep: Literal["all", "supporting"] = "all"
    min_support: float = Field(default=0.0, ge=0, le=1)
    reorder: bool = False
    top_n: int | None = Field(default=None, ge=1)

    @field_validator("scorer")
    @classmethod
    def _is_scorer(cls, value: Any) -> Any:
        if value is not None:
            scorer_or_bundled(value)
        return value

    @classmethod
    def class_name(cls) -> str:
        """Its name, as LlamaIndex wants it."""
        return "NliFaithEvidencePostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        statements = _statements(query_bundle)
        if not nodes or not statements:
            return nodes
        records = [
            Record("0", statement, (node.get_content(metadata_mode=MetadataMode.NONE),))
            for node in nodes
            for statement in statements
        ]
        results = list(scorer_or_bundled(self.scorer).score_records(records))
        per_node = [results[i :: len(statements)] for i in range(len(statements))]
        marked = [
            _marked(node, found)
            for node, found in zip(nodes, zip(*per_node, strict=True), strict=True)
        ]
        kept = [node for node in marked if self._keeps(node)]
        if self.reorder:  # sorted() keeps the order of equals
            kept = sorted(kept, key=lambda n: -n.node.metadata.get(SUPPORT_KEY, 0.0))
        return kept[: self.top_n]

    def _keeps(self, node: NodeWithScore) -> bool:
        if SUPPORT_KEY not in node.node.metadata:
            return True
        if self.keep == "supporting" and node.node.metadata[LABEL_KEY] != Label.SUPPORTED.value:
            return False
        return bool(node.node.metadata[SUPPORT_KEY] >= self.min_support)


def _statements(bundle: QueryBundle | None) -> list[str]:
    if bundle is None:
        return []
    texts = bundle.custom_embedding_strs or [bundle.query_str]
    return [t for t in texts if t and t.strip()]


def _marked(node: NodeWithScore, results: Sequence[FaithfulnessResult]) -> NodeWithScore:
    """A copy of a node with what it backs; the node where nothing is stated."""
    claims = [c for r in results if r.status is Status.SCORED for c in r.claims]
    if not claims:
        return node
    labels = {c.label for c in claims}
    order = (Label.SUPPORTED, Label.CONTRADICTED, Label.UNSUPPORTED)
    label = next(label for label in order if label in labels)
    inner = node.node.model_copy()
    inner.metadata = {
        **inner.metadata,
        SUPPORT_KEY: round(max(c.support for c in claims), 6),
        LABEL_KEY: label.value,
    }
    for name in ("excluded_llm_metadata_keys", "excluded_embed_metadata_keys"):
        keys = getattr(inner, name)
        setattr(inner, name, [*keys, *(k for k in (SUPPORT_KEY, LABEL_KEY) if k not in keys)])
    return NodeWithScore(node=inner, score=node.score)
