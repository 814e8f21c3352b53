"""The hypothesis-only classifier finds a planted artefact, and the filter takes it out."""

from __future__ import annotations

import random

import numpy as np

from nli_faith.training.artefacts import (
    cross_validated,
    filter_artefacts,
    folds_of,
    grams,
    leaning,
)

SIGNS = "春江潮水连海平上明月共生滟随波千万里何处无"


def claims(planted, count=600):
    """Random claims in twins; a share of the unsupported ones holds 一定."""
    rng = random.Random(5)
    texts, labels, groups, units = [], [], [], []
    for i in range(count):
        text = "".join(rng.choice(SIGNS) for _ in range(14))
        other = list(text)
        other[rng.randrange(14)] = rng.choice(SIGNS)
        edited = "".join(other)
        if rng.random() < planted:
            edited = edited[:6] + "一定" + edited[6:]
        texts += [text, edited]
        labels += [True, False]
        groups += [i // 3] * 2
        units += [f"p{i}"] * 2
    return texts, labels, groups, units


def test_random_claims_are_at_chance():
    texts, labels, groups, _ = claims(0.0)
    assert abs(cross_validated(texts, labels, groups) - 0.5) < 0.06


def test_a_planted_artefact_is_seen_and_lowered():
    texts, labels, groups, units = claims(0.4)
    keep, report = filter_artefacts(texts, labels, groups, units=units, target=0.55, step=0.1)
    assert report.before > 0.62
    assert report.after <= 0.57
    assert report.kept == keep.sum() < report.total
    marked = np.array(["一定" in t for t in texts])
    assert marked[keep].mean() < 0.6 * marked.mean()


def test_twins_go_together():
    texts, labels, groups, units = claims(0.4, 200)
    keep, _ = filter_artefacts(texts, labels, groups, units=units, step=0.1)
    assert (keep[0::2] == keep[1::2]).all()


def test_clean_claims_are_all_kept():
    texts, labels, groups, units = claims(0.0, 200)
    keep, report = filter_artefacts(texts, labels, groups, units=units, target=0.6)
    assert keep.all()
    assert report.rounds == 0


def test_documents_stay_in_one_fold():
    fold = folds_of(["a", "b", "a", "c", "b"], 3)
    assert fold[0] == fold[2]
    assert fold[1] == fold[4]


def test_grams_do_not_cross_claims():
    one, both = grams(["甲乙"]), grams(["甲乙", "丙丁"])
    assert sorted(one.columns) == sorted(both.columns[both.rows == 0])


def test_leaning_words():
    texts, labels, _, _ = claims(0.4)
    gram, good, bad, odds = leaning(texts, labels, least=20, top=3)[0]
    assert gram in "一定"
    assert good == 0 < bad
    assert odds > 0
