"""The training recipe: data, batches, loss, and a run that resumes to the same weights."""

from __future__ import annotations

import dataclasses
import json

import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")
transformers = pytest.importorskip("transformers", reason="training needs the extra `train`")

from nli_faith.backends.matching import N_TYPES  # noqa: E402
from nli_faith.errors import ConfigError  # noqa: E402
from nli_faith.model_hub import bundled_dir  # noqa: E402
from nli_faith.training.config import Source, TrainConfig, load_config, without_sources  # noqa: E402
from nli_faith.training.data import NOT_ENTAILED, Example, load_examples, make_batches  # noqa: E402
from nli_faith.training.evalsets import split_held_out  # noqa: E402
from nli_faith.training.loop import Trainer, pair_loss  # noqa: E402

DOCUMENT = {
    "id": "t-1",
    "contexts": ["整机保修两年，电池保修一年。进水损坏不在保修范围内。", "退货须在七天内申请。"],
    "pairs": [
        {
            "supported": "电池的保修期是一年。",
            "edited": "电池的保修期是三年。",
            "label": "contradicted",
        },
        {
            "supported": "七天之内可以申请退货。",
            "edited": "十天之内可以申请退货。",
            "label": "not_mentioned",
        },
    ],
    "extra": [{"text": "整机保修期比电池长一年。", "label": "supported"}],
}


@pytest.fixture
def stage(tmp_path):
    """A tiny model and a config that trains it on a handful of claims."""
    init = tmp_path / "init"
    config = transformers.BertConfig(
        vocab_size=47337, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=64, max_position_embeddings=512, num_labels=3, pad_token_id=1,
    )  # fmt: skip
    torch.manual_seed(0)
    transformers.BertForSequenceClassification(config).save_pretrained(init)
    (init / "tokenizer.json").write_bytes((bundled_dir() / "tokenizer.json").read_bytes())
    with (tmp_path / "docs.jsonl").open("w", encoding="utf-8") as f:
        for i in range(8):
            f.write(json.dumps({**DOCUMENT, "id": f"t-{i}"}, ensure_ascii=False) + "\n")
    (tmp_path / "nli.jsonl").write_text(
        json.dumps({"premise": "他在跑步。", "hypothesis": "他在运动。", "label": "entailment"}) + "\n"
        + json.dumps({"contexts": ["甲。"], "answer": "乙。", "label": "unsupported"}) + "\n",
        encoding="utf-8",
    )  # fmt: skip
    (tmp_path / "stage.json").write_text(json.dumps({
        "name": "tiny", "init": "init", "batch_size": 8, "learning_rate": 1e-3, "epochs": 2,
        "sources": [{"path": "docs.jsonl", "kind": "contrastive"}, {"path": "nli.jsonl", "kind": "nli"}],
    }))  # fmt: skip
    return tmp_path


def test_examples_are_built_as_the_scorer_builds_pairs(stage):
    examples = load_examples(load_config(stage / "stage.json"), stage)
    assert len(examples) == 8 * 5 + 2
    first, second = examples[:2]
    assert (first.label, second.label) == (0, 2)
    assert first.twin == second.twin >= 0
    assert first.premise == second.premise
    assert "电池保修一年" in first.premise
    assert examples[-1].label == NOT_ENTAILED
    assert examples == load_examples(load_config(stage / "stage.json"), stage)


def test_twins_stay_in_one_batch(stage):
    examples = load_examples(load_config(stage / "stage.json"), stage)
    batches = make_batches(examples, [len(e.premise) for e in examples], batch_size=4, seed=1)
    assert sorted(i for b in batches for i in b) == list(range(len(examples)))
    for batch in batches:
        twins = [examples[i].twin for i in batch if examples[i].twin >= 0]
        assert all(twins.count(t) == 2 for t in twins)


def test_loss_rewards_telling_twins_apart():
    labels, twins = torch.tensor([0, 2]), torch.tensor([5, 5])
    good = torch.tensor([[3.0, 0, 0], [-3.0, 0, 3.0]])
    options = {"smoothing": 0.0, "margin_weight": 0.5}
    assert pair_loss(good, labels, twins, **options) < pair_loss(
        good.flip(0), labels, twins, **options
    )
    same = torch.tensor([[1.0, 0, 0], [1.0, 0, 0]])
    with_term = pair_loss(same, labels, twins, **options)
    without = pair_loss(same, labels, twins, smoothing=0.0, margin_weight=0.0)
    assert with_term - without == pytest.approx(0.5 * torch.log(torch.tensor(2.0)).item(), abs=1e-4)


def test_binary_sets_train_entailment_alone():
    logits = torch.tensor([[0.5, 1.0, -1.0]], requires_grad=True)
    pair_loss(logits, torch.tensor([NOT_ENTAILED]), torch.tensor([-1]), smoothing=0.1,
              margin_weight=0.0).backward()  # fmt: skip
    gradient = logits.grad[0]
    assert gradient[0] > 0  # pushes entailment down
    # neutral and contradiction keep their proportion
    p = torch.softmax(logits.detach()[0, 1:], dim=0)
    assert torch.allclose(gradient[1:] / gradient[1:].sum(), p, atol=1e-5)


def final_weights(folder):
    from safetensors.torch import load_file

    return load_file(folder / "model.safetensors")


def test_an_interrupted_run_ends_with_the_same_weights(stage, tmp_path):
    config = dataclasses.replace(load_config(stage / "stage.json"), checkpoint_minutes=0.0)
    examples = load_examples(config, stage)
    straight = final_weights(Trainer(config, stage, tmp_path / "a").run(examples, log=str))

    class Stop(Exception):
        pass

    broken = Trainer(config, stage, tmp_path / "b")
    step = broken._step
    calls = iter(range(10**6))

    def stopping(*args):
        if next(calls) == 4:
            raise Stop
        return step(*args)

    broken._step = stopping
    with pytest.raises(Stop):
        broken.run(examples, log=str)
    lines: list[str] = []
    resumed = final_weights(Trainer(config, stage, tmp_path / "b").run(examples, log=lines.append))
    assert "starting at 4" in lines[0]
    assert straight.keys() == resumed.keys()
    assert all(torch.equal(straight[k], resumed[k]) for k in straight)


def test_a_checkpoint_of_another_config_is_refused(stage, tmp_path):
    config = dataclasses.replace(load_config(stage / "stage.json"), checkpoint_minutes=0.0)
    trainer = Trainer(config, stage, tmp_path / "c")
    schedule = torch.optim.lr_scheduler.LambdaLR(trainer.optimizer, lambda _: 1.0)
    trainer._save(1, schedule)
    other = Trainer(dataclasses.replace(config, seed=99), stage, tmp_path / "c")
    with pytest.raises(ConfigError, match="another config"):
        other.run(load_examples(config, stage), log=str)


def test_bad_configs_are_named(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"name": "x", "init": ".", "sources": [], "speed": 1}')
    with pytest.raises(ConfigError, match="speed"):
        load_config(path)
    with pytest.raises(ConfigError, match="'poetry'"):
        Source("a", "poetry")
    with pytest.raises(ConfigError, match="absent"):
        load_examples(TrainConfig("x", ".", (Source("absent.jsonl", "nli"),)), tmp_path)


def test_examples_compare_by_value():
    assert Example("a", "b", 0) == Example("a", "b", 0, -1)


def test_a_set_can_be_left_out(stage):
    config = load_config(stage / "stage.json")
    kept = without_sources(config, ["nli"])
    assert [s.path for s in kept.sources] == ["docs.jsonl"]
    assert kept.digest != config.digest
    with pytest.raises(ConfigError, match="surprise"):
        without_sources(config, ["surprise"])
    with pytest.raises(ConfigError, match="nothing"):
        without_sources(config, ["nli", "docs"])


def test_held_out_rows_are_never_trained_on(tmp_path):
    rows = [{"premise": f"甲{i}。", "hypothesis": "乙。", "label": "neutral"} for i in range(30)]
    (tmp_path / "nli.jsonl").write_text(
        "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows), encoding="utf-8"
    )
    source = Source("nli.jsonl", "nli", held_out=10, limit=15)
    examples = load_examples(TrainConfig("x", "y", (source,)), tmp_path)
    _, held = split_held_out(rows, 10)
    assert len(examples) == 15
    assert not {e.premise for e in examples} & {r["premise"] for r in held}


def test_supported_claims_meet_another_document(stage):
    rows = [
        {**DOCUMENT, "contexts": [text], "pairs": DOCUMENT["pairs"][:1], "extra": []}
        for text in ("电池保修一年。", "门店周日休息。")
    ]
    (stage / "two.jsonl").write_text(
        "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows), encoding="utf-8"
    )
    source = Source("two.jsonl", "contrastive", foreign_share=1.0)
    examples = load_examples(TrainConfig("x", "y", (source,)), stage)
    assert [e.label for e in examples] == [0, 2, 1, 0, 2, 1]
    assert examples[2].premise == "门店周日休息。"
    assert examples[5].premise == "电池保修一年。"


def test_new_token_types_start_as_the_old_one(stage, tmp_path):
    config = load_config(stage / "stage.json")
    plain = Trainer(dataclasses.replace(config, match_types=False), stage, tmp_path / "p").model
    typed = Trainer(config, stage, tmp_path / "t").model
    ids = torch.arange(5, 25).reshape(1, -1)
    types = torch.arange(20).reshape(1, -1) % 11
    with torch.no_grad():
        a = plain.eval()(input_ids=ids).logits
        b = typed.eval()(input_ids=ids, token_type_ids=types).logits
    assert torch.allclose(a, b, atol=1e-6)
    assert typed.config.type_vocab_size == N_TYPES


def test_a_stage_starts_from_an_earlier_one(stage, tmp_path):
    config = load_config(stage / "stage.json")
    examples = load_examples(config, stage)
    first = dataclasses.replace(config, name="one", epochs=1)
    Trainer(first, stage, tmp_path / "one").run(examples, log=str)
    second = dataclasses.replace(config, name="two", init="stage:one")
    trainer = Trainer(second, stage, tmp_path / "two")
    assert trainer.model.config.type_vocab_size == N_TYPES
    with pytest.raises(ConfigError, match="stage:none"):
        Trainer(dataclasses.replace(config, init="stage:none"), stage, tmp_path / "three")


def test_averaged_weights_are_the_mean_of_the_last_steps(stage, tmp_path):
    config = dataclasses.replace(load_config(stage / "stage.json"), average_last=0.5, epochs=1)
    trainer = Trainer(config, stage, tmp_path / "a")
    seen = []
    add = trainer._add_to_average

    def spy():
        seen.append({k: v.clone() for k, v in trainer.model.state_dict().items()})
        add()

    trainer._add_to_average = spy
    final = final_weights(trainer.run(load_examples(config, stage), log=str))
    assert len(seen) >= 2
    mean = sum(s["classifier.weight"] for s in seen) / len(seen)
    assert torch.allclose(final["classifier.weight"], mean, atol=1e-6)
