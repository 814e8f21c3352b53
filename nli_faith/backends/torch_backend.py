"""PyTorch and transformers (extra ``torch``): CPU, CUDA and Apple GPUs, any architecture."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import BackendError, ConfigError, MissingExtraError, ModelFormatError
from ..model_hub import TORCH_FILES
from .batching import EXACT, PADDED, BucketSteps, TokenBatch
from .devices import choose, parse_device
from .directory import DirectoryBackend

PRECISIONS = ("auto", "fp32", "bf16", "fp16")

# A call on the CPU gets a multiple of this many rows. With fewer, PyTorch takes another matrix
# kernel for the pooled vectors, and a pair's last bits depend on how many came with it.
_ROWS = 4


def _torch() -> Any:
    try:
        import torch
        import transformers  # noqa: F401
    except ImportError as exc:
        raise MissingExtraError(exc.name or "torch", "torch") from exc
    return torch


def available_devices() -> list[str]:
    """Devices that the installed PyTorch can use, best first.

    Raises:
        MissingExtraError: PyTorch is not installed.
    """
    torch = _torch()
    found = ["cuda"] if torch.cuda.is_available() else []
    if torch.backends.mps.is_available():  # pragma: no cover - Apple machines
        found.append("mps")
    return [*found, "cpu"]


class TorchBackend(DirectoryBackend):
    """A transformers sequence classifier run by PyTorch.

    On a CPU a pair's score is the same to the last bit whatever else is in the batch. On a GPU
    kernels change with the shape of a batch: scores there agree to about 1e-6 in fp32, 1e-3 in
    bf16 and fp16.
    """

    def __init__(
        self,
        model_dir: str | os.PathLike[str],
        *,
        device: str = "auto",
        precision: str = "auto",
        threads: int | None = None,
        label_map: Mapping[object, object] | None = None,
        compile: bool = False,
        verify_hash: bool = False,
    ) -> None:
        """Loads a model.

        Args:
            model_dir: Directory with config.json, tokenizer.json and model.safetensors or
                pytorch_model.bin, as transformers saves them.
            device: ``auto``, ``cpu``, ``cuda``, ``cuda:N`` or ``mps``.
            precision: ``fp32``, ``bf16`` or ``fp16``; ``auto`` is bf16 on a GPU that has it,
                else fp16 there, and fp32 on a CPU.
            threads: Threads a call on the CPU uses. PyTorch has one setting a process.
            label_map: See `labels.resolve_label_order`.
            compile: Whether ``torch.compile`` is used (dynamic shapes); pays after hundreds of
                batches.
            verify_hash: See `DirectoryBackend`.

        Raises:
            MissingExtraError: PyTorch or transformers is not installed.
            ConfigError: ``device``, ``precision`` or ``threads`` cannot work.
            ModelFormatError: A file is missing or is no sequence classifier.
            LabelMapError: The label order cannot be known.
        """
        torch = _torch()
        if precision not in PRECISIONS:
            raise ConfigError(
                f"precision must be one of {', '.join(PRECISIONS)}, not {precision!r}"
            )
        self._device = choose(parse_device(device), available_devices(), "PyTorch")
        super().__init__(
            model_dir,
            weights=TORCH_FILES,
            threads=threads,
            label_map=label_map,
            verify_hash=verify_hash,
        )
        self._torch = torch
        self._precision = self._resolve(precision)
        self._model = self._load()
        self._forward = torch.compile(self._model, dynamic=True) if compile else self._model
        self._types = getattr(self._model.config, "type_vocab_size", 0) > 1

    def _resolve(self, precision: str) -> str:
        if precision != "auto":
            if precision == "fp16" and self._device.kind == "cpu":
                raise ConfigError("precision 'fp16' is for GPUs: use fp32 or bf16 on a CPU")
            return precision
        if self._device.kind == "cpu":
            return "fp32"
        has_bf16 = self._device.kind == "cuda" and self._torch.cuda.is_bf16_supported()
        return "bf16" if has_bf16 else "fp16"

    def _load(self) -> Any:
        from transformers import AutoModelForSequenceClassification

        try:
            model, report = AutoModelForSequenceClassification.from_pretrained(
                self._directory,
                local_files_only=True,
                dtype=self._torch.float32,
                output_loading_info=True,
            )
        except Exception as exc:  # transformers raises whatever its parts raise
            raise ModelFormatError(
                f"{self._directory} cannot be loaded by transformers: {exc}"
            ) from exc
        if missing := sorted(report["missing_keys"]):
            # transformers fills them with random numbers and says so in a log line alone.
            raise ModelFormatError(
                f"{self._directory} lacks weights ({', '.join(missing[:3])}): it is no fine-tuned "
                "classifier, and what is missing would be random"
            )
        columns = model.config.num_labels
        if columns != self._order.columns:
            raise ModelFormatError(
                f"{self._directory} gives {columns} values a pair, the label map names "
                f"{self._order.columns}"
            )
        return model.eval().to(str(self._device))

    @property
    def bucket_steps(self) -> BucketSteps:
        """No padding on a CPU; on a GPU few shapes, so that batches are full."""
        return EXACT if self._device.kind == "cpu" else PADDED

    @property
    def precision(self) -> str:
        """``fp32``, ``bf16`` or ``fp16``."""
        return self._precision

    @property
    def variant(self) -> str:
        """Also the precision, which is no property of the weights here."""
        chosen = "" if self._precision == "fp32" else self._precision
        return ";".join(part for part in (super().variant, chosen) if part)

    @property
    def provider(self) -> str:
        """``torch/`` and the device."""
        return f"torch/{self._device}"

    def logits(self, batch: TokenBatch) -> npt.NDArray[np.floating]:
        """The classifier's output; see `DirectoryBackend.logits`."""
        torch = self._torch
        if self._device.kind == "cpu" and torch.get_num_threads() != self._threads:
            torch.set_num_threads(self._threads)
        count = len(batch)
        fill = -count % _ROWS if self._device.kind == "cpu" else 0
        names = ["input_ids", "attention_mask", *(["token_type_ids"] if self._types else [])]
        feed = {
            name: torch.from_numpy(np.pad(getattr(batch, name), ((0, fill), (0, 0)), mode="edge"))
            for name in names
        }
        try:
            with torch.inference_mode(), self._autocast():
                on_device = {k: v.to(str(self._device)) for k, v in feed.items()}
                found = self._forward(**on_device).logits[:count].float().cpu().numpy()
        except RuntimeError as exc:
            raise BackendError(f"PyTorch failed on a batch of {count}: {exc}") from exc
        return np.asarray(found)

    def _autocast(self) -> Any:
        kinds = {"bf16": self._torch.bfloat16, "fp16": self._torch.float16}
        return self._torch.autocast(
            self._device.kind,
            dtype=kinds.get(self._precision, self._torch.bfloat16),
            enabled=self._precision in kinds,
        )
