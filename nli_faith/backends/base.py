"""What an entailment backend is, and what all backends do alike."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ..combiner import Combiner
from ..datamodels import Thresholds
from ..errors import BackendError
from ..labels import NLILabel
from .batching import (
    DEFAULT_TOKEN_BUDGET,
    EXACT,
    BucketSteps,
    IntArray,
    PairIds,
    PairTemplate,
    TokenBatch,
    TokenIds,
    collate,
    make_batches,
)
from .lanes import ONE_LANE, Lanes

#: float32, shape (pairs, 3): entailment, neutral, contradiction.
Probabilities: TypeAlias = npt.NDArray[np.float32]

#: Plain pairs that any Chinese or English NLI model gets right, and the class of each.
_SELF_TEST = (
    ("会议于周三下午三点在二楼举行。", "会议在二楼举行。", NLILabel.ENTAILMENT),
    ("一只猫正在沙发上睡觉。", "公司今年计划扩大海外市场。", NLILabel.NEUTRAL),
    ("所有门店周日都不营业。", "所有门店周日都营业。", NLILabel.CONTRADICTION),
)
_COLUMNS = tuple(NLILabel)


@dataclass(frozen=True, slots=True)
class SelfTest:
    """Three plain pairs and what the model made of them.

    Attributes:
        expected: The right class of each pair.
        predicted: The model's class of each pair.
        probabilities: The model's probabilities, one row a pair.
    """

    expected: tuple[NLILabel, ...]
    predicted: tuple[NLILabel, ...]
    probabilities: tuple[tuple[float, float, float], ...]

    @property
    def correct(self) -> int:
        """How many of the three are right."""
        return sum(a == b for a, b in zip(self.expected, self.predicted, strict=True))


class EntailmentBackend(ABC):
    """Runs one NLI model. Every method may be called from many threads at once."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Model name, for results and manifests."""

    @property
    @abstractmethod
    def max_length(self) -> int:
        """Most tokens of a pair, special tokens included."""

    @property
    @abstractmethod
    def sha256(self) -> str:
        """Hash of the weights file, lower-case hexadecimal."""

    @property
    @abstractmethod
    def precision(self) -> str:
        """Such as ``fp32`` or ``int8``."""

    @property
    @abstractmethod
    def provider(self) -> str:
        """What runs it, such as ``onnxruntime/CPUExecutionProvider``."""

    @property
    @abstractmethod
    def threads(self) -> int:
        """Threads that one call uses."""

    @property
    @abstractmethod
    def two_class(self) -> bool:
        """Whether the model cannot tell contradiction from neutral; its column is then NaN."""

    @property
    def note(self) -> str:
        """What a reader of the probabilities must know; mostly empty."""
        return ""

    @property
    def thresholds(self) -> Thresholds | None:
        """Thresholds the model was calibrated to; ``None`` where it states none."""
        return None

    @property
    def combiners(self) -> Mapping[str, Combiner]:
        """Mode to the combiner that was fitted for this model; empty where there is none."""
        return {}

    @property
    def variant(self) -> str:
        """What tells this reading of the weights from the usual one; empty for the usual one.

        Names what changes the numbers beside the weights: a class map of the user's, a precision
        chosen when loading. Part of cache keys and of the config hash.
        """
        return ""

    @property
    @abstractmethod
    def template(self) -> PairTemplate:
        """How premise and hypothesis are joined."""

    @property
    @abstractmethod
    def concat_safe(self) -> bool:
        """Whether ids of ``a + " " + b`` are the ids of ``a`` followed by those of ``b``.

        Holds for texts that are not blank and have no white space at their edges.
        """

    @property
    def bucket_steps(self) -> BucketSteps:
        """Bucket widths to batch with; see `batching`. By default pairs are never padded."""
        return EXACT

    @property
    def lanes(self) -> Lanes:
        """Where batches run; by default one after the other, in the caller's thread."""
        return ONE_LANE

    @property
    def pair_overhead(self) -> int:
        """Number of special tokens a pair carries."""
        return self.template.overhead

    @abstractmethod
    def encode(self, texts: Sequence[str]) -> list[TokenIds]:
        """Token ids of each text, without special tokens and never cut."""

    @abstractmethod
    def predict_proba(self, batch: TokenBatch) -> Probabilities:
        """Class probabilities of assembled pairs.

        Args:
            batch: Pairs of one bucket, see `batching.collate`.

        Returns:
            float32, shape (pairs, 3), columns entailment, neutral, contradiction; for a
            two-class model the neutral column holds the merged class and contradiction is NaN.

        Raises:
            BackendError: Inference failed or gave values that are not finite.
        """

    def predict_pairs(
        self, pairs: Sequence[PairIds], token_budget: int = DEFAULT_TOKEN_BUDGET
    ) -> Probabilities:
        """Batches pairs of any lengths and returns their probabilities in input order.

        Args:
            pairs: Pairs of ids without special tokens.
            token_budget: Most padded tokens in a batch; changes speed, never a score.

        Returns:
            As `predict_proba`.

        Raises:
            BackendError: A pair is longer than `max_length`, or inference failed.
        """
        template = self.template
        out = np.empty((len(pairs), 3), dtype=np.float32)
        lengths = [template.length(pair) for pair in pairs]
        size, steps = self.max_length, self.bucket_steps

        def run(index: IntArray) -> None:
            batch = collate([pairs[i] for i in index], template, size, steps)
            out[index] = self.predict_proba(batch)

        batches = make_batches(
            lengths, token_budget, max_length=size, steps=steps, lanes=self.lanes.count
        )
        self.lanes.run(run, batches)
        return out

    def predict_texts(self, pairs: Sequence[tuple[str, str]]) -> Probabilities:
        """Probabilities of (premise, hypothesis) texts; see `predict_pairs`."""
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        ids = dict(zip(texts, self.encode(texts), strict=True))
        return self.predict_pairs([PairIds(ids[a], ids[b]) for a, b in pairs])

    def self_test(self) -> SelfTest:
        """Scores three plain pairs, one of each class."""
        probabilities = self.predict_texts([(a, b) for a, b, _ in _SELF_TEST])
        best = np.argmax(np.nan_to_num(probabilities, nan=-1.0), axis=1)
        return SelfTest(
            expected=tuple(label for _, _, label in _SELF_TEST),
            predicted=tuple(_COLUMNS[int(i)] for i in best),
            probabilities=tuple((float(a), float(b), float(c)) for a, b, c in probabilities),
        )


def softmax(logits: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """Softmax over the last axis, in float64.

    Raises:
        BackendError: A logit is NaN or infinite; fp16 overflow shows itself this way.
    """
    values = np.asarray(logits, dtype=np.float64)
    if not np.isfinite(values).all():
        bad = int((~np.isfinite(values)).any(axis=-1).sum())
        raise BackendError(
            f"the model gave NaN or infinity for {bad} of {len(values)} pairs: the weights are "
            "damaged, or the precision overflows (use fp32)"
        )
    powers = np.exp(values - values.max(axis=-1, keepdims=True))
    total: npt.NDArray[np.float64] = powers / powers.sum(axis=-1, keepdims=True)
    return total


def warn_if_senseless(backend: EntailmentBackend) -> None:
    """Warns when a model answers all three plain pairs of its self-test wrong."""
    test = backend.self_test()
    if test.correct == 0:
        got = ", ".join(str(label) for label in test.predicted)
        warnings.warn(
            f"model {backend.name!r} answers three plain pairs (entailment, neutral, "
            f"contradiction) all wrong ({got}): its label order or weights are probably not what "
            "its config says",
            stacklevel=3,
        )
