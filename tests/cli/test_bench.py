"""``nli-faith bench``: what it counts is right; speed itself is not tested."""

from __future__ import annotations

import base64
import json

import numpy as np
import pytest

from nli_faith.backends import bench


def test_operations_of_a_small_encoder_by_hand():
    sizes = {"num_hidden_layers": 2, "hidden_size": 4, "intermediate_size": 8}
    # a layer: 4 projections of 4x4 and two products of 4x8, for 3 tokens; scores and their sum
    by_hand = 2 * (2 * 3 * (4 * 16 + 2 * 32) + 2 * (2 * 3 * 3 * 4))
    assert bench.pair_flops(sizes, 3) == by_hand
    assert bench.pair_flops({**sizes, "relative_attention": True}, 3) == by_hand + 2 * 4 * 36
    assert bench.pair_flops({"hidden_size": 4}, 3) is None


def test_the_float_graph_multiplies():
    import onnxruntime as ort

    session = ort.InferenceSession(base64.b64decode(bench._FLOAT_GRAPH))
    a, b = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((3, 4), np.float32)
    np.testing.assert_array_equal(session.run(None, {"a": a, "b": b})[0], a @ b)


def test_every_combination_is_one_row(run):
    done = run("bench", "--lengths", "16,32", "--batch-tokens", "64,128", "--threads", "1",
               "--seconds", "0.01", "--json")  # fmt: skip
    assert done.code == 0, done.err
    (model,) = json.loads(done.out)["models"]
    rows = model["rows"]
    assert [(r["batch_tokens"], r["length"], r["batch"]) for r in rows] == [
        (64, 16, 4), (64, 32, 2), (128, 16, 8), (128, 32, 4),
    ]  # fmt: skip
    ceiling = model["gemm"]["gflops_by_threads"]["1"]
    assert model["precision"] == "int8"
    for row in rows:
        assert row["pairs_per_s"] > 0
        assert row["share"] == pytest.approx(row["gflops"] / ceiling)


def test_the_table_names_the_ceiling(run):
    done = run("bench", "--lengths", "16", "--threads", "1", "--seconds", "0.01")
    assert done.code == 0, done.err
    assert "bare matrix product, 1 threads" in done.out
    assert "of ceiling" in done.out


@pytest.mark.parametrize(
    "options", [("--lengths", "x"), ("--lengths", "0"), ("--lengths", "4000"), ("--lengths", "2")]
)
def test_lengths_that_cannot_be_measured(run, options):
    done = run("bench", *options, "--threads", "1", "--seconds", "0.01")
    assert done.code == 2
    assert options[1] in done.err
