"""Which claims of an answer are about which points of its question.

A claim covers a point when it addresses whose aspect is asked (*topic*) and gives an answer of the
kind that is asked (*answering*). Both are in [0, 1], the score is the smaller, and from 0.5 on the
point is covered: naming the product without its price does not answer for the price, and neither
does a price of something else. The topic may stand in the claim, in the answer's other claims or
in the sentence of the material that the claim is drawn from. The rules and their constants are
this package's own; figures are in ``benchmarks/coverage_sanity.py``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from nli_faith.datamodels import Label, Segment
from nli_faith.lexicon import Lexicon
from nli_faith.metrics.covers import COVERED, Match, PointCover
from nli_faith.metrics.engine import EntailmentEngine
from nli_faith.metrics.material import Sources
from nli_faith.metrics.pieces import is_chinese
from nli_faith.metrics.points import Point
from nli_faith.metrics.question_types import AnswerKind, fits
from nli_faith.metrics.statements import MAX_FRAGMENT, declarative, is_fragment, statement
from nli_faith.metrics.terms import Term, content_terms, phrase_share, share, tagged
from nli_faith.metrics.topic import spoken_of, topic_terms
from nli_faith.text import fold
from nli_faith.text.grammar import has_own_subject

# An answer need not repeat the question: this share of its words names the topic fully.
_FULL_TOPIC: Final = 0.6
# The only entity asked about goes without saying once the answer speaks of the question at all.
_IMPLIED: Final = 0.7
# What the sentences beside a claim's source say of the topic, next to the claim's own words.
_BESIDE: Final = 0.8
# An expected kind of answer (a price) without the aspect's name; with another aspect's name.
_UNNAMED, _OTHER_ASPECT = 0.7, 0.2
# The aspect is named but no answer of the expected kind is there; the rules see figures and dates
# surely, persons, places, reasons and ways less so.
_NAMED_ONLY: Final = 0.3
_NAMED_SOFT: Final = 0.45
_SURE_KINDS: Final = (AnswerKind.AMOUNT, AnswerKind.WHEN)
# Aspects that any statement about the entity may serve and that answers seldom name.
WIDE_ASPECTS: Final = re.compile(
    r"(?:区别|差异|差别|不同|异同|特点|特征|攻略|意思|含义|情况|介绍|评价|关系|排名|排行榜?|结局"
    r"|故事|内容|知识|技巧|信息"
    r"|背景|影响|意义|简介|概况|方法|做法|流程|步骤|difference|meaning|background|overview"
    r"|features?)$"
)
# A yes-no question is put to the model only for a claim with some word of it.
_ON_IT: Final = 0.2
_BECAUSE: Final = re.compile("因为|由于|主要(?:是)?因为|because|due to", re.IGNORECASE)
_YES_OR_NO: Final = re.compile(
    r"(?:是|不|否|对|可以|能|会|有|没|支持|允许|需要|无需|已|未)|(?:yes|no)\b"
)
# A claim this long that begins with yes or no is a verdict by itself.
_VERDICT: Final = 8
# A short answer that nothing ties to the question.
_LOOSE, _LOOSE_TYPED, _UNCHECKED, _UNCHECKED_TYPED = 0.2, 0.45, 0.5, 0.7


@dataclass(slots=True)
class Aboutness:
    """The claims of one answer against the points of its question.

    Attributes:
        points: The question's points.
        claims: The answer's claims.
        contexts: The record's contexts: the sentences that claims are drawn from tell what the
            answer leaves out.
        engine: Judges declarative forms.
        lexicon: Synonyms and related words.
    """

    points: Sequence[Point]
    claims: Sequence[Segment]
    contexts: Sequence[str]
    engine: EntailmentEngine
    lexicon: Lexicon
    _folded: list[str] = field(default_factory=list)
    _terms: list[tuple[Term, ...]] = field(default_factory=list)
    _carried: list[str] = field(default_factory=list)
    _far: list[float] = field(default_factory=list)
    _asked: str = ""
    _own: dict[str, list[Term]] = field(default_factory=dict)
    _named: dict[tuple[str, int], bool] = field(default_factory=dict)
    _sources: Sources = field(init=False)
    _shares: dict[tuple[str, int], float] = field(default_factory=dict)
    _by_source: set[tuple[int, int]] = field(default_factory=set)
    _matches: dict[tuple[int, int], Match] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._folded = [fold(f"{c.heading} {c.text}" if c.heading else c.text) for c in self.claims]
        self._sources = Sources(
            self.contexts, [(f, c.text) for f, c in zip(self._folded, self.claims, strict=True)]
        )
        self._terms = [topic_terms(p.about) for p in self.points]
        self._asked = "".join(fold(p.text + p.context) for p in self.points)
        everything = " ".join(self._folded)
        self._far = [spoken_of(terms, everything, self.lexicon) for terms in self._terms]
        self._own = {entity: self._distinct(entity) for entity in self.entities}
        self._carried = self._carry()

    @property
    def entities(self) -> list[str]:
        """The different entities that are asked about."""
        return list(dict.fromkeys(p.entity for p in self.points if p.entity))

    def covers(self) -> list[PointCover]:
        """Every point with the claim that covers it best, in the points' order."""
        out = []
        for i, point in enumerate(self.points):
            best, claim = Match(0.0, 0.0), None
            for j in range(len(self.claims)):
                found = self.match(i, j)
                if claim is None or found.score > best.score:
                    best, claim = found, j
            out.append(PointCover(point, best, claim))
        return out

    def match(self, point: int, claim: int) -> Match:
        """How far a claim covers a point.

        Args:
            point: Index of the point.
            claim: Index of the claim.
        """
        key = point, claim
        if key not in self._matches:
            self._matches[key] = self._match(point, claim)
        return self._matches[key]

    def _match(self, point: int, claim: int) -> Match:
        topic, answering = self._topic(point, claim), self._answering(point, claim)
        how = "context" if (point, claim) in self._by_source else "terms"
        found = Match(topic, answering, how)
        if found.score >= (1.0 if self._is_short() else COVERED):
            return found
        better = self._short(point, claim) or self._judged(point, claim)
        return better if better is not None and better.score > found.score else found

    def _share(self, phrase: str, claim: int) -> float:
        """How far a claim addresses a phrase, worked out once."""
        key = phrase, claim
        if key not in self._shares:
            self._shares[key] = phrase_share(phrase, self._folded[claim], self.lexicon)
        return self._shares[key]

    def mentions(self, claim: int) -> float:
        """Highest share of a point's words that a claim holds, in [0, 1]."""
        text = self._folded[claim]
        return max((spoken_of(terms, text, self.lexicon) for terms in self._terms), default=0.0)

    def drawn_on_topic(self, claim: int) -> bool:
        """Whether a claim's source stands in a context that speaks of what is asked.

        Args:
            claim: Index of the claim.
        """
        whole = self._sources.contexts(claim)
        return any(
            spoken_of(terms, text, self.lexicon) >= _FULL_TOPIC
            for terms in self._terms
            for text in whole
        )

    def _carry(self) -> list[str]:
        """For each claim the entity that it, or else the last claim before it, names."""
        out: list[str] = []
        last = ""
        for j in range(len(self._folded)):
            named = [e for e in self.entities if self._names(e, j)]
            if named:
                last = named[-1]
            out.append(last)
        return out

    def _names(self, entity: str, j: int) -> bool:
        """Whether a claim names an entity by a word that no other entity of the question has."""
        key = entity, j
        if key not in self._named:
            text = self._folded[j]
            own = self._own[entity]
            self._named[key] = fold(entity) in text or (
                bool(own) and share(own, text, self.lexicon) >= COVERED
            )
        return self._named[key]

    def _distinct(self, entity: str) -> list[Term]:
        others = {t.word for e in self.entities if e != entity for t in content_terms(e)}
        return [t for t in content_terms(entity) if t.word not in others]

    def _topic(self, i: int, j: int) -> float:
        point, text = self.points[i], self._folded[j]
        if not point.entity and not point.aspect:
            near = spoken_of(self._terms[i], text, self.lexicon)
            if max(near, 0.8 * self._far[i]) < _FULL_TOPIC:
                near = self._or_backed(near, i, j)
            return min(1.0, max(near, 0.8 * self._far[i]) / _FULL_TOPIC)
        if not point.entity:
            return 1.0  # the aspect alone is asked, and `_answering` looks for it
        if len(self.entities) > 1:
            if self._names(point.entity, j):
                return 1.0
            if any(self._names(e, j) for e in self.entities):
                return 0.0
            if "分别" in text or "respectively" in text:
                return _IMPLIED
            return 1.0 if self._carried[j] == point.entity else 0.0
        own = min(1.0, self._share(point.entity, j) / _FULL_TOPIC)
        if point.aspect and self._share(point.aspect, j) >= COVERED:
            return 1.0
        if any(self._speaks(i, other) for other in range(len(self.claims))):
            return max(own, _IMPLIED)
        return own if own >= COVERED else min(1.0, self._or_backed(own, i, j, _FULL_TOPIC))

    def _or_backed(self, own: float, i: int, j: int, full: float = 1.0) -> float:
        """The claim's own share of the topic, or its source's where that is more."""
        backed = self._backed(i, j) / full
        if backed <= own:
            return own
        self._by_source.add((i, j))
        return backed

    def _backed(self, i: int, j: int) -> float:
        """How far the sentence that a claim is drawn from speaks of a point's topic.

        The answer may leave out what its source says (被犬只咬伤后). A copied sentence gains
        nothing: it is its own source. The sentences beside it and the heading are read only where
        the claim holds the figure or date asked for, which another sentence seldom does.
        """
        sure = self.points[i].asked.kind in _SURE_KINDS and fits(
            self.points[i].asked, self.claims[j].text
        )
        places = self._sources.near(j) if sure else self._sources.origin(j)
        weight = _BESIDE if sure else 1.0
        return max(
            (weight * spoken_of(self._terms[i], f"{self._folded[j]} {p}", self.lexicon)
             for p in places),
            default=0.0,
        )  # fmt: skip

    def _speaks(self, i: int, j: int) -> bool:
        """Whether a claim takes up the entity or the aspect of a point by its words."""
        point = self.points[i]
        return any(
            phrase and self._share(phrase, j) >= COVERED for phrase in (point.entity, point.aspect)
        )

    def _answering(self, i: int, j: int) -> float:
        point = self.points[i]
        kind = point.asked.kind
        if not self._adds(j):
            return 0.0
        fit = fits(point.asked, self.claims[j].text)
        weak = _NAMED_ONLY if kind in _SURE_KINDS else _NAMED_SOFT
        if not point.aspect:
            return 1.0 if fit else weak
        named = self._share(point.aspect, j)
        if kind is AnswerKind.OPEN or WIDE_ASPECTS.search(point.aspect):
            return max(named, _UNNAMED if WIDE_ASPECTS.search(point.aspect) else 0.0)
        if named >= COVERED:
            return 1.0 if fit else weak
        if not fit:
            return 0.0
        others = {p.aspect for p in self.points if p.aspect and p.aspect != point.aspect}
        if any(self._share(a, j) >= COVERED for a in others):
            return _OTHER_ASPECT
        if others and all(self._named_elsewhere(a, j) for a in others):
            return _UNNAMED  # what is left over is for this one
        if any(self._share(point.aspect, other) >= COVERED for other in range(len(self.claims))):
            return _OTHER_ASPECT  # another claim gives it by its name
        return _UNNAMED if not others else _NAMED_ONLY

    def _named_elsewhere(self, aspect: str, j: int) -> bool:
        return any(self._share(aspect, k) >= COVERED for k in range(len(self.claims)) if k != j)

    def _adds(self, j: int) -> bool:
        """Whether a claim says anything that the question did not."""
        asked = self._asked
        if any(t.word not in asked for t in content_terms(self.claims[j].text)):
            return True
        if any(c.isdigit() and c not in asked for c in self._folded[j]):
            return True
        # 淡水湖 chooses among what was asked; the whole question again does not.
        return self._is_short() and not any(
            t and share(t, self._folded[j], self.lexicon) == 1.0
            for t in (content_terms(p.text) for p in self.points)
        )

    def _is_short(self) -> bool:
        return len(self.claims) == 1 and len(self.claims[0].text) <= MAX_FRAGMENT

    def _is_elliptic(self, j: int) -> bool:
        """Whether a claim leaves its subject to the question."""
        text = self.claims[j].text
        if is_fragment(text) or _BECAUSE.match(text):
            return True
        return is_chinese(text) and not has_own_subject(list(tagged(self._folded[j])))

    def _speaks_of_another(self, i: int, j: int) -> bool:
        """Whether a claim names the entity or aspect of another point and not this one's."""
        point = self.points[i]
        for mine, all_of_them in (
            (point.entity, self.entities),
            (point.aspect, [p.aspect for p in self.points if p.aspect]),
        ):
            named = {phrase for phrase in all_of_them if self._share(phrase, j) >= COVERED}
            if named and mine not in named:
                return True
        return False

    def _short(self, i: int, j: int) -> Match | None:
        """A claim without a subject (欧洲, 50): the material may tie it to the question."""
        point, claim = self.points[i], self.claims[j]
        short = self._is_short()
        if point.asked.kind is AnswerKind.YES_NO and self._is_verdict(j):
            return Match(1.0, 1.0)
        if not (short or self.contexts) or not self._is_elliptic(j):
            return None
        if self._speaks_of_another(i, j):
            return None
        fit = fits(point.asked, claim.text)
        if not fit and point.asked.kind in _SURE_KINDS:
            return Match(_LOOSE, _NAMED_ONLY)
        answering = 1.0 if fit else _NAMED_SOFT
        typed = short and fit and point.asked.kind is not AnswerKind.OPEN
        if not self.contexts:
            return Match(_UNCHECKED_TYPED if typed else _UNCHECKED, answering)
        beside = max(
            (spoken_of(self._terms[i], near, self.lexicon) for near in self._sources.near(j)),
            default=0.0,
        )
        if beside >= _FULL_TOPIC:
            return Match(1.0, answering, "context")
        if short:
            filled = self.engine.check(statement(point.text, claim.text), self.contexts)
            if filled.claims and all(c.label is Label.SUPPORTED for c in filled.claims):
                return Match(1.0, answering, "entailment")
        topic = max(beside / _FULL_TOPIC, _LOOSE_TYPED if typed else _LOOSE)
        return Match(topic, answering, "context")

    def _is_verdict(self, j: int) -> bool:
        """Whether a claim is a bare yes or no (可以。 不一样。), alone or before its grounds."""
        short = self._is_short() or len(self.claims[j].text) <= _VERDICT
        return (
            short and is_fragment(self.claims[j].text) and bool(_YES_OR_NO.match(self._folded[j]))
        )

    def _judged(self, i: int, j: int) -> Match | None:
        """A yes-no question in declarative form: answered where it is affirmed or denied."""
        point = self.points[i]
        if point.asked.kind is not AnswerKind.YES_NO:
            return None
        if spoken_of(self._terms[i], self._folded[j], self.lexicon) < _ON_IT:
            return None
        asked = declarative(point.text)
        if not asked:
            return None
        result = self.engine.check(asked, [self.claims[j].text])
        decided = [c for c in result.claims if c.label is not Label.UNSUPPORTED]
        return Match(1.0, 1.0, "entailment") if decided else None
