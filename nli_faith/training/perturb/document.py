"""A document made into contexts, claims, possible twins and claims that it lacks."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterable, Sequence
from typing import Final

from nli_faith.text import grammar

from .amounts import Amount, find_amounts
from .cleaning import bare, is_claimable, is_headline, sentences
from .compress import clauses, stands_alone, states_something
from .crossing import (
    causal_edits,
    crossed_amounts,
    crossed_names,
    name_edits,
    speaker,
    speaker_edits,
    subject,
    subject_edits,
)
from .figures import date_edits, number_edits
from .lexical import lexical_edits
from .model import Candidate, Draft, Edit, Positive, Tagged
from .names import Name, pool
from .rewrites import rewrite
from .tagging import tagged, words

CONTEXT_CHARS = 460
MOST_CLAIMS = 9


class Facts:
    """What the contexts hold that may stand in a wrong place."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Collect names, amounts, speakers and subjects.

        Args:
            texts: The contexts' sentences.
        """
        found = [tagged(bare(t)) for t in texts]
        self.names: list[Name] = pool(found)
        self.amounts: list[Amount] = [a for t in texts for a in find_amounts(t)]
        self.speakers = _unique(speaker(t.text) for t in found)
        self.subjects = _unique(subject(t) for t in found)


def _unique(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(t for t in texts if t))


def make_draft(text: str, *, name: str, seed: str, lang: str = "zh") -> Draft | None:
    """Everything that can be claimed about one document, or None where that is too little.

    Args:
        text: The document.
        name: Its id.
        seed: Decides what is chosen; the same seed gives the same draft.
        lang: Its language code.
    """
    rng = random.Random(seed)
    parts = sentences(text)
    if len(parts) < 3:
        return None
    start, end = _window(parts, rng)
    inside = parts[start:end]
    held = _held_out(parts, start, end, rng)
    inside = [s for s in inside if s not in held]
    partial = _without_detail(inside, rng)
    draft = Draft(name, lang, _chunks(inside, rng))
    facts = Facts(inside)
    draft.candidates = _candidates([s for s in inside if s not in partial], facts, rng)
    draft.neutrals = [
        p for s in held if (p := rewrite(bare(s), rng)) is not None and _is_statement(p.text)
    ]
    draft.neutrals += [p for s in partial.values() if (p := rewrite(s, rng, shorten=False))]
    return draft if len(draft.candidates) > 1 else None


def _without_detail(inside: list[str], rng: random.Random) -> dict[str, str]:
    """Drop the last clauses of one sentence of the contexts, in place.

    Args:
        inside: The contexts' sentences; one is shortened.
        rng: Chooses the sentence.

    Returns:
        The whole sentence as a claim, by the shortened one; empty where none allows it.
    """
    order = list(range(1, len(inside)))
    rng.shuffle(order)
    for i in order:
        claim = bare(inside[i])
        if not is_claimable(claim, longest=62) or not inside[i].endswith("。"):
            continue
        parts = clauses(claim)
        ends = [n for n in range(1, len(parts)) if stands_alone(parts, n)]
        if not ends:
            continue
        end = rng.choice(ends)
        detail, rest = _bigrams("".join(parts[end:])), "".join(inside[:i] + inside[i + 1 :])
        if len(detail) >= 6 and len(detail & _bigrams(rest)) < 0.5 * len(detail):
            inside[i] = "，".join(parts[:end]) + "。"
            return {inside[i]: claim}
    return {}


def _window(parts: Sequence[str], rng: random.Random) -> tuple[int, int]:
    """A run of sentences of about `CONTEXT_CHARS`, the document's beginning favoured."""
    last = len(parts) - 1
    start = 0 if rng.random() < 0.6 else rng.randrange(max(1, last // 2))
    length, end = 0, start
    room = rng.uniform(0.6, 1.1) * CONTEXT_CHARS
    while end < len(parts) and (length < room or end - start < 3):
        length += len(parts[end])
        end += 1
    return start, end


def _chunks(parts: Sequence[str], rng: random.Random) -> list[str]:
    count = min(rng.choice((1, 2, 2, 3)), len(parts))
    cuts = sorted(rng.sample(range(1, len(parts)), count - 1)) if count > 1 else []
    bounds = [0, *cuts, len(parts)]
    return ["".join(parts[a:b]) for a, b in itertools.pairwise(bounds)]


def _bigrams(text: str) -> set[str]:
    return {text[i : i + 2] for i in range(len(text) - 1)}


_VAGUE: Final = re.compile(
    r"这样|这件|此事|该事|这起|这种|这些|这个|这一|该[^，]{0,2}|其|双方|此[次类时]|[他她它]们?"
)


def _held_out(parts: Sequence[str], start: int, end: int, rng: random.Random) -> list[str]:
    """Sentences whose content stands nowhere else in the contexts, though their topic does."""
    outside = [s for i, s in enumerate(parts) if not start <= i < end]
    inner = [s for s in parts[start + 1 : end] if len(parts) > 5 and rng.random() < 0.15]
    found = []
    for sentence in outside + inner[:1]:
        claim = bare(sentence)
        if not is_claimable(claim) or is_headline(sentence) or _VAGUE.search(claim):
            continue
        rest = [s for s in parts[start:end] if s != sentence]
        grams = _bigrams(claim)
        covered = max(len(grams & _bigrams(s)) / len(grams) for s in rest)
        union = len(grams & _bigrams("".join(rest))) / len(grams)
        if covered < 0.4 and 0.12 < union < 0.6 and not _same_figures(claim, rest):
            found.append((-union, sentence))
    return [s for _, s in sorted(found)[:3]]


def _same_figures(claim: str, rest: Sequence[str]) -> bool:
    amounts = {(a.digits, a.unit) for a in find_amounts(claim)}
    there = {(a.digits, a.unit) for s in rest for a in find_amounts(s)}
    return bool(amounts) and amounts <= there


def _candidates(parts: Sequence[str], facts: Facts, rng: random.Random) -> list[Candidate]:
    out: list[Candidate] = []
    order = list(parts)
    rng.shuffle(order)
    for sentence in order:
        claim = bare(sentence)
        if not is_claimable(claim) or is_headline(sentence) or _runs_into_headline(sentence, parts):
            continue
        positive = rewrite(claim, rng)
        if positive is None or not _is_statement(positive.text):
            continue
        if not _repeats(positive, out):
            out.append(Candidate(positive, all_edits(positive.text, facts, rng)))
        if len(out) >= MOST_CLAIMS:
            break
    return out


_BODY_BEGINS: Final = re.compile(
    r"[^，。、：“《（至到自从在于年至]{5,}(?:\d{1,2}月\d{1,2}日|近日|日前|今日|昨日|近期|连日来|今年以来|昨天|记者|今年|目前)"
)


def _runs_into_headline(sentence: str, parts: Sequence[str]) -> bool:
    """Whether the first sentence opens with a headline that no mark sets off."""
    return sentence is parts[0] and bool(_BODY_BEGINS.search(sentence[:60]))


def _is_statement(text: str) -> bool:
    """Whether a claim has a subject and a verb or adjective of its own."""
    found = words(text)
    if not states_something(found) or not grammar.has_predicate(found):
        return False
    return bool(grammar.subject(found)) or (len(text) >= 18 and not found[0].tag.startswith("v"))


def _repeats(positive: Positive, out: Sequence[Candidate]) -> bool:
    grams = _bigrams(positive.text)
    return any(len(grams & _bigrams(c.positive.text)) > 0.7 * len(grams) for c in out)


def all_edits(text: str, facts: Facts, rng: random.Random) -> list[Edit]:
    """Every edit that a claim allows.

    Args:
        text: A supported claim.
        facts: What the contexts hold.
        rng: Chooses figures and names.
    """
    found: Tagged = tagged(text)
    edits = [
        *lexical_edits(found),
        *number_edits(text, facts.amounts, rng),
        *date_edits(text, rng),
        *name_edits(found, facts.names, rng),
        *crossed_names(found),
        *crossed_amounts(text),
        *speaker_edits(text, facts.speakers, rng),
        *subject_edits(found, facts.subjects, rng),
        *causal_edits(text),
    ]
    return [e for e in edits if e.text != text]
