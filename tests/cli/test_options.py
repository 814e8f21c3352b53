"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from nli_faith.cli.options import class_map, profile_of
from nli_faith.cli.serve import serve
from nli_faith.errors import InputError
from nli_faith.profiles import Profile, save_profile


def test_class_map():
    context = click.Context(click.Command("x"))
    parameter = click.Option(["--class-map"])
    assert class_map(context, parameter, ()) is None
    assert class_map(context, parameter, ("0=entailment", "1 = neutral")) == {
        "0": "entailment", "1": "neutral",
    }  # fmt: skip
    for bad, words in (
        (("0",), "'0': write COLUMN=CLASS"),
        (("=neutral",), "'=neutral'"),
        (("0=neutral", "0=entailment"), "'0' is given twice"),
    ):
        with pytest.raises(click.BadParameter, match=words):
            class_map(context, parameter, bad)


@pytest.fixture
def profile(tmp_path) -> Path:
    path = tmp_path / "profile.json"
    made = Profile(
        "p",
        "m",
        "0" * 64,
        0.6,
        0.5,
        "balanced",
        "none",
        config={"mode": "fast", "combine": True, "wording": True},
    )
    save_profile(made, path)
    return path


def test_a_profile_made_under_other_options_warns(profile, capsys):
    assert profile_of(None, {}) is None
    assert profile_of(str(profile), {"mode": "fast"}).support == 0.6
    assert capsys.readouterr().err == ""
    profile_of(str(profile), {"mode": "full"})
    assert "'fast' -> 'full'" in capsys.readouterr().err
    profile_of(str(profile), {"mode": "fast", "combine": False, "wording": False})
    said = capsys.readouterr().err
    assert "combine: True -> False" in said
    assert "wording: True -> False" in said
    with pytest.raises(InputError, match=r"none\.json"):
        profile_of(str(profile.with_name("none.json")), {})


def test_serve_warns_too(profile, monkeypatch):
    started = []
    monkeypatch.setattr("nli_faith.scorer.FaithfulnessScorer.from_pretrained",
                        lambda *_, **more: started.append(more["profile"].support))  # fmt: skip
    monkeypatch.setattr("nli_faith.service.run_server", lambda *_: None)
    done = CliRunner().invoke(serve, ["--profile", str(profile), "--mode", "full"])
    assert done.exit_code == 0, done.output
    assert "'fast' -> 'full'" in done.stderr
    assert started == [0.6]
