"""ONNX Runtime on the CPU."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

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
from .session import available_threads, open_session
from .tokenization import encode_texts, is_concat_safe, load_tokenizer, read_template, special_ids

#: device -> ONNX Runtime provider. Further devices are further rows.
_PROVIDERS = {"cpu": "CPUExecutionProvider"}

#: Length assumed of a model whose config states none.
_FALLBACK_LENGTH = 512


class OrtBackend(EntailmentBackend):
    """A model directory run by ONNX Runtime."""

    def __init__(
        self,
        model_dir: str | os.PathLike[str],
        *,
        device: str = "cpu",
        threads: int | None = None,
        label_map: Mapping[object, object] | None = None,
        verify_hash: bool = False,
    ) -> None:
        """Loads a model.

        Args:
            model_dir: Directory with model.onnx, tokenizer.json, config.json and, if this
                package made it, manifest.json.
            device: ``"cpu"``.
            threads: Threads a call uses; by default all CPUs the process may use.
            label_map: See `labels.resolve_label_order`.
            verify_hash: Also hash all files; by default their sizes are checked.

        Raises:
            ConfigError: ``device`` or ``threads`` cannot work.
            ModelFormatError: A file is missing, empty, truncated or of another kind.
            ModelIntegrityError: A file differs from the manifest.
            LabelMapError: The label order cannot be known.
        """
        if device not in _PROVIDERS:
            raise ConfigError(
                f"device {device!r} is not available; there is: {', '.join(_PROVIDERS)}"
            )
        if threads is not None and (type(threads) is not int or threads < 1):
            raise ConfigError(f"threads must be at least 1, not {threads!r}")
        self._directory = Path(model_dir)
        self._threads = threads or available_threads()
        require_files(self._directory)
        self._manifest = self._read_manifest(verify_hash)
        config = read_json(self._directory / "config.json")
        self._order = resolve_label_order(config.get("id2label"), label_map)
        self._tokenizer = load_tokenizer(self._directory / "tokenizer.json")
        self._max_length = self._read_max_length(config)
        self._template = read_template(
            self._tokenizer, _pad_id(config, self._directory), config.get("match_types")
        )
        self._special = special_ids(self._tokenizer, self._template)
        self._concat_safe = is_concat_safe(self._tokenizer)
        self._sha256 = self._manifest.sha256 if self._manifest else ""
        self._provider = _PROVIDERS[device]
        self._session = open_session(self._directory / "model.onnx", self._provider, self._threads)
        self._inputs = self._check_graph()

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
        positions = config.get("max_position_embeddings", _FALLBACK_LENGTH)
        if not isinstance(positions, int) or positions < 8:
            raise ModelFormatError(
                f"{self._directory / 'config.json'}: max_position_embeddings is {positions!r}"
            )
        # RoBERTa's position table starts behind the padding id.
        roberta = config.get("model_type") in ("roberta", "xlm-roberta", "camembert")
        return positions - 2 if roberta else positions

    def _check_graph(self) -> tuple[str, ...]:
        """Input names of the graph, which must be among those that a batch has."""
        names = tuple(item.name for item in self._session.get_inputs())
        unknown = set(names) - {"input_ids", "attention_mask", "token_type_ids"}
        if unknown or "input_ids" not in names:
            raise ModelFormatError(
                f"{self._directory / 'model.onnx'} has inputs {list(names)}; a text classifier "
                "with input_ids, attention_mask and, optionally, token_type_ids is expected"
            )
        columns = self._session.get_outputs()[0].shape[-1]
        if isinstance(columns, int) and columns != self._order.n_classes:
            raise ModelFormatError(
                f"{self._directory / 'model.onnx'} gives {columns} values a pair, config.json "
                f"names {self._order.n_classes} classes"
            )
        return names

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
        """Hash of model.onnx: the manifest's, else computed once, when first asked for."""
        if not self._sha256:
            self._sha256 = sha256_file(self._directory / "model.onnx")
        return self._sha256

    @property
    def precision(self) -> str:
        """Precision by the manifest, else by the file's own metadata, else ``unknown``."""
        if self._manifest is not None:
            return self._manifest.precision
        stored = self._session.get_modelmeta().custom_metadata_map
        return str(stored.get("precision", "unknown"))

    @property
    def provider(self) -> str:
        """``onnxruntime/`` and the execution provider."""
        return f"onnxruntime/{self._provider}"

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
    def two_class(self) -> bool:
        """Whether the model cannot tell contradiction from neutral."""
        return self._order.contradiction is None

    @property
    def template(self) -> PairTemplate:
        """How premise and hypothesis are joined."""
        return self._template

    @property
    def concat_safe(self) -> bool:
        """Whether windows can be assembled from the ids of segments."""
        return self._concat_safe

    def encode(self, texts: Sequence[str]) -> list[TokenIds]:
        """Token ids of each text, without special tokens and never cut."""
        return encode_texts(self._tokenizer, texts, self._special)

    def predict_proba(self, batch: TokenBatch) -> Probabilities:
        """Class probabilities; see `EntailmentBackend.predict_proba`."""
        if not len(batch):
            return np.empty((0, 3), dtype=np.float32)
        if batch.padded_length > self._max_length:
            raise BackendError(
                f"a batch is {batch.padded_length} tokens wide, the model takes {self._max_length}"
            )
        if "attention_mask" not in self._inputs and not batch.attention_mask.all():
            raise BackendError(
                "this model takes no padding: a batch must hold pairs of one length "
                "(see batching.EXACT)"
            )
        feed = {name: getattr(batch, name) for name in self._inputs}
        try:
            logits = self._session.run(None, feed)[0]
        except Exception as exc:  # the library's exceptions share no public base
            raise BackendError(f"ONNX Runtime failed on a batch of {len(batch)}: {exc}") from exc
        shape = np.shape(logits)
        if shape != (len(batch), self._order.n_classes):
            raise BackendError(f"the model gave shape {shape} for {len(batch)} pairs")
        return self._in_order(softmax(logits))

    def _in_order(self, probabilities: np.ndarray[Any, np.dtype[np.float64]]) -> Probabilities:
        out = np.full((len(probabilities), 3), np.nan, dtype=np.float32)
        order = self._order
        for column, index in enumerate((order.entailment, order.neutral, order.contradiction)):
            if index is not None:
                out[:, column] = probabilities[:, index]
        return out


def _pad_id(config: Mapping[str, Any], directory: Path) -> int:
    pad = config.get("pad_token_id", 0)
    if pad is None:
        return 0
    if not isinstance(pad, int) or pad < 0:
        raise ModelFormatError(f"{directory / 'config.json'}: pad_token_id is {pad!r}")
    return pad


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
