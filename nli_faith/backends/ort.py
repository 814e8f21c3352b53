"""ONNX Runtime, on the CPU or a GPU."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import BackendError, ModelFormatError
from .batching import EXACT, PADDED, BucketSteps, TokenBatch
from .devices import Device, choose, parse_device
from .directory import DirectoryBackend
from .lanes import ONE_LANE, Lanes
from .session import open_session

#: device -> ONNX Runtime provider, best first.
_PROVIDERS = {
    "tensorrt": "TensorrtExecutionProvider",
    "cuda": "CUDAExecutionProvider",
    "cpu": "CPUExecutionProvider",
}


def available_devices() -> list[str]:
    """Devices that the installed ONNX Runtime has a provider for, best first."""
    import onnxruntime as ort

    there = set(ort.get_available_providers())
    return [kind for kind, provider in _PROVIDERS.items() if provider in there]


class OrtBackend(DirectoryBackend):
    """A model directory run by ONNX Runtime."""

    def __init__(
        self,
        model_dir: str | os.PathLike[str],
        *,
        device: str = "cpu",
        threads: int | None = None,
        wide: bool = False,
        label_map: Mapping[object, object] | None = None,
        verify_hash: bool = False,
    ) -> None:
        """Loads a model.

        Args:
            model_dir: Directory with model.onnx, tokenizer.json, config.json and, if this
                package made it, manifest.json.
            device: ``auto``, ``cpu``, ``cuda``, ``cuda:N`` or ``tensorrt``.
            threads: On a CPU batches that run at once, each on one thread; by default as many as
                the process may use CPUs.
            wide: On a CPU one call at a time, on all threads: a single pair comes back sooner, many
                take longer.
            label_map: See `labels.resolve_label_order`.
            verify_hash: Also hash all files; by default their sizes are checked.

        Raises:
            ConfigError: ``device`` or ``threads`` cannot work.
            ModelFormatError: A file is missing, empty, truncated or of another kind.
            ModelIntegrityError: A file differs from the manifest.
            LabelMapError: The label order cannot be known.
        """
        self._device = choose(parse_device(device), available_devices(), "ONNX Runtime")
        super().__init__(
            model_dir,
            weights=("model.onnx",),
            threads=threads,
            label_map=label_map,
            verify_hash=verify_hash,
        )
        self._provider = _PROVIDERS[self._device.kind]
        narrow = self._device.kind == "cpu" and not wide
        self._lanes = Lanes(self._threads) if narrow else ONE_LANE
        width = 1 if narrow else self._threads
        self._session = open_session(self._weights, _providers(self._device), width)
        self._inputs = self._check_graph()

    def _check_graph(self) -> tuple[str, ...]:
        """Input names of the graph, which must be among those that a batch has."""
        names = tuple(item.name for item in self._session.get_inputs())
        unknown = set(names) - {"input_ids", "attention_mask", "token_type_ids"}
        if unknown or "input_ids" not in names:
            raise ModelFormatError(
                f"{self._weights} has inputs {list(names)}; a text classifier with input_ids, "
                "attention_mask and, optionally, token_type_ids is expected"
            )
        columns = self._session.get_outputs()[0].shape[-1]
        if isinstance(columns, int) and columns != self._order.columns:
            raise ModelFormatError(
                f"{self._weights} gives {columns} values a pair, config.json names "
                f"{self._order.columns} classes"
            )
        return names

    @property
    def lanes(self) -> Lanes:
        """On a CPU a lane for each thread, unless calls are wide; a GPU takes one at a time."""
        return self._lanes

    @property
    def bucket_steps(self) -> BucketSteps:
        """No padding on a CPU; on a GPU few shapes, as each new one costs a plan."""
        return EXACT if self._device.kind == "cpu" or not self._takes_mask else PADDED

    @property
    def _takes_mask(self) -> bool:
        return "attention_mask" in self._inputs

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

    def logits(self, batch: TokenBatch) -> npt.NDArray[np.floating]:
        """The graph's output; see `DirectoryBackend.logits`."""
        if not self._takes_mask and not batch.attention_mask.all():
            raise BackendError(
                "this model takes no padding: a batch must hold pairs of one length "
                "(see batching.EXACT)"
            )
        feed = {name: getattr(batch, name) for name in self._inputs}
        try:
            if self._device.kind == "cpu":
                return np.asarray(self._session.run(None, feed)[0])
            return self._bound(feed)
        except Exception as exc:  # the library's exceptions share no public base
            raise BackendError(f"ONNX Runtime failed on a batch of {len(batch)}: {exc}") from exc

    def _bound(self, feed: Mapping[str, Any]) -> npt.NDArray[np.floating]:
        """Runs with inputs and outputs bound, so that only the logits leave the GPU."""
        binding = self._session.io_binding()
        for name, values in feed.items():
            binding.bind_cpu_input(name, np.ascontiguousarray(values))
        output = self._session.get_outputs()[0].name
        binding.bind_output(output)
        self._session.run_with_iobinding(binding)
        return np.asarray(binding.copy_outputs_to_cpu()[0])


def _providers(device: Device) -> list[str | tuple[str, dict[str, Any]]]:
    """Providers in the order of preference; a GPU's leaves to the CPU what it cannot do."""
    if device.kind == "cpu":
        return ["CPUExecutionProvider"]
    chosen = {"device_id": device.index}
    kinds = ["tensorrt", "cuda"] if device.kind == "tensorrt" else ["cuda"]
    return [*((_PROVIDERS[k], chosen) for k in kinds), "CPUExecutionProvider"]
