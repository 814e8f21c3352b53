"""Whole documents: contexts hold the evidence, choices are fixed by the seed and balanced."""

from __future__ import annotations

import json
import random

import pytest

from nli_faith.training.overlap import OverlapIndex
from nli_faith.training.perturb.balance import Balance, assemble
from nli_faith.training.perturb.corpus import FILES, flat, make
from nli_faith.training.perturb.document import make_draft
from nli_faith.training.perturb.model import Edit

TEXT = (
    "北桥公司{n}月5日发布了新款手机，售价为{p}元，提供三种颜色。北桥公司负责人李佳文表示，新款手机将于{m}月12日上市。"
    "公司上半年营收增长{q}%，净利润下降8%。公司在上海和苏州新建了两座工厂，预计明年投产。新工厂可以提供{w}个岗位。"
    "北桥大学教授王志远认为，手机市场已经回暖，但部分企业仍未恢复盈利。北桥市去年共有{w}家企业参加展会。"
    "南山公司没有参加今年的展会，该公司计划收购一家芯片企业。展会吸引了超过{p}名观众，比去年增加{q}%。"
)


def text(i):
    return TEXT.format(n=i % 9 + 1, m=i % 9 + 3, p=1200 + 37 * i, q=3 + i % 40, w=110 + 13 * i)


@pytest.fixture
def corpus(tmp_path):
    for k, file in enumerate(FILES):
        rows = [{"text": f"第{k}组记录{i}。" + text(i + 50 * k), "lang": "zh"} for i in range(6)]
        lines = [json.dumps(row, ensure_ascii=False) for row in rows]
        (tmp_path / file).write_text("\n".join(lines), encoding="utf-8")
    return tmp_path


def test_a_draft_holds_claims_with_twins():
    draft = make_draft(text(3), name="a", seed="1")
    assert draft is not None
    assert 1 <= len(draft.contexts) <= 3
    assert len(draft.candidates) >= 2
    for candidate in draft.candidates:
        assert all(edit.text != candidate.positive.text for edit in candidate.edits)


def test_neutral_claims_are_not_in_the_contexts():
    for i in range(12):
        draft = make_draft(text(i), name="a", seed=str(i))
        for neutral in draft.neutrals:
            assert neutral.text not in "".join(draft.contexts)


def test_rows_are_in_the_contrastive_format():
    row = assemble(make_draft(text(3), name="a", seed="1"), Balance(), random.Random(1))
    assert set(row) == {"id", "domain", "lang", "contexts", "pairs", "extra"}
    for pair in row["pairs"]:
        assert set(pair) == {"supported", "edited", "label", "type"}
        assert pair["label"] in ("contradicted", "not_mentioned", "unsupported")
        assert pair["supported"] != pair["edited"]
        assert pair["supported"].endswith("。")


def test_making_is_decided_by_the_seed(corpus):
    one = make(corpus, count=8, seed=13, log=lambda line: None)
    two = make(corpus, count=8, seed=13, log=lambda line: None)
    other = make(corpus, count=8, seed=14, log=lambda line: None)
    assert one.rows == two.rows
    assert one.rows != other.rows
    assert sum(one.counts.values()) == len(flat(one.rows))


def test_documents_of_dev_sets_are_skipped(corpus):
    dev = OverlapIndex({"dev": ["公司在上海和苏州新建了两座工厂，预计明年投产。新工厂可以"]})
    made = make(corpus, count=8, seed=13, dev=dev, log=lambda line: None)
    assert made.overlapping == 12
    assert not made.rows


def test_balance_stops_a_word_that_tips():
    balance = Balance()
    edit = Edit("公司营收下降5%", "contradicted", "antonym", "增长", "下降")
    taken = 0
    while balance.allows(edit) and taken < 50:
        balance.count("公司营收增长5%", True)
        balance.count(edit.text, False)
        taken += 1
    assert taken < 10
    reverse = Edit("公司营收增长5%", "contradicted", "antonym", "下降", "增长")
    assert balance.allows(reverse)
