import html
import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nli_faith import FaithfulnessScorer, Record
from nli_faith.citations import MarkerVerdict, ScoredSupport, check_citations, cite
from nli_faith.errors import ConfigError, RecordError
from tests.core.fakes import CharBackend

TWO, ONE = "整机保修期限为两年", "电池保修期限为一年"
CONTEXTS = (f"{TWO}。", f"{ONE}。七天内可以无条件退款。", "The battery is covered for one year.")
BIRD = "天上飞过九只大雁"


@pytest.fixture(scope="module")
def scorer():
    backend = CharBackend()
    return FaithfulnessScorer(backend, thresholds=backend.thresholds)


def cited(scorer, answer, style="[n]", contexts=CONTEXTS, verify=True, **options):
    record = Record("1", answer, tuple(contexts))
    result = scorer.score(record)
    return cite(result, record, style, scorer=scorer if verify else None, **options)


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        (f"{TWO}。", f"{TWO}[1]。"),
        (f"{TWO}。{ONE}。", f"{TWO}[1]。{ONE}[2]。"),
        (f"{TWO}", f"{TWO}[1]"),
        (f"**{TWO}。**", f"**{TWO}[1]。**"),
        (f"**{TWO}**。", f"**{TWO}**[1]。"),
        (f"“{TWO}。”", f"“{TWO}。”[1]"),
        (f"（{TWO}）。", f"（{TWO}）[1]。"),
        (f"{TWO}！😀", f"{TWO}[1]！😀"),
        (f"- {TWO}\n- {ONE}\n", f"- {TWO}[1]\n- {ONE}[2]\n"),
        ("The battery is covered for one year.", "The battery is covered for one year [3]."),
        (f"{BIRD}。", f"{BIRD}。"),
        (f"# {TWO}\n\n{ONE}。", f"# {TWO}\n\n{ONE}[2]。"),
    ],
)
def test_markers_stand_where_they_should(scorer, answer, wanted):
    done = cited(scorer, answer)
    assert done.text == wanted
    for placed in done.placed:
        assert done.text[placed.start : placed.end] == placed.text


def test_side_of_the_stop_can_be_chosen(scorer):
    assert cited(scorer, f"{TWO}。", position="after").text == f"{TWO}。[1]"
    english = "The battery is covered for one year."
    assert cited(scorer, english, "footnote").text.startswith(f"{english}[^3]")
    before = cited(scorer, english, "footnote", position="before").text
    assert before.startswith("The battery is covered for one year[^3].")


def test_an_address_and_a_bracket_stay_what_they_are(scorer):
    answer = f"{TWO}见https://a.example/x"
    contexts = (answer,)
    assert cited(scorer, answer, contexts=contexts).text == answer + " [1]"


def test_table_rows_get_their_marker_inside_the_row(scorer):
    contexts = ("部件：整机；保修期限：为两年",)
    answer = "| 部件 | 保修期限 |\n| --- | --- |\n| 整机 | 为两年 |\n"
    assert cited(scorer, answer, contexts=contexts).text == answer.replace("两年", "两年[1]")


def test_wrong_markers_go_right_ones_stay_missing_ones_come(scorer):
    done = cited(scorer, f"{TWO}[2]。{ONE}【2】。{BIRD}[1]。七天内可以无条件退款。{ONE}[7]。")
    assert done.text == f"{TWO}[1]。{ONE}[2]。{BIRD}。七天内可以无条件退款[2]。{ONE}[2]。"
    assert done.check.counts() == {
        "right": 1, "wrong": 2, "unknown": 1, "unconfirmed": 0, "missing": 3,
    }  # fmt: skip
    assert done.check.precision == pytest.approx(1 / 4)
    assert done.check.recall == pytest.approx(1 / 5)
    assert [m.text for m in done.removed] == ["[2]", "[1]", "[7]"]
    assert [p.added for p in done.placed] == [True, False, True, True]


def test_keep_only_adds(scorer):
    answer = f"{TWO}[2]。{ONE}【2】。"
    assert cited(scorer, answer, existing="keep").text == f"{TWO}[2][1]。{ONE}【2】。"


def test_without_a_scorer_a_second_source_is_not_called_wrong(scorer):
    contexts = (f"{TWO}。", f"我们的{TWO}。")
    answer = f"{TWO}[1][2]。"
    loose = cited(scorer, answer, contexts=contexts, verify=False)
    assert loose.check.counts()["unconfirmed"] == 1
    assert loose.check.counts()["wrong"] == 0
    assert loose.text == answer
    sure = cited(scorer, answer, contexts=contexts)
    assert sure.check.counts()["right"] == 2


def test_contexts_that_are_needed_together_are_both_right(scorer):
    contexts = ("整机保修期限。", "为两年以及一年。", "天上飞过九只大雁。")
    answer = f"{TWO}[1][2][3]。"
    record = Record("1", answer, contexts)
    result = scorer.score(record)
    check = check_citations(result, record, support=ScoredSupport(record, result, scorer))
    assert [str(m.verdict) for m in check.markers] == ["right", "right", "wrong"]
    assert check.recall == 1
    assert cited(scorer, f"{TWO}。", contexts=contexts).text == f"{TWO}[1][2]。"


def test_a_marker_of_a_contradicting_context_is_wrong(scorer):
    done = cited(scorer, f"{TWO}[1]。", contexts=("整机保修期限不为两年。", f"{TWO}。"))
    assert [m.verdict for m in done.check.markers] == [MarkerVerdict.WRONG]
    assert done.text == f"{TWO}[2]。"


def test_paragraph_scope_shares_the_marker_at_the_end(scorer):
    answer = f"{ONE}。七天内可以无条件退款。[2]\n{TWO}。"
    assert len(cited(scorer, answer).check.missing) == 2
    shared = cited(scorer, answer, scope="paragraph")
    assert len(shared.check.missing) == 1
    assert shared.text == f"{ONE}。七天内可以无条件退款。[2]\n{TWO}[1]。"


def test_own_numbers_and_names(scorer):
    done = cited(scorer, f"{TWO}[10]。{ONE}。", numbers=[10, 20, 30])
    assert done.text == f"{TWO}[10]。{ONE}[20]。"
    noted = cited(scorer, f"{ONE}。", "footnote", names=["a", "保修手册", "c"])
    assert noted.text == f"{ONE}[^2]。\n\n[^2]: 保修手册：“{ONE}。”\n"


def test_the_list_of_sources_is_left_alone(scorer):
    answer = f"{TWO}。\n\n参考资料：\n[1] {TWO}\n[2] {ONE}\n"
    done = cited(scorer, answer)
    assert done.text == answer.replace(f"{TWO}。", f"{TWO}[1]。")
    assert done.check.claims == 1
    assert done.check.stray == ()


def test_footnotes_that_are_there_are_not_written_again(scorer):
    answer = f"{TWO}[^1]。\n\n[^1]: 手册\n"
    assert cited(scorer, answer, "footnote").text == answer


def test_html_escapes_everything_and_links_to_its_sources(scorer):
    evil = '<script>alert("1")</script>'
    done = cited(
        scorer, f"{TWO}。{evil}\n{ONE}。", "html", names=[evil, "b", "c"], prefix="answer-7"
    )
    assert "<script" not in done.text
    assert html.escape(evil) in done.text
    targets = set(re.findall(r'href="#([^"]+)"', done.text))
    assert targets
    assert targets <= set(re.findall(r'id="([^"]+)"', done.text))
    with pytest.raises(ConfigError, match="onload"):
        cited(scorer, f"{TWO}。", "html", prefix='" onload="')


@pytest.mark.parametrize("answer", ["", "你好！", "无法确定。"])
def test_what_has_no_score_stays_as_it_is(scorer, answer):
    done = cited(scorer, answer)
    assert (done.text, done.placed) == (answer, ())
    assert math.isnan(done.check.precision)
    assert math.isnan(done.check.recall)
    assert done.to_dict()["check"]["recall"] is None


def test_values_that_cannot_be_are_quoted(scorer):
    for options in (
        {"style": "{n}"}, {"existing": "drop"}, {"position": "left"}, {"scope": "page"},
        {"numbers": [1, 1, 2]}, {"names": ["a"]},
    ):  # fmt: skip
        with pytest.raises(ConfigError, match=r"\{n\}|drop|left|page|1, 1, 2|not 1"):
            cited(scorer, f"{TWO}。", **options)
    record = Record("1", f"{TWO}。", CONTEXTS)
    with pytest.raises(RecordError, match="not the one scored"):
        cite(scorer.score(record), Record("1", "别的回答，完全不同。", CONTEXTS))


_PIECES = st.lists(
    st.sampled_from(
        [TWO, ONE, BIRD, "。", "，", "！", "\n", " ", "[1]", "[2]", "**", "”", "“", "（", "）",
         "`", "- ", "| a | b |\n", "one year. ", "https://a.example/b", "😀", "\r\n", "<b>", "</b>"]
    ),
    min_size=1, max_size=14,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(_PIECES, st.sampled_from(["[n]", "【n】", "footnote"]), st.sampled_from(["auto", "after"]))
def test_taking_the_markers_out_again_gives_the_answer(scorer, pieces, style, position):
    answer = "".join(pieces)
    done = cited(scorer, answer, style, verify=False, existing="keep", position=position)
    text = done.text
    for placed in reversed(done.placed):
        assert text[placed.start : placed.end] == placed.text
        text = text[: placed.start] + text[placed.end :]
    body = text.split("\n[^", 1)[0] if style == "footnote" else text
    squeezed = "".join(answer.split())
    assert (
        "".join(body.split()) == squeezed
        if style != "footnote"
        else squeezed in "".join(text.split())
    )


def test_the_verdict_does_not_change_when_the_scorer_reads_its_markers(scorer):
    answer = f"{TWO}。{ONE}。{BIRD}。"
    before = scorer.score({"answer": answer, "contexts": list(CONTEXTS)})
    after = scorer.score({"answer": cited(scorer, answer).text, "contexts": list(CONTEXTS)})
    assert [c.label for c in after.claims] == [c.label for c in before.claims]
    assert [c.support for c in after.claims] == [c.support for c in before.claims]
