"""LangChain: a guard at the end of a chain, and an evaluator for LangSmith's ``evaluate``.

chain = retrieval_chain | FaithfulnessGuard()
evaluate(chain.invoke, data=examples, evaluators=[FaithfulnessEvaluator()])
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from nli_faith.datamodels import Status
from nli_faith.errors import ConfigError, MissingExtraError, RecordError
from nli_faith.guard import Guarded, GuardPolicy, StreamGuard, guard_record
from nli_faith.integrations._common import (
    NAME,
    record_of,
    score_answer,
    score_or_none,
    scorer_or_bundled,
)
from nli_faith.integrations.assertions import explain
from nli_faith.scorer import FaithfulnessScorer

try:
    from langchain_core.runnables import Runnable, RunnableConfig
    from langsmith.evaluation import EvaluationResult, RunEvaluator
except ImportError as error:
    raise MissingExtraError(error.name or "langchain_core", "langchain") from error

Returns = Literal["text", "guarded"]


class FaithfulnessGuard(Runnable[Any, Any]):
    """A runnable that takes an answer with its contexts and gives what may be shown.

    The input is a mapping as LangChain's retrieval chains make it: the answer (a string or a
    message), the context (documents or strings), the question. Unsupported sentences are taken
    out, or the answer is withheld, by the policy. In a stream, sentences go out as soon as they
    are whole and backed; the contexts must come before the answer ends.

    Attributes:
        policy: What is done; see `nli_faith.guard.GuardPolicy`.
        scorer: The scorer; the bundled model, loaded once, when None.
        returns: ``text``, or ``guarded`` for the whole `Guarded` (not in a stream).
    """

    def __init__(
        self,
        policy: GuardPolicy | None = None,
        scorer: FaithfulnessScorer | None = None,
        *,
        returns: Returns = "text",
        answer_key: str = "answer",
        contexts_key: str = "context",
        question_key: str = "input",
    ) -> None:
        """Sets up; the model loads on first use.

        Args:
            policy: See the class.
            scorer: See the class.
            returns: See the class.
            answer_key: Key of the answer in the input.
            contexts_key: Key of the contexts.
            question_key: Key of the question, which may be missing.

        Raises:
            ConfigError: An option has a value that cannot be.
        """
        if returns not in ("text", "guarded"):
            raise ConfigError(f"returns must be text or guarded, not {returns!r:.60}")
        if scorer is not None:
            scorer_or_bundled(scorer)
        self.policy, self.scorer, self.returns = policy or GuardPolicy(), scorer, returns
        self._keys = (answer_key, contexts_key, question_key)

    def invoke(
        self, input: Mapping[str, Any], config: RunnableConfig | None = None, **kwargs: Any
    ) -> str | Guarded:
        """Guard one answer.

        Args:
            input: See the class.
            config: LangChain's.
            **kwargs: LangChain's.

        Raises:
            RecordError: The answer or the contexts are missing or of a wrong type.
        """
        out: str | Guarded = self._call_with_config(self._guard, input, config)
        return out

    def transform(
        self,
        input: Iterator[Mapping[str, Any]],
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> Iterator[str]:
        """Guard an answer while it is written.

        Args:
            input: Parts of the mapping, as chains stream them.
            config: LangChain's.
            **kwargs: LangChain's.

        Yields:
            Text that may be shown.

        Raises:
            ConfigError: ``returns`` is ``guarded``.
            RecordError: The contexts are missing or of a wrong type.
        """
        if self.returns != "text":
            raise ConfigError("returns='guarded' cannot be streamed: use invoke")
        yield from self._transform_stream_with_config(input, self._stream, config)

    def stream(
        self, input: Mapping[str, Any], config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[str]:
        """As `transform`, for an answer that is there.

        Args:
            input: See the class.
            config: LangChain's.
            **kwargs: LangChain's.
        """
        yield from self.transform(iter([input]), config, **kwargs)

    def _guard(self, input: Mapping[str, Any]) -> str | Guarded:
        answer, contexts, question = (_value(input, k) for k in self._keys)
        self._need(input, answer=answer, contexts=contexts)
        record = record_of(answer, contexts, question)
        guarded = guard_record(record, policy=self.policy, scorer=scorer_or_bundled(self.scorer))
        return guarded.text if self.returns == "text" else guarded

    def _stream(self, parts: Iterator[Mapping[str, Any]]) -> Iterator[str]:
        guard: StreamGuard | None = None
        contexts: Any = None
        question: str | None = None
        waiting = ""
        seen: dict[str, Any] = {}
        for part in parts:
            answer, more, asked = (_value(part, k) for k in self._keys)
            seen.update(part)
            contexts = more if more is not None else contexts
            question = asked if asked is not None else question
            if answer is not None:
                waiting += record_of(answer, ()).answer
            if contexts is not None and waiting:
                guard = guard or self._stream_guard(contexts, question)
                yield from filter(None, [guard.feed(waiting)])
                waiting = ""
        if guard is None:
            self._need(seen, answer=seen.get(self._keys[0]), contexts=contexts)
            guard = self._stream_guard(contexts, question)
            yield from filter(None, [guard.feed(waiting)])
        yield from filter(None, [guard.finish()])

    def _stream_guard(self, contexts: Any, question: str | None) -> StreamGuard:
        chunks = record_of("", contexts).contexts
        return StreamGuard(chunks, question, self.policy, scorer_or_bundled(self.scorer))

    def _need(self, input: Mapping[str, Any], **values: Any) -> None:
        for (field, value), key in zip(values.items(), self._keys, strict=False):
            if value is None:
                raise RecordError(
                    f"the input has no {key!r}, only {sorted(map(str, input))!r:.200}", field=field
                )


class FaithfulnessEvaluator(RunEvaluator):
    """Scores the answer that a run gave against the contexts that it used.

    Serves LangSmith's ``evaluate`` as it is, and, called with ``inputs`` and ``outputs``, any
    code that takes evaluators as functions. The answer comes from the outputs; the contexts from
    the outputs, else from the inputs, else from the example's outputs.

    Attributes:
        scorer: The scorer; the bundled model, loaded once, when None.
        key: Name of the feedback.
    """

    def __init__(
        self,
        scorer: FaithfulnessScorer | None = None,
        *,
        key: str = NAME,
        answer_key: str = "answer",
        contexts_key: str = "context",
        question_key: str = "input",
    ) -> None:
        """Sets up; the model loads on first use.

        Args:
            scorer: See the class.
            key: See the class.
            answer_key: Key of the answer.
            contexts_key: Key of the contexts.
            question_key: Key of the question, which may be missing.

        Raises:
            ConfigError: ``scorer`` is none.
        """
        if scorer is not None:
            scorer_or_bundled(scorer)
        self.scorer, self.key = scorer, key
        self._keys = (answer_key, contexts_key, question_key)

    @property
    def feedback_keys(self) -> list[str]:
        """The one key of its feedback."""
        return [self.key]

    def __call__(
        self,
        *,
        outputs: Mapping[str, Any],
        inputs: Mapping[str, Any] | None = None,
        reference_outputs: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Score one answer.

        Args:
            outputs: What the chain gave.
            inputs: What it got.
            reference_outputs: What the example holds.

        Returns:
            ``key``, ``score`` in [0, 1] or None, ``value`` (the status, where there is no
            score) and ``comment``.

        Raises:
            RecordError: The answer or the contexts are missing or of a wrong type.
        """
        answer_key, contexts_key, question_key = self._keys
        places = [outputs, inputs or {}, reference_outputs or {}]
        contexts = next((p[contexts_key] for p in places if p.get(contexts_key) is not None), None)
        if contexts is None:
            names = sorted({str(k) for p in places for k in p})
            raise RecordError(
                f"there is no {contexts_key!r}, only {names!r:.200}", field="contexts"
            )
        question = _value(inputs or {}, question_key)
        result = score_answer(self.scorer, outputs.get(answer_key), contexts, question)
        unscored = result.status is not Status.SCORED
        return {
            "key": self.key,
            "score": score_or_none(result),
            "value": result.status.value if unscored else None,
            "comment": explain(result),
        }

    def evaluate_run(
        self, run: Any, example: Any = None, evaluator_run_id: Any = None
    ) -> EvaluationResult:
        """Score a traced run; see `__call__`.

        Args:
            run: The run.
            example: The example it ran on.
            evaluator_run_id: LangSmith's.
        """
        inputs = {**(getattr(example, "inputs", None) or {}), **(run.inputs or {})}
        return EvaluationResult(
            **self(
                outputs=run.outputs or {},
                inputs=inputs,
                reference_outputs=getattr(example, "outputs", None) or {},
            )
        )


def _value(mapping: Mapping[str, Any], key: str) -> Any:
    if not isinstance(mapping, Mapping):
        raise RecordError(f"the input must be a mapping, not {mapping!r:.60}")
    return mapping.get(key)
