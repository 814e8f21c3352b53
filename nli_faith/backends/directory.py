"""What backends that run a model directory share: its files, tokenizer, labels and limits."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..combiner import Combiner
from ..datamodels import Thresholds
from ..errors import BackendError, ConfigError, ModelFormatError
from ..labels import LabelOrder, resolve_label_order
from ..manifest import (
    MANIFEST,
    Manifest,
    check_hashes,
    check_sizes,
    load_manifest,
    read_json,
    require_files,
    sha256_file,
)
from .base import EntailmentBackend, Probabilities, softmax
from .batching import PairTemplate, TokenBatch, TokenIds
from .session import available_threads
from .tokenization import encode_texts, is_concat_safe, load_tokenizer, read_template, special_ids

#: Length assumed of a model whose config states none.
_FALLBACK_LENGTH = 512


class DirectoryBackend(EntailmentBackend):
    """A model directory. Subclasses load the weights and compute logits."""

    def __init__(
        self,
        model_dir: str | os.PathLike[str],
        *,
        weights: Sequence[str],
        threads: int | None = None,
        label_map: Mapping[object, object] | None = None,
        verify_hash: bool = False,
    ) -> None:
        """Reads everything but the weights.

        Args:
            model_dir: Directory with tokenizer.json, config.json, one of the weights files and,
                if this package made it, manifest.json.
            weights: Names that the weights file may have; the first that exists is taken.
            threads: Threads a call uses; by default all CPUs the process may use.
            label_map: See `labels.resolve_label_order`.
            verify_hash: Also hash all files; by default their sizes are checked.

        Raises:
            ConfigError: ``threads`` cannot work.
            ModelFormatError: A file is missing, empty, truncated or of another kind.
            ModelIntegrityError: A file differs from the manifest.
            LabelMapError: The label order cannot be known.
        """
        if threads is not None and (type(threads) is not int or threads < 1):
            raise ConfigError(f"threads must be at least 1, not {threads!r}")
        self._directory = Path(model_dir)
        self._threads = threads or available_threads()
        self._weights = require_files(self._directory, weights)
        self._manifest = self._read_manifest(verify_hash)
        config = read_json(self._directory / "config.json")
        self._order = resolve_label_order(config.get("id2label"), label_map)
        self._mapped = label_map is not None
        self._tokenizer = load_tokenizer(self._directory / "tokenizer.json")
        self._max_length = self._read_max_length(config)
        self._template = read_template(
            self._tokenizer, _pad_id(config, self._directory), config.get("match_types")
        )
        self._special = special_ids(self._tokenizer, self._template)
        self._concat_safe = is_concat_safe(self._tokenizer)
        self._sha256 = ""
        if self._manifest and self._weights.name in self._manifest.files:
            self._sha256 = self._manifest.files[self._weights.name].sha256

    def _read_manifest(self, verify_hash: bool) -> Manifest | None:
        if not (self._directory / MANIFEST).is_file():
            if verify_hash:
                raise ModelFormatError(f"{self._directory} has no {MANIFEST} to verify against")
            return None
        manifest = load_manifest(self._directory)
        check_sizes(self._directory, manifest)
        if verify_hash:
            check_hashes(self._directory)
        return manifest

    def _read_max_length(self, config: Mapping[str, Any]) -> int:
        if self._manifest is not None:
            return self._manifest.max_length
        return longest_pair(config, self._directory / "config.json")

    @property
    def name(self) -> str:
        """Name in the manifest, else the directory's name."""
        return self._manifest.name if self._manifest else self._directory.resolve().name

    @property
    def manifest(self) -> Manifest | None:
        """The model's manifest, if it has one."""
        return self._manifest

    @property
    def max_length(self) -> int:
        """Most tokens of a pair, special tokens included."""
        return self._max_length

    @property
    def sha256(self) -> str:
        """Hash of the weights: the manifest's, else computed once, when first asked for."""
        if not self._sha256:
            self._sha256 = sha256_file(self._weights)
        return self._sha256

    @property
    def threads(self) -> int:
        """Threads that one call uses."""
        return self._threads

    @property
    def thresholds(self) -> Thresholds | None:
        """The manifest's thresholds, if there is a manifest."""
        return self._manifest.thresholds if self._manifest else None

    @property
    def combiners(self) -> Mapping[str, Combiner]:
        """The manifest's combiners, if there is a manifest."""
        return self._manifest.combiners if self._manifest else {}

    @property
    def labels(self) -> LabelOrder:
        """The model's own column order."""
        return self._order

    @property
    def note(self) -> str:
        """Why ``contradiction`` is NaN, where it is."""
        return self._order.note

    @property
    def two_class(self) -> bool:
        """Whether the model cannot tell contradiction from neutral."""
        return self._order.contradiction is None

    @property
    def variant(self) -> str:
        """The order that the user's label map gives, where there is a map."""
        if not self._mapped:
            return ""
        return ",".join([*self._order.names, self._order.regression or ""])

    @property
    def template(self) -> PairTemplate:
        """How premise and hypothesis are joined."""
        return self._template

    @property
    def concat_safe(self) -> bool:
        """Whether windows can be assembled from the ids of segments."""
        return self._concat_safe

    @property
    def vocabulary(self) -> int:
        """Number of ids that the tokenizer gives."""
        return int(self._tokenizer.get_vocab_size(with_added_tokens=True))

    def encode(self, texts: Sequence[str]) -> list[TokenIds]:
        """Token ids of each text, without special tokens and never cut."""
        return encode_texts(self._tokenizer, texts, self._special)

    @abstractmethod
    def logits(self, batch: TokenBatch) -> npt.NDArray[np.floating]:
        """The model's own output for a batch that is neither empty nor too wide.

        Returns:
            Shape (pairs, the model's columns).

        Raises:
            BackendError: Inference failed.
        """

    def predict_proba(self, batch: TokenBatch) -> Probabilities:
        """Class probabilities; see `EntailmentBackend.predict_proba`."""
        if not len(batch):
            return np.empty((0, 3), dtype=np.float32)
        if batch.padded_length > self._max_length:
            raise BackendError(
                f"a batch is {batch.padded_length} tokens wide, the model takes {self._max_length}"
            )
        logits = self.logits(batch)
        shape = np.shape(logits)
        if shape != (len(batch), self._order.columns):
            raise BackendError(f"the model gave shape {shape} for {len(batch)} pairs")
        return self._in_order(logits)

    def _in_order(self, logits: npt.NDArray[np.floating]) -> Probabilities:
        out = np.full((len(logits), 3), np.nan, dtype=np.float32)
        order = self._order
        if order.regression is not None:
            score = regression_probability(logits[:, 0], order.regression)
            out[:, 0], out[:, 1] = score, 1.0 - score
            return out
        probabilities = softmax(logits)
        for column, index in enumerate((order.entailment, order.neutral, order.contradiction)):
            if index is not None:
                out[:, column] = probabilities[:, index]
        return out


def longest_pair(config: Mapping[str, Any], path: Path) -> int:
    """Most tokens of a pair, special tokens included, by a model's config.

    Args:
        config: What config.json says.
        path: Where it is, for the message.

    Raises:
        ModelFormatError: It states no usable number.
    """
    positions = config.get("max_position_embeddings", _FALLBACK_LENGTH)
    if not isinstance(positions, int) or positions < 8:
        raise ModelFormatError(f"{path}: max_position_embeddings is {positions!r}")
    # RoBERTa's position table starts behind the padding id.
    roberta = config.get("model_type") in ("roberta", "xlm-roberta", "camembert")
    return positions - 2 if roberta else positions


def regression_probability(values: npt.NDArray[np.floating], kind: str) -> npt.NDArray[np.float64]:
    """A one-number head's output as a probability of support.

    Args:
        values: (pairs,) the head's numbers.
        kind: ``sigmoid`` for log-odds (cross-encoders trained with a logistic loss, HHEM), or
            ``probability`` where the head gives a number in [0, 1] itself.

    Raises:
        BackendError: A number is not finite, or outside [0, 1] where it should be a probability.
    """
    numbers = np.asarray(values, dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise BackendError("the model gave NaN or infinity: use fp32")
    if kind == "sigmoid":
        score: npt.NDArray[np.float64] = 1.0 / (1.0 + np.exp(-np.clip(numbers, -60, 60)))
        return score
    if ((numbers < 0) | (numbers > 1)).any():
        worst = float(numbers[np.argmax(np.abs(numbers - 0.5))])
        raise BackendError(
            f"the model's number is no probability ({worst:.3f}): map its column to 'sigmoid' "
            "if it gives log-odds"
        )
    return numbers


def _pad_id(config: Mapping[str, Any], directory: Path) -> int:
    pad = config.get("pad_token_id", 0)
    if pad is None:
        return 0
    if not isinstance(pad, int) or pad < 0:
        raise ModelFormatError(f"{directory / 'config.json'}: pad_token_id is {pad!r}")
    return pad
