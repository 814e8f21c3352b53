"""How close are answer and reference in meaning?"""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from nli_faith.datamodels import Record, Status
from nli_faith.errors import MissingExtraError, ModelNotFoundError
from nli_faith.metrics.base import MetricStatus, MetricValue
from nli_faith.metrics.engine import EntailmentEngine
from nli_faith.metrics.support import absent, stated, unscored
from nli_faith.results import FaithfulnessResult


class AnswerSimilarity:
    """Closeness of answer and reference: mean entailment in both directions, or a cosine.

    Entailment (default): ``(mean_i support(answer claim i | reference) + mean_j support(reference
    claim j | answer)) / 2``, with the probabilities after the quantity check and no threshold.
    Symmetric in answer and reference (but for bare ones, which are read as in
    ``answer_correctness``). With an embedding model: the cosine of the two texts' embeddings,
    cut at 0; the entailment value is in ``details``. Range [0, 1], higher is better. NaN without
    answer or reference, for a refusal, or where one of them asserts nothing.

    Source: Ragas "semantic similarity" (cosine); the entailment form as in Yao and Barbosa 2024,
    "Accurate and Nuanced Open-QA Evaluation Through Textual Entailment" (ACL Findings), and it
    tells 两年 from 三年, which a cosine hardly does.
    """

    name: ClassVar[str] = "answer_similarity"
    required: ClassVar[tuple[str, ...]] = ("answer", "reference")
    higher_is_better: ClassVar[bool] = True

    def __init__(self, *, embedding_model: str | None = None) -> None:
        """Choose the form.

        Args:
            embedding_model: Directory (or name in the local cache) of a sentence-transformers
                model; None for entailment. Nothing is downloaded.
        """
        self.embedding_model = embedding_model

    def compute(self, record: Record, engine: EntailmentEngine) -> MetricValue:
        """The metric of one record.

        Args:
            record: Needs ``answer`` and ``reference``; ``question`` helps.
            engine: Splits and judges.

        Raises:
            MissingExtraError: An embedding model is named and sentence-transformers is missing.
            ModelNotFoundError: There is no such model on this machine.
        """
        lacking = absent(record, self.required)
        if lacking is not None:
            return lacking
        assert record.reference is not None
        for text, name in ((record.answer, "answer"), (record.reference, "reference")):
            if engine.is_refusal(text):
                reason = f"the {name} declines to answer"
                return MetricValue(math.nan, MetricStatus.REFUSAL, reason)
        entailed = _symmetric(record.answer, record.reference, record.question, engine)
        if self.embedding_model is None:
            return entailed
        cosine = embed_cosine(self.embedding_model, record.answer, record.reference)
        details: dict[str, Any] = dict(entailed.details)
        details["entailment"] = round(entailed.value, 6) if entailed.measured else None
        details |= {"cosine": round(cosine, 6), "embedding_model": self.embedding_model}
        return MetricValue(min(1.0, max(0.0, cosine)), details=details)


def _symmetric(
    answer: str, reference: str, question: str | None, engine: EntailmentEngine
) -> MetricValue:
    forward = engine.check(answer, (stated(reference, question),))
    if forward.status is not Status.SCORED:
        return unscored(forward, "answer", "reference")
    backward = engine.check(reference, (stated(answer, question),))
    if backward.status is not Status.SCORED:
        return unscored(backward, "reference", "answer")
    there, back = _mean_support(forward), _mean_support(backward)
    return MetricValue(
        min(1.0, max(0.0, (there + back) / 2)),
        details={
            "reference_entails_answer": round(there, 6),
            "answer_entails_reference": round(back, 6),
        },
    )


def _mean_support(result: FaithfulnessResult) -> float:
    return sum(claim.support for claim in result.claims) / len(result.claims)


def embed_cosine(model: str, a: str, b: str) -> float:
    """Cosine of two texts' embeddings, in [-1, 1]; 0.0 where one of them is all zeros.

    Args:
        model: Directory or locally cached name of a sentence-transformers model.
        a: A text.
        b: Another.

    Raises:
        MissingExtraError: sentence-transformers is not installed.
        ModelNotFoundError: There is no such model on this machine.
    """
    import numpy as np

    first, second = np.asarray(_encoder(model).encode([a, b]), dtype=np.float64)
    norm = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float(first @ second) / norm if norm else 0.0


@lru_cache(maxsize=2)
def _encoder(model: str) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise MissingExtraError("sentence-transformers", "embeddings") from error
    looks_like_path = model.startswith((".", "/", "~")) or "\\" in model
    path = Path(model).expanduser()
    if looks_like_path and not path.is_dir():
        raise ModelNotFoundError(f"embedding model {model!r}: no such directory")
    try:
        return SentenceTransformer(str(path) if path.is_dir() else model, local_files_only=True)
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ModelNotFoundError(
            f"embedding model {model!r} is not on this machine or is incomplete: {reason}"
        ) from error
