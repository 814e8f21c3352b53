"""Two models: the second sees doubtful claims alone, and results say so."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from nli_faith import FaithfulnessResult, FaithfulnessScorer, Label, RunStats, ScorerConfig
from nli_faith.cascade import Band
from nli_faith.cli import cli
from nli_faith.datamodels import Thresholds
from nli_faith.errors import ConfigError
from nli_faith.summary import RunSummary
from tests.core.fakes import CharBackend

CONTEXT = "整机保修两年。门店周日休息。"
# In the context to the letter; in part; not at all.
ANSWER = "整机保修两年。整机保修三十年整。火星有水与冰川。"
RECORD = {"id": "r", "answer": ANSWER, "contexts": [CONTEXT]}


class StrongBackend(CharBackend):
    """Supports whatever it is asked about."""

    name = "strong"
    sha256 = "d" * 64
    thresholds = Thresholds(0.3, 0.9)

    def _row(self, ids):
        return (0.95, 0.05, 0.0)


def cascade(band: Band | None = None, **options) -> FaithfulnessScorer:
    config = ScorerConfig(quantities=False, early_exit=False, **options)
    strong = FaithfulnessScorer(StrongBackend(), thresholds=StrongBackend.thresholds, config=config)
    return FaithfulnessScorer(
        CharBackend(), thresholds=CharBackend.thresholds, config=config, then=strong, band=band
    )


def test_only_doubtful_claims_reach_the_second_model():
    scorer = cascade(Band(0.2, 0.9))
    result = scorer.score(RECORD)
    assert [c.model for c in result.claims] == ["", "strong", ""]
    assert [c.label for c in result.claims] == [
        Label.SUPPORTED, Label.SUPPORTED, Label.UNSUPPORTED
    ]  # fmt: skip
    second = scorer.then.backend
    assert isinstance(second, StrongBackend)
    seen = {text for text in second.encoded if "火星" in text or text == "整机保修两年。"}
    assert "火星有水与冰川。" not in seen


def test_what_the_first_model_is_sure_of_stays_as_it_was():
    config = ScorerConfig(quantities=False, early_exit=False)
    alone = FaithfulnessScorer(
        CharBackend(), thresholds=CharBackend.thresholds, config=config
    ).score(RECORD)
    both = cascade(Band(0.2, 0.9)).score(RECORD)
    assert both.claims[0] == alone.claims[0]
    assert both.claims[2] == alone.claims[2]
    nobody = cascade(Band(0.999, 1.0)).score(RECORD)
    assert nobody.claims == alone.claims
    assert nobody.pairs_second == 0


def test_results_and_summary_count_both_models():
    scorer = cascade(Band(0.2, 0.9))
    stats, summary = RunStats(), RunSummary()
    for result in scorer.score_records([RECORD, {**RECORD, "id": "s"}], stats=stats):
        summary.add(result)
    assert summary.claims_second == 2
    assert summary.pairs_second == sum(r.pairs_second for r in map(scorer.score, [RECORD] * 2))
    assert stats.second is not None
    assert stats.second.pairs_requested > 0
    assert summary.to_dict()["claims_second"] == 2


def test_json_and_back_and_new_thresholds():
    result = cascade(Band(0.2, 0.9)).score(RECORD)
    again = FaithfulnessResult.from_dict(json.loads(json.dumps(result.to_dict())))
    assert again.to_dict() == result.to_dict()
    # Its own model's thresholds judge each claim; those of the user judge all.
    assert again.claims[1].thresholds == StrongBackend.thresholds
    assert again.rethreshold().claims[1].label is Label.SUPPORTED
    assert again.rethreshold(support=0.99).claims[1].label is Label.UNSUPPORTED
    assert again.scorer.then.startswith("strong@dddd")


def test_a_cascade_has_another_hash_than_either_model():
    hashes = {
        cascade(Band(0.2, 0.9)).info.config_hash,
        cascade(Band(0.2, 0.8)).info.config_hash,
        cascade().then.info.config_hash,
        FaithfulnessScorer(CharBackend(), thresholds=CharBackend.thresholds).info.config_hash,
    }
    assert len(hashes) == 4


def test_a_second_model_that_fails_leaves_the_first_ones_verdict(monkeypatch):
    scorer = cascade(Band(0.2, 0.9))

    def broken(*args, **kwargs):
        raise ValueError("no plan")

    monkeypatch.setattr(scorer.then._preparer, "plan", broken)
    result = scorer.score(RECORD)
    assert result.status.value == "scored"
    assert len(result.claims) == 3
    assert "no plan" in result.error
    assert result.pairs_second == 0


@pytest.mark.parametrize("text", ["0.8,0.2", "0.5", "a,b", "-0.1,0.5", "0.5,1.1", "0.4,0.4"])
def test_what_is_no_band_is_quoted(text):
    with pytest.raises(ConfigError, match="a band is"):
        Band.parse(text)


def test_models_must_cut_alike_and_two_are_enough():
    clause = FaithfulnessScorer(
        CharBackend(), thresholds=CharBackend.thresholds, config=ScorerConfig(granularity="clause")
    )
    with pytest.raises(ConfigError, match="granularity is 'sentence' and 'clause'"):
        FaithfulnessScorer(CharBackend(), thresholds=CharBackend.thresholds, then=clause)
    with pytest.raises(ConfigError, match="cannot be a cascade"):
        FaithfulnessScorer(CharBackend(), thresholds=CharBackend.thresholds, then=cascade())


def test_the_command_line_runs_a_cascade(tmp_path):
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(json.dumps(RECORD, ensure_ascii=False), encoding="utf-8")
    arguments = ["score", str(source), "-o", str(out), "--then", "bundled", "--band", "0.0,1.0"]
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    assert "second model: claims / pairs" in done.output or "第二个模型" in done.output
    row = json.loads(out.read_text(encoding="utf-8"))
    assert row["pairs_second"] > 0
    assert all(c["model"].startswith("bundled") for c in row["claims"] if not c["capped"])
    wrong = CliRunner().invoke(cli, [*arguments[:-1], "1,0", "--overwrite"])
    assert wrong.exit_code == 2
    assert "a band is" in wrong.output
