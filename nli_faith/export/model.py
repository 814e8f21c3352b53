"""From a Hugging Face directory to a model directory, whatever the architecture."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..backends.directory import longest_pair
from ..errors import ConfigError, ModelFormatError, OutputExistsError
from ..labels import LabelOrder, resolve_label_order
from ..manifest import MANIFEST, REQUIRED_FILES, Manifest, load_manifest, read_json, write_json
from . import parity
from .bert_graph import build_bert
from .bundle import UNCALIBRATED, file_fact
from .deberta_graph import build_deberta
from .deberta_weights import read_deberta_config
from .generic import traced_graph
from .graph_builder import OPSET, check_opset, onnx
from .tokenizer import source_tokenizer
from .traced_int8 import quantise_traced
from .weights import read_config, read_weights

PRECISIONS = ("fp32", "int8", "fp16", "bf16")
#: Largest ONNX file that is one file; protobuf ends at 2 GiB.
_LARGEST = (1 << 31) - 1


def export_model(
    source: Path,
    out: Path,
    *,
    precision: str = "fp32",
    name: str | None = None,
    revision: str | None = None,
    class_map: Mapping[object, object] | None = None,
    opset: int = OPSET,
    verify: bool = False,
    overwrite: bool = False,
) -> Manifest:
    """Exports a sequence classifier into a self-contained directory.

    DeBERTa-v2 and v3 and BERT get graphs written by hand; anything else goes through PyTorch's
    exporter. The directory appears whole or not at all.

    Args:
        source: Hugging Face directory with config.json, weights and a tokenizer.
        out: Directory to write.
        precision: ``fp32`` or ``int8``.
        name: Name in the manifest; the source's folder name by default.
        revision: Revision of the source, for the manifest.
        class_map: See `labels.resolve_label_order`.
        opset: ONNX opset of the graph.
        verify: Whether to compare with transformers (extra ``torch``); the figures go into the
            manifest, and an export that is too far off fails.
        overwrite: Whether an existing directory may be replaced.

    Returns:
        The manifest. Its thresholds are not calibrated: 0.5 both.

    Raises:
        ConfigError: The precision or the opset is none that is written.
        LabelMapError: The label order cannot be known.
        ModelFormatError: The source is incomplete, or the export differs from it.
        OutputExistsError: ``out`` is there already.
    """
    check_precision(precision)
    check_opset(opset)
    if out.exists() and not overwrite:
        raise OutputExistsError(f"{out}: exists already: pass --overwrite, or name another")
    config = read_json(source / "config.json")
    order = resolve_label_order(config.get("id2label"), class_map)
    config["id2label"] = {str(i): label for i, label in enumerate(order.names)}
    config["label2id"] = {label: i for i, label in enumerate(order.names)}
    tokenizer = source_tokenizer(source)
    _check_vocabulary(tokenizer, config, source)
    graph, inputs = _graph(source, config, precision, opset, name or source.name)
    out.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}."))
    try:
        (work / "model.onnx").write_bytes(graph)
        (work / "tokenizer.json").write_text(tokenizer, encoding="utf-8", newline="\n")
        write_json(work / "config.json", config)
        data = _manifest(work, config, order.names, precision, inputs, name or source.name)
        data["source"] = {"model": name or source.name, "revision": revision}
        write_json(work / MANIFEST, data)
        if verify:
            found = _verified(source, work, precision, order)
            write_json(work / MANIFEST, {**data, "parity": {"transformers": found.to_dict()}})
        load_manifest(work)
        work.chmod(0o755)
        if out.exists():
            shutil.rmtree(out)
        work.rename(out)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    return load_manifest(out)


def check_precision(precision: str) -> None:
    """Refuses a precision that no export has.

    Raises:
        ConfigError: With what to do instead.
    """
    if precision not in PRECISIONS:
        raise ConfigError(f"precision must be one of {', '.join(PRECISIONS)}, not {precision!r}")
    if precision in ("fp16", "bf16"):
        raise ConfigError(
            f"an ONNX export in {precision} is not written: DeBERTa's attention leaves the range "
            "of fp16, and ONNX Runtime has no bf16 kernels on a CPU. On a GPU run the source with "
            f"--backend torch --device cuda --precision {precision}, which keeps the critical "
            "operators in fp32"
        )


def _check_vocabulary(tokenizer: str, config: Mapping[str, Any], source: Path) -> None:
    """Refuses a tokenizer whose ids go beyond the model's embeddings."""
    from tokenizers import Tokenizer

    tokens = Tokenizer.from_str(tokenizer).get_vocab_size(with_added_tokens=True)
    rows = config.get("vocab_size")
    if isinstance(rows, int) and tokens > rows:
        raise ModelFormatError(
            f"{source}: the tokenizer has {tokens} tokens, but the embeddings have {rows} rows"
        )


def _graph(
    source: Path, config: Mapping[str, Any], precision: str, opset: int, name: str
) -> tuple[bytes, list[str]]:
    """The ONNX file and its inputs."""
    kind, facts = config.get("model_type"), {"name": name}
    if kind == "deberta-v2":
        sizes = read_deberta_config(source)
        model = build_deberta(
            read_weights(source), sizes, precision=precision, opset=opset, metadata=facts
        )
        types = ["token_type_ids"] if sizes.types else []
        return _serialised(model, source, precision), ["input_ids", *types]
    if kind == "bert":
        bert = read_config(source)
        model = build_bert(
            read_weights(source), bert, precision=precision, token_types=bert.types > 1,
            opset=opset, metadata=facts,
        )  # fmt: skip
        types = ["token_type_ids"] if bert.types > 1 else []
        return _serialised(model, source, precision), ["input_ids", *types]
    traced, inputs = traced_graph(source, opset=opset)
    if precision == "int8":
        model = onnx.load_model_from_string(traced)
        facts["precision"] = precision
        model = quantise_traced(model, opset=opset, metadata=facts)
        traced = _serialised(model, source, precision)
    return traced, inputs


def _serialised(model: onnx.ModelProto, source: Path, precision: str) -> bytes:
    """The model as one file.

    Raises:
        ModelFormatError: It is larger than protobuf allows.
    """
    size = model.ByteSize()
    if size <= _LARGEST:
        return bytes(model.SerializeToString(deterministic=True))
    smaller = "export it in int8, or " if precision == "fp32" else ""
    raise ModelFormatError(
        f"{source}: the {precision} graph has {size / 1e9:.1f} GB, and one ONNX file ends at "
        f"2.1 GB: {smaller}run the source with --backend torch"
    )


def _manifest(
    work: Path, config: Mapping[str, Any], labels: tuple[str, ...], precision: str,
    inputs: list[str], name: str,
) -> dict[str, Any]:  # fmt: skip
    return {
        "name": name,
        "version": "0",
        "description": f"{config.get('model_type')} exported in {precision}",
        "architecture": config.get("model_type"),
        "inputs": inputs,
        "precision": precision,
        "labels": list(labels),
        "max_length": min(longest_pair(config, work / "config.json"), 512),
        "licence": {"weights": "that of the source"},
        "files": {file: file_fact(work / file) for file in REQUIRED_FILES},
        "thresholds": dict(UNCALIBRATED),
        "parity": {},
    }


def _verified(source: Path, work: Path, precision: str, order: LabelOrder) -> parity.Parity:
    from ..backends.ort import OrtBackend
    from ..backends.torch_backend import TorchBackend

    names: dict[object, object] = dict(enumerate(order.names))
    if order.regression is not None:
        names = {0: order.regression}
    with tempfile.TemporaryDirectory() as folder:
        # The source with the tokenizer that the export has.
        twin = Path(folder) / "source"
        twin.mkdir()
        for file in source.iterdir():
            if file.is_file() and file.name not in ("tokenizer.json", "config.json"):
                (twin / file.name).symlink_to(file.resolve())
        shutil.copy(work / "tokenizer.json", twin / "tokenizer.json")
        shutil.copy(work / "config.json", twin / "config.json")
        found = parity.measure(
            OrtBackend(work, label_map=names), TorchBackend(twin, device="cpu", label_map=names)
        )
    parity.check(found, precision, work)
    return found
