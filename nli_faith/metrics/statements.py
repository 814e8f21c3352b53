"""Declarative forms: a question and its short answer as one statement that can be judged.

``陆特开创了哪一地区的研究？`` with ``欧洲`` is ``陆特开创了欧洲的研究``, and ``支持快充吗``
is ``支持快充``.
A natural language inference model judges statements, not fragments and not questions (Demszky et
al. 2018, "Transforming Question Answering Datasets Into Natural Language Inference Datasets").
"""

from __future__ import annotations

import re
from typing import Final

from nli_faith.metrics.pieces import is_chinese
from nli_faith.metrics.terms import tagged
from nli_faith.text import model_text
from nli_faith.text.grammar import has_predicate, words

#: An answer this long is taken to stand for itself.
MAX_FRAGMENT: Final = 30
_END: Final = " 。．.！!？?；;，,：:\n\t\u3000"
_QUOTES: Final = '「」『』“”"'
_WHICH: Final = re.compile(
    r"(?:哪[一几]?(?P<q>[个個位种家座条项款名部本场次方类届颗只]?)|什么(?P<what>样的|)|甚么|何种)"
)
_WHOLE: Final = re.compile(
    r"什么时[候间]|什么地[方点]|什么人|何时|何地|何处|何人|哪里|哪儿|哪[一]?[年天日月]|谁|多久"
    r"|多长时间|多少(?:钱)?|几(?=[个位名次年月日天家])|多[大长高远重快深宽]"
)
_WHY: Final = re.compile("为什么|为甚么|为何|为啥")
_ENDS_OPEN: Final = re.compile(r"(?:是|为|有|叫|于|在|达)$")
_YES_NO: Final = (
    (re.compile("是不是"), "是"),
    (re.compile("有没有"), "有"),
    (re.compile("能不能|能否"), "能"),
    (re.compile("可不可以|可否"), "可以"),
    (re.compile("会不会"), "会"),
    (re.compile("要不要"), "要"),
    (re.compile("是否"), ""),
    (re.compile(r"[吗嘛么]$"), ""),
)


def declarative(question: str) -> str:
    """The statement that a Chinese yes-no question asks about; empty where there is none.

    Args:
        question: One clause, ``这款手机支持快充吗``.
    """
    text = model_text(question).strip(_END)
    if not is_chinese(text):
        return ""
    for pattern, plain in _YES_NO:
        found = pattern.search(text)
        if found is not None:
            return text[: found.start()] + plain + text[found.end() :]
    return ""


def is_fragment(answer: str) -> bool:
    """Whether an answer is too short to stand for itself (欧洲, 50, 两年).

    Args:
        answer: A whole answer or its only claim.
    """
    text = model_text(answer).strip(_END + _QUOTES)
    if len(text) > MAX_FRAGMENT:
        return False
    if not is_chinese(text):
        return len(text.split()) <= 4
    return len(text) <= 4 or not has_predicate(list(tagged(text)))


def statement(question: str, answer: str) -> str:
    """A question and a short answer as one statement.

    Args:
        question: One clause or sentence that asks.
        answer: What fills its gap.

    Returns:
        The question with its question word replaced by the answer; where no gap is found, the
        question and the answer side by side.
    """
    asked = model_text(question).strip(_END)
    given = model_text(answer).strip(_END)
    if not is_chinese(asked):
        return f"{asked}: {given}"
    if _WHY.search(asked):
        return f"{_WHY.sub('', asked)}，是因为{given.removeprefix('因为')}"
    if _ENDS_OPEN.search(asked):
        return asked + given
    span = _gap(asked, given)
    if span is None:
        plain = declarative(asked)
        return f"{plain or asked}：{given}"
    return asked[: span[0]] + given + asked[span[1] :]


def _gap(asked: str, given: str) -> tuple[int, int] | None:
    """The span of the question word and of the noun that it stands before."""
    whole = _WHOLE.search(asked)
    which = _WHICH.search(asked)
    if whole is not None and (which is None or whole.start() <= which.start()):
        end = whole.end()
        if whole.group().startswith("多少") and re.search(r"[^\d.,]$", given):
            end = _noun_end(asked, end)  # 多少公斤 with 50公斤
        return whole.start(), end
    if which is None:
        return None
    return which.start(), _noun_end(asked, which.end())


def _noun_end(asked: str, start: int) -> int:
    """Where the noun phrase that begins at ``start`` ends, at most three words on."""
    end = start
    for word in words(asked[start:])[:3]:
        if word.tag[0] not in "nqb" and word.tag not in ("vn", "an"):
            break
        end = start + word.start + len(word.text)
    return end
