"""`nli-faith models export`: every architecture, and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from nli_faith.backends import collate
from nli_faith.backends.ort import OrtBackend
from nli_faith.cli import cli
from nli_faith.errors import (
    ConfigError,
    LabelMapError,
    ModelFormatError,
    ModelNotFoundError,
    OutputExistsError,
)
from nli_faith.model_hub import fetch
from tests.backends.conftest import random_pairs
from tests.backends.tiny import write_checkpoint, write_transformers

pytest.importorskip("onnx", reason="exporting needs the extra nli_faith[export]")
torch = pytest.importorskip("torch", reason="comparing needs the extra nli_faith[torch]")

from nli_faith.export.deberta_graph import distance_buckets  # noqa: E402
from nli_faith.export.deberta_weights import read_deberta_config  # noqa: E402
from nli_faith.export.model import export_model  # noqa: E402


def written(architecture: str, path: Path, **options: object) -> Path:
    if architecture == "bert":
        return write_checkpoint(path, **options)  # type: ignore[arg-type]
    return write_transformers(architecture, path, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("architecture", ["bert", "deberta", "roberta", "xlmr", "modernbert"])
def test_every_length_agrees_with_transformers(tmp_path: Path, architecture: str) -> None:
    source = written(architecture, tmp_path / "source")
    manifest = export_model(source, tmp_path / "out", verify=True)
    found = manifest.parity["transformers"]
    assert found["max_difference"] <= 1e-4
    assert found["equal_labels"] == 1.0
    assert found["pairs"] == 14 * 4
    assert manifest.labels == ("contradiction", "entailment", "neutral")
    assert manifest.thresholds.calibrated_on is None


@pytest.mark.parametrize("architecture", ["bert", "deberta", "roberta", "xlmr", "modernbert"])
def test_int8_of_one_pair_does_not_depend_on_others(tmp_path: Path, architecture: str) -> None:
    source = written(architecture, tmp_path / "source")
    export_model(source, tmp_path / "out", precision="int8")
    backend = OrtBackend(tmp_path / "out", threads=1)
    assert backend.precision == "int8"
    pairs = random_pairs(backend, [8, 20, 20, 20, 64, 200])
    alone = np.concatenate([backend.predict_pairs([p]) for p in pairs])
    np.testing.assert_array_equal(backend.predict_pairs(pairs), alone)


def test_buckets_are_those_of_transformers(tmp_path: Path) -> None:
    from transformers.models.deberta_v2.modeling_deberta_v2 import build_relative_position

    config = read_deberta_config(write_transformers("deberta", tmp_path))
    for buckets, longest in ((16, 512), (256, 512), (32, 128), (-1, 64)):
        import dataclasses

        sized = dataclasses.replace(config, buckets=buckets, max_relative=longest)
        ids = torch.zeros(1, config.positions, 1)
        theirs = build_relative_position(ids, ids, buckets, longest)[0].numpy()
        rows = distance_buckets(sized)
        for i in (0, 1, 100, 511):
            mine = rows[np.arange(512) - i + 511]
            wanted = np.clip(theirs[i] + sized.span, 0, 2 * sized.span - 1)
            np.testing.assert_array_equal(mine, wanted)


def test_half_precision_is_refused_with_what_to_do(tmp_path: Path) -> None:
    source = written("deberta", tmp_path / "source")
    for precision in ("fp16", "bf16"):
        with pytest.raises(ConfigError, match=f"--backend torch .* --precision {precision}"):
            export_model(source, tmp_path / "out", precision=precision)
    assert not (tmp_path / "out").exists()


def test_labels_of_a_source_without_names(tmp_path: Path) -> None:
    source = write_transformers("deberta", tmp_path / "s", labels=("LABEL_0", "LABEL_1", "LABEL_2"))
    with pytest.raises(LabelMapError, match="placeholders"):
        export_model(source, tmp_path / "out")
    named = {0: "entailment", 1: "neutral", 2: "contradiction"}
    export_model(source, tmp_path / "out", class_map=named, verify=True)
    backend = OrtBackend(tmp_path / "out")  # the export carries the names
    assert backend.labels.names == tuple(named.values())


def test_one_number_is_exported_too(tmp_path: Path) -> None:
    source = write_transformers("deberta", tmp_path / "s", labels=("score",))
    export_model(source, tmp_path / "out", class_map={0: "sigmoid"}, verify=True)
    backend = OrtBackend(tmp_path / "out", label_map={0: "sigmoid"})
    batch = collate(random_pairs(backend, [20]), backend.template)
    assert backend.logits(batch).shape == (1, 1)


def test_nothing_is_left_of_a_failed_export(tmp_path: Path, monkeypatch) -> None:
    source = written("deberta", tmp_path / "source")
    monkeypatch.setattr("nli_faith.export.parity.FLOAT_TOLERANCE", -1.0)
    with pytest.raises(ModelFormatError, match="logits differ"):
        export_model(source, tmp_path / "out", verify=True)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["source"]


def test_an_existing_directory_is_kept(tmp_path: Path) -> None:
    source = written("deberta", tmp_path / "source")
    export_model(source, tmp_path / "out")
    with pytest.raises(OutputExistsError):
        export_model(source, tmp_path / "out")
    export_model(source, tmp_path / "out", overwrite=True)


@pytest.mark.parametrize(
    ("key", "value"),
    [("conv_kernel_size", 3), ("hidden_act", "relu"), ("relative_attention", False)],
)
def test_a_variant_the_graph_lacks_is_refused(tmp_path: Path, key: str, value: object) -> None:
    source = written("deberta", tmp_path / "source")
    config = json.loads((source / "config.json").read_text())
    (source / "config.json").write_text(json.dumps({**config, key: value}))
    with pytest.raises(ModelFormatError, match=f"{key} is {value!r}"):
        export_model(source, tmp_path / "out")


def test_a_source_is_a_directory_or_a_cached_hub_id(tmp_path: Path, monkeypatch) -> None:
    source = written("deberta", tmp_path / "source")
    assert fetch(str(source)) == (source, None)
    snapshot = tmp_path / "hub" / "models--acme--tiny" / "snapshots" / "abc"
    shutil.copytree(source, snapshot)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("socket.socket", None)  # a call would end in a TypeError
    assert fetch("acme/tiny") == (snapshot, "abc")


def test_the_command_exports_and_scores(tmp_path: Path) -> None:
    source = written("deberta", tmp_path / "source")
    out = str(tmp_path / "out")
    done = CliRunner().invoke(cli, ["models", "export", str(source), "-o", out, "--verify"])
    assert done.exit_code == 0, done.output
    assert "same label 100.0%" in done.output
    arguments = ["explain", "-a", "营收增长。", "-c", "营收增长12%。", "--model", out, "--json"]
    scored = CliRunner().invoke(cli, arguments)
    assert json.loads(scored.stdout.splitlines()[-1])["scorer"]["model"] == "source"


@pytest.mark.parametrize("architecture", ["roberta", "modernbert"])
def test_int8_of_a_traced_graph_is_int8_and_near(tmp_path: Path, architecture: str) -> None:
    import onnx

    source = written(architecture, tmp_path / "source", spread=0.05)
    manifest = export_model(source, tmp_path / "out", precision="int8", verify=True)
    found = manifest.parity["transformers"]
    assert 0.999 <= found["cosine"] < 1 - 1e-9  # near, and yet not the float graph
    graph = onnx.load(tmp_path / "out" / "model.onnx").graph
    constants = {t.name for t in graph.initializer}
    kinds = [n.op_type for n in graph.node if set(n.input) & constants]
    # Two layers: three or four projections and two or three of the feed-forward; heads are Gemm.
    assert kinds.count("MatMulIntegerToFloat") >= 2 * 4
    assert "MatMul" not in kinds
    assert OrtBackend(tmp_path / "out", threads=1).precision == "int8"


@pytest.mark.parametrize("architecture", ["bert", "deberta", "xlmr"])
@pytest.mark.parametrize("precision", ["fp32", "int8"])
def test_a_newer_opset_gives_the_same_numbers(
    tmp_path: Path, architecture: str, precision: str
) -> None:
    import onnx

    source = written(architecture, tmp_path / "source")
    answers = []
    for opset in (17, 18, 21) if architecture != "xlmr" else (17, 18):
        out = tmp_path / str(opset)
        export_model(source, out, precision=precision, opset=opset)
        versions = {o.domain: o.version for o in onnx.load(out / "model.onnx").opset_import}
        assert versions[""] == opset
        backend = OrtBackend(out, threads=1)
        answers.append(backend.predict_pairs(random_pairs(backend, [8, 20, 64])))
    for other in answers[1:]:
        np.testing.assert_allclose(other, answers[0], atol=1e-6)


def test_an_opset_that_is_not_written_is_refused(tmp_path: Path) -> None:
    source = written("deberta", tmp_path / "source")
    with pytest.raises(ConfigError, match="17 to 21, not 16"):
        export_model(source, tmp_path / "out", opset=16)


def resaved(source: Path, out: Path, kind: str) -> Path:
    """The same model with its weights in another kind of file."""
    from safetensors.numpy import load_file, save_file

    shutil.copytree(source, out)
    weights = load_file(out / "model.safetensors")
    (out / "model.safetensors").unlink()
    if kind == "bin":
        torch.save({k: torch.from_numpy(v) for k, v in weights.items()}, out / "pytorch_model.bin")
        return out
    names, places = sorted(weights), {}
    for n in range(2):
        file = f"model-0000{n + 1}-of-00002.safetensors"
        places.update(dict.fromkeys(names[n::2], file))
        save_file({k: weights[k] for k in names[n::2]}, out / file)
    (out / "model.safetensors.index.json").write_text(
        json.dumps({"metadata": {}, "weight_map": places})
    )
    return out


@pytest.mark.parametrize("kind", ["shards", "bin"])
def test_weights_in_shards_or_a_pickle_give_the_same_file(tmp_path: Path, kind: str) -> None:
    source = written("deberta", tmp_path / "source")
    export_model(source, tmp_path / "one", name="m")
    other = resaved(source, tmp_path / "other", kind)
    export_model(other, tmp_path / "two", name="m", verify=True)
    one, two = ((tmp_path / n / "model.onnx").read_bytes() for n in ("one", "two"))
    assert one == two


def test_a_missing_shard_and_a_pickle_with_code_are_refused(tmp_path: Path) -> None:
    source = written("deberta", tmp_path / "source")
    other = resaved(source, tmp_path / "other", "shards")
    (other / "model-00002-of-00002.safetensors").unlink()
    with pytest.raises(ModelNotFoundError, match="model-00002-of-00002"):
        export_model(other, tmp_path / "out")
    (other / "model.safetensors.index.json").unlink()
    torch.save({"deberta.x": Path("/")}, other / "pytorch_model.bin")
    with pytest.raises(ModelFormatError, match="no readable file of tensors"):
        export_model(other, tmp_path / "out")
    (other / "pytorch_model.bin").unlink()
    with pytest.raises(ModelNotFoundError, match=r"or pytorch_model\.bin"):
        export_model(other, tmp_path / "out")


def test_what_one_file_cannot_hold_is_refused(tmp_path: Path, monkeypatch) -> None:
    source = written("deberta", tmp_path / "source")
    monkeypatch.setattr("nli_faith.export.model._LARGEST", 1000)
    with pytest.raises(ModelFormatError, match="in int8, or run the source"):
        export_model(source, tmp_path / "out")
    with pytest.raises(ModelFormatError, match=r"the int8 graph .*2\.1 GB: run the source"):
        export_model(source, tmp_path / "out", precision="int8")
