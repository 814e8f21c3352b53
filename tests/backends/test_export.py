"""The exporter: equal to transformers in float, close in int8, the same file each time."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="exporting needs the extra nli_faith[export]")

import onnxruntime as ort  # noqa: E402

from nli_faith.backends import session  # noqa: E402
from nli_faith.errors import ModelFormatError, ModelNotFoundError  # noqa: E402
from nli_faith.export.bert_graph import build_bert  # noqa: E402
from nli_faith.export.calibrate import channel_maxima, smoothing_factors  # noqa: E402
from nli_faith.export.linear import GELU_MIN  # noqa: E402
from nli_faith.export.quantize import (  # noqa: E402
    quantize_columns,
    quantize_rows,
    smoothing_factor,
)
from nli_faith.export.weights import BertConfig, Weights, read_config, read_weights  # noqa: E402
from nli_faith.manifest import load_manifest, read_json  # noqa: E402
from tests.backends.conftest import export  # noqa: E402

LENGTHS = (2, 8, 33, 128, 511, 512)


@pytest.fixture(scope="module")
def loaded(checkpoint: Path) -> tuple[Weights, BertConfig]:
    return read_weights(checkpoint), read_config(checkpoint)


def run(model: object, feed: dict[str, np.ndarray]) -> np.ndarray:
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    data = model.SerializeToString()  # type: ignore[attr-defined]
    made = ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    return np.asarray(made.run(["logits"], feed)[0])


def random_ids(length: int, pairs: int = 3) -> np.ndarray:
    ids = np.random.default_rng(length).integers(5, 60, (pairs, length))
    ids[:, 0] = 2
    return ids


def types_of(ids: np.ndarray) -> np.ndarray:
    types = np.zeros_like(ids)
    types[:, ids.shape[1] // 2 :] = 1
    return types


def typed(*lengths: int) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(random_ids(n), types_of(random_ids(n))) for n in lengths]


def test_float_equals_transformers(checkpoint: Path, loaded: tuple[Weights, BertConfig]) -> None:
    torch = pytest.importorskip("torch", reason="parity needs torch and transformers")
    transformers = pytest.importorskip("transformers")
    model = transformers.AutoModelForSequenceClassification.from_pretrained(checkpoint).eval()
    plain = build_bert(*loaded, token_types=True)
    padded = build_bert(*loaded, token_types=True, padding=True)
    for length in LENGTHS:
        ids = random_ids(length)
        types, mask = types_of(ids), np.ones_like(ids)
        mask[1, max(length // 2, 1) :] = 0
        feed = {"input_ids": ids, "token_type_ids": types}
        for model_, extra in ((plain, {}), (padded, {"attention_mask": mask})):
            tensors = {k: torch.from_numpy(v) for k, v in {**feed, **extra}.items()}
            with torch.no_grad():
                wanted = model(**tensors).logits.numpy()
            np.testing.assert_allclose(run(model_, {**feed, **extra}), wanted, atol=1e-4, rtol=0)


def test_types_can_be_folded_away(loaded: tuple[Weights, BertConfig]) -> None:
    ids = random_ids(20)
    with_types = run(
        build_bert(*loaded, token_types=True), {"input_ids": ids, "token_type_ids": 0 * ids}
    )
    np.testing.assert_allclose(run(build_bert(*loaded), {"input_ids": ids}), with_types, atol=1e-5)


def test_smoothing_changes_nothing_in_float(loaded: tuple[Weights, BertConfig]) -> None:
    maxima = channel_maxima(*loaded, typed(20, 40), token_types=True)
    factors = smoothing_factors(*loaded, maxima, strength=0.8)
    assert max(float(np.ptp(f)) for f in factors.values()) > 0.5, "nothing was smoothed"
    feed = {"input_ids": random_ids(33)}
    smooth = run(build_bert(*loaded, smoothing=factors), feed)
    np.testing.assert_allclose(smooth, run(build_bert(*loaded), feed), atol=1e-4)


@pytest.mark.parametrize("smooth", [False, True])
def test_int8_is_close_to_float(loaded: tuple[Weights, BertConfig], smooth: bool) -> None:
    factors = None
    if smooth:
        factors = smoothing_factors(*loaded, channel_maxima(*loaded, typed(30), token_types=True))
    eight = build_bert(*loaded, precision="int8", smoothing=factors)
    for length in LENGTHS:
        feed = {"input_ids": random_ids(length, pairs=20)}
        exact, rounded = run(build_bert(*loaded), feed), run(eight, feed)
        cosine = (exact * rounded).sum() / np.linalg.norm(exact) / np.linalg.norm(rounded)
        assert cosine > 0.999
        assert not np.array_equal(exact, rounded)


def test_int8_weights_are_int8(loaded: tuple[Weights, BertConfig]) -> None:
    model = build_bert(*loaded, precision="int8")
    kinds = {t.name: t.data_type for t in model.graph.initializer}
    assert kinds["words"] == onnx.TensorProto.INT8
    products = [n for n in model.graph.node if n.op_type == "MatMulIntegerToFloat"]
    assert len(products) == 6 * loaded[1].layers
    assert all(kinds[n.input[1]] == onnx.TensorProto.INT8 for n in products)


def test_only_the_first_tokens_go_through_the_last_layer(
    loaded: tuple[Weights, BertConfig],
) -> None:
    """Not only exact but done: the last feed-forward sees two rows a pair."""
    model = build_bert(*loaded)
    last = f"l{loaded[1].layers - 1}/up"
    model.graph.output.append(onnx.ValueInfoProto(name=last))
    made = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    rows = np.asarray(made.run([last], {"input_ids": random_ids(50, pairs=3)})[0])
    assert rows.shape == (6, loaded[1].intermediate)


def test_export_gives_the_same_file_twice(checkpoint: Path, tmp_path: Path) -> None:
    first, second = (export(checkpoint, tmp_path / name, "int8") for name in "ab")
    for name in ("model.onnx", "tokenizer.json", "config.json", "manifest.json", "README.md"):
        assert (first / name).read_bytes() == (second / name).read_bytes()


def test_export_switches_truncation_off(tiny_int8: Path, checkpoint: Path) -> None:
    assert read_json(checkpoint / "tokenizer.json")["truncation"] is not None
    exported = read_json(tiny_int8 / "tokenizer.json")
    assert exported["truncation"] is None
    assert exported["padding"] is None


def test_calibrated_thresholds_survive_only_the_same_model(
    checkpoint: Path, tmp_path: Path
) -> None:
    from nli_faith.datamodels import Thresholds
    from nli_faith.manifest import update_thresholds

    path = export(checkpoint, tmp_path / "out", "int8")
    assert load_manifest(path).thresholds.calibrated_on is None
    update_thresholds(path, Thresholds(0.7, 0.6, "some set"))
    export(checkpoint, path, "int8")
    assert load_manifest(path).thresholds == Thresholds(0.7, 0.6, "some set")
    export(checkpoint, path, "fp32")
    assert load_manifest(path).thresholds.calibrated_on is None


def test_card_names_what_the_manifest_says(tiny_int8: Path) -> None:
    card = (tiny_int8 / "README.md").read_text(encoding="utf-8")
    for words in ("random weights", "means nothing", "int8", "CONTRADICTION", "## Limits"):
        assert words in card


def test_quantised_weights_are_within_half_a_step() -> None:
    weight = np.random.default_rng(0).normal(size=(50, 7)).astype(np.float32)
    weight[:, 3] = 0
    q, scales = quantize_columns(weight)
    assert np.abs(q * scales - weight).max() <= scales.max() / 2 * 1.001
    assert (np.abs(q).max(axis=0)[[0, 1, 2, 4, 5, 6]] == 127).all()
    q, scales = quantize_rows(weight)
    assert (np.abs(q * scales - weight) <= scales / 2 * 1.001).all()


def test_smoothing_factor_moves_outliers() -> None:
    activation = np.array([1.0, 100.0, 1.0], np.float32)
    weight = np.ones(3, np.float32)
    np.testing.assert_allclose(smoothing_factor(activation, weight, 0.5), [1, 0.1, 1], rtol=1e-6)
    np.testing.assert_allclose(smoothing_factor(activation, weight, 1.0), [1, 0.01, 1], rtol=1e-6)
    assert np.isfinite(smoothing_factor(np.zeros(3, np.float32), 0 * weight, 0.5)).all()


def test_gelu_bound() -> None:
    x = np.linspace(-10, 10, 200_001)
    inner = np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)
    tanh_form = 0.5 * x * (1 + np.tanh(inner))
    # Half a step of the smallest scale is left for values beyond the bound.
    assert tanh_form.min() > -GELU_MIN - GELU_MIN / 16 / 2


def test_the_probe_is_what_it_says() -> None:
    import base64

    model = onnx.load_from_string(base64.b64decode(session.INT8_PRODUCT))
    onnx.checker.check_model(model)
    assert [n.op_type for n in model.graph.node] == ["MatMulInteger"]
    kinds = [i.type.tensor_type.elem_type for i in model.graph.input]
    assert kinds == [onnx.TensorProto.UINT8, onnx.TensorProto.INT8]


@pytest.mark.parametrize("saturates", [False, True])
def test_exact_kernel_is_chosen_only_where_needed(
    saturates: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "u8s8_saturates", lambda: saturates)
    options = session.session_options(1)
    if saturates:
        assert options.get_session_config_entry("session.x64quantprecision") == "1"
    else:
        with pytest.raises(RuntimeError):
            options.get_session_config_entry("session.x64quantprecision")


def test_both_int8_kernels_give_the_same_numbers(tiny_int8: Path) -> None:
    if session.u8s8_saturates():
        pytest.skip("the fast kernel of this processor is not exact")
    feed = {"input_ids": random_ids(40), "token_type_ids": types_of(random_ids(40))}
    outs = []
    for entry in ("0", "1"):
        options = ort.SessionOptions()
        options.add_session_config_entry("session.x64quantprecision", entry)
        made = ort.InferenceSession(
            str(tiny_int8 / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        outs.append(made.run(None, feed)[0])
    np.testing.assert_array_equal(outs[0], outs[1])


def broken(checkpoint: Path, tmp_path: Path, **changes: object) -> Path:
    path = Path(shutil.copytree(checkpoint, tmp_path / "broken"))
    config = json.loads((path / "config.json").read_text(encoding="utf-8"))
    for key, value in changes.items():
        if value is None:
            del config[key]
        else:
            config[key] = value
    (path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"model_type": "gpt2"}, "model_type"),
        ({"hidden_act": "relu"}, "hidden_act"),
        ({"position_embedding_type": "relative_key"}, "position_embedding_type"),
        ({"hidden_size": None}, "hidden_size"),
        ({"num_attention_heads": 5}, "multiple"),
        ({"id2label": 3}, "config.json"),
    ],
)
def test_config_that_cannot_be_built(
    checkpoint: Path, tmp_path: Path, changes: dict[str, object], words: str
) -> None:
    with pytest.raises(ModelFormatError, match=words):
        read_config(broken(checkpoint, tmp_path, **changes))


def test_weights_that_do_not_fit(checkpoint: Path, tmp_path: Path) -> None:
    path = broken(checkpoint, tmp_path, num_hidden_layers=4)
    with pytest.raises(ModelFormatError, match=r"lack 'bert\.encoder\.layer\.3"):
        build_bert(read_weights(path), read_config(path))
    weights, config = read_weights(checkpoint), read_config(checkpoint)
    weights["classifier.bias"] = np.array([1, np.nan, 2], np.float32)
    with pytest.raises(ModelFormatError, match="not finite"):
        build_bert(weights, config)
    weights["classifier.bias"] = np.zeros(4, np.float32)
    with pytest.raises(ModelFormatError, match="shape"):
        build_bert(weights, config)
    with pytest.raises(ValueError, match="fp16"):
        build_bert(weights, config, precision="fp16")


def test_broken_safetensors(tmp_path: Path) -> None:
    with pytest.raises(ModelNotFoundError, match=r"model\.safetensors"):
        read_weights(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"nonsense")
    with pytest.raises(ModelFormatError, match="safetensors"):
        read_weights(tmp_path)
