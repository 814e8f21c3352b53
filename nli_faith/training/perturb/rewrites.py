"""Claims that still follow: a sentence compressed, reordered, said in other words."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Final

from nli_faith.text.chars import word_set

from .amounts import find_amounts, reformatted
from .compress import one_clause, shortened, without_lead_in, without_parentheses
from .dates import rewritten_date
from .lexicon import PLANNED, SYNONYMS, Swap
from .model import Positive, Tagged
from .reorder import (
    with_attribution_moved,
    with_frame,
    with_list_turned,
    with_patterns,
    with_time_moved,
)
from .tagging import follows, tagged

Step = Callable[[str, random.Random], "str | None"]

_BY_WORD: Final[dict[str, list[Swap]]] = {}
for _swap in SYNONYMS:
    _BY_WORD.setdefault(_swap.old, []).append(_swap)
_MODAL_LIKE: Final = word_set("可 能 应 拟 计划 并 曾 未 只 仅 共 达 正")
_DENIES: Final = word_set("不 不仅 不得 都 至 而 认 才 也 所 既")


def with_synonyms(text: str, rng: random.Random) -> str | None:
    """Replace up to four words by ones that mean the same anywhere.

    Args:
        text: A claim.
        rng: Chooses the words.
    """
    found = tagged(text)
    hits: dict[int, str] = {}
    for i, word in enumerate(found.words):
        fit = [
            s for s in _BY_WORD.get(word.text, ())
            if not found.quoted[i] and follows(found, i, s.needs) and _fits(found, i, s)
        ]  # fmt: skip
        if fit:
            hits[i] = rng.choice(fit).new
    if not hits:
        return None
    chosen = rng.sample(sorted(hits), min(len(hits), rng.choice((1, 2, 3, 4))))
    return "".join(hits[i] if i in chosen else w.text for i, w in enumerate(found.words))


def _fits(found: Tagged, i: int, swap: Swap) -> bool:
    """Whether a word has the sense in which it may be replaced."""
    before, behind = found.word(i - 1), found.word(i + 1)
    if swap.new[-1:] == behind[:1] or before.endswith(("不", "未")):
        return False
    if swap.old == "该" and found.tag(i) != "r":
        return False
    if swap.old == "并" and (found.tag(i) != "c" or behind[:1] in tuple("不没未非无")):
        return False
    if swap.old in ("与", "同"):
        near = "相比" not in found.text and "有关" not in found.text and "相关" not in found.text
        return near and found.tag(i) in ("c", "p")
    if swap.old in _MODAL_LIKE:
        if swap.old in ("拟", "计划") and behind not in PLANNED:
            return False
        noun = swap.old == "未" and len(behind) < 2
        return (
            before not in _DENIES
            and behind not in ("是", "为", "见", "谓", "知", "以")
            and not noun
        )
    if swap.old in ("自", "由于", "因为"):
        return "起" not in found.text and before in ("", "，")
    if swap.old in ("举办", "举行"):
        return found.tag(i - 1).startswith(("n", "t", "s")) or before == "将"
    if swap.old in ("为了", "持续"):
        return found.tag(i) in ("p", "vd", "d")
    return True


def in_other_figures(text: str, rng: random.Random) -> str | None:
    """Write one number in another notation.

    Args:
        text: A claim.
        rng: Chooses the number and the notation.
    """
    amounts = find_amounts(text)
    rng.shuffle(amounts)
    for amount in amounts:
        in_range = text[amount.end : amount.end + 1] in tuple("至到-—~～、") or re.search(
            r"[至到\-—~～、比]$", text[: amount.start]
        )
        new = None if in_range else reformatted(amount, rng)
        if new:
            return text[: amount.start] + new + text[amount.end :]
    return None


_STEPS: Final[tuple[tuple[str, Step, float], ...]] = (
    ("brackets", without_parentheses, 0.9),
    ("lead", without_lead_in, 0.9),
    ("clause", one_clause, 0.3),
    ("short", shortened, 0.7),
    ("figures", in_other_figures, 0.4),
    ("date", rewritten_date, 0.3),
    ("patterns", with_patterns, 0.55),
    ("time", with_time_moved, 0.6),
    ("list", with_list_turned, 0.5),
    ("attribution", with_attribution_moved, 0.75),
    ("synonyms", with_synonyms, 0.9),
    ("frame", with_frame, 0.07),
)


def rewrite(
    sentence: str,
    rng: random.Random,
    *,
    verbatim: float = 0.15,
    shorten: bool = True,
    longest: int = 60,
) -> Positive | None:
    """A claim that a sentence supports, or None where it stays too long.

    Args:
        sentence: A claimable sentence without its stop.
        rng: Chooses the steps.
        verbatim: Share of claims that stay near verbatim.
        shorten: Whether clauses may be dropped.
        longest: Characters that a claim may have.
    """
    text, done = sentence, []
    plain = rng.random() < verbatim
    for name, step, chance in _STEPS:
        cuts = name in ("clause", "short")
        needed = name in ("brackets", "lead") or (name == "short" and len(text) > longest)
        if (cuts and not shorten) or (not needed and (plain or rng.random() > chance)):
            continue
        for _ in range(3 if needed and cuts else 1):
            new = step(text, rng)
            if new is not None and new != text:
                text = new
                done.append(name)
            if len(text) <= longest:
                break
    return Positive(text, tuple(dict.fromkeys(done))) if 10 <= len(text) <= longest else None
