import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from nli_faith.cli.calibrate import calibrate
from nli_faith.errors import ConfigError, MissingExtraError, OutputExistsError
from nli_faith.profiles import load_profile
from tests.calibration.test_calibrate import rows
from tests.core.fakes import CharBackend


@pytest.fixture
def run(monkeypatch):
    monkeypatch.setattr("nli_faith.scorer.load_backend", lambda *_, **__: CharBackend())

    def call(*args):
        result = CliRunner().invoke(calibrate, [str(a) for a in args])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return call


@pytest.fixture
def labelled(tmp_path) -> Path:
    path = tmp_path / "labelled.jsonl"
    lines = [json.dumps(r, ensure_ascii=False) for r in rows(30)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_writes_a_profile_without_a_date(run, labelled, tmp_path):
    out = tmp_path / "profile.json"
    done = run(labelled, "-o", out, "--lang", "en")
    assert done.exit_code == 0
    assert "30 records" in done.output
    assert load_profile(out).id in done.output
    first = out.read_bytes()
    run(labelled, "-o", out, "--overwrite")
    assert out.read_bytes() == first
    with pytest.raises(OutputExistsError, match=r"profile\.json"):
        run(labelled, "-o", out)
    assert load_profile(out).name == "labelled.jsonl"
    assert str(tmp_path) not in first.decode()


def test_bad_rows_are_counted_and_the_exit_code_tells(run, labelled):
    labelled.write_text(labelled.read_text(encoding="utf-8") + "\n{broken", encoding="utf-8")
    done = run(labelled, "--lang", "zh")
    assert done.exit_code == 3
    assert "无法使用的行: 1" in done.output
    assert "labelled.jsonl:31" in done.output


def test_json_report(run, labelled):
    done = run(labelled, "--json", "--target", "recall=0.9")
    report = json.loads(done.output)
    assert report["profile"]["target"] == "recall=0.9"
    assert report["figures"]["auroc"]["value"] == 1.0


def test_csv_answers_with_mapped_labels(run, tmp_path):
    path = tmp_path / "answers.csv"
    lines = ["id,answer,context,verdict"]
    for i in range(50):
        good = i % 2 == 0
        answer = f"第{i}号设备保修两年。" if good else "门店每逢周末上门取件。"
        lines.append(f"{i},{answer},第{i}号设备保修两年。,{'OK' if good else '坏'}")
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"'ok' \(25x\)"):
        run(path, "--label-field", "verdict")
    done = run(path, "--label-field", "verdict", "--label-map", "ok=supported", "--label-map",
               "坏=unsupported", "--json")  # fmt: skip
    on = json.loads(done.output)["profile"]["calibrated_on"]
    assert (on["unit"], on["supported"], on["unsupported"]) == ("answer", 25, 25)


def test_plots(run, labelled, tmp_path):
    pytest.importorskip("matplotlib", reason="extra [calibration] is not installed")
    folder = tmp_path / "plots"
    run(labelled, "--plots", folder)
    first = {p.name: p.read_bytes() for p in folder.iterdir()}
    assert set(first) == {"reliability.png", "triage.png"}
    assert all(data.startswith(b"\x89PNG") for data in first.values())
    with pytest.raises(OutputExistsError):
        run(labelled, "--plots", folder)
    run(labelled, "--plots", folder, "--overwrite")
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == first


def test_plots_without_matplotlib(run, labelled, tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setitem(sys.modules, "matplotlib.backends.backend_agg", None)
    with pytest.raises(MissingExtraError, match="calibration"):
        run(labelled, "--plots", tmp_path / "plots")
    assert not (tmp_path / "plots").exists()
