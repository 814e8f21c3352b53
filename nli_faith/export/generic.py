"""Architectures without a graph of our own: PyTorch's own export, checked afterwards."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from ..errors import MissingExtraError, ModelFormatError
from .graph_builder import OPSET


def traced_graph(source: Path, *, opset: int = OPSET) -> tuple[bytes, list[str]]:
    """A float graph made by ``torch.onnx.export``.

    Args:
        source: Hugging Face directory.
        opset: ONNX opset.

    Returns:
        The ONNX file and its input names.

    Raises:
        MissingExtraError: PyTorch or transformers is not installed.
        ModelFormatError: The model cannot be loaded or exported.
    """
    try:
        import torch
        from transformers import AutoModelForSequenceClassification
    except ImportError as exc:
        raise MissingExtraError(exc.name or "torch", "torch") from exc
    try:
        model = AutoModelForSequenceClassification.from_pretrained(
            source, local_files_only=True, attn_implementation="eager", dtype=torch.float32
        ).eval()
    except Exception as exc:  # transformers raises whatever its parts raise
        raise ModelFormatError(f"{source} cannot be loaded by transformers: {exc}") from exc
    names = ["input_ids", "attention_mask"]
    if getattr(model.config, "type_vocab_size", 0) > 1:
        names.append("token_type_ids")

    class Logits(torch.nn.Module):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.inner = model

        def forward(self, *values: Any) -> Any:
            return self.inner(**dict(zip(names, values, strict=True))).logits

    ones = torch.ones((2, 16), dtype=torch.int64)
    values = tuple(ones * 5 if n == "input_ids" else ones * (n == "attention_mask") for n in names)
    axes = {n: {0: "batch", 1: "sequence"} for n in names} | {"logits": {0: "batch"}}
    try:
        with torch.inference_mode(), tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "model.onnx"
            torch.onnx.export(
                Logits(), values, str(file), input_names=names, output_names=["logits"],
                dynamic_axes=axes, opset_version=opset, dynamo=False,
            )  # fmt: skip
            return file.read_bytes(), names
    except Exception as exc:  # the exporter raises whatever an operator raises
        kind = model.config.model_type
        raise ModelFormatError(
            f"{source}: PyTorch cannot export a {kind!r} model ({exc}); run it with --backend torch"
        ) from exc
