"""Whether an answer is about what was asked, and about nothing else."""

from __future__ import annotations

from typing import ClassVar, Final

from nli_faith.metrics.aboutness import Aboutness
from nli_faith.metrics.covers import COVERED, PointCover
from nli_faith.metrics.pointed import PointMetric
from nli_faith.metrics.question_types import AnswerKind
from nli_faith.metrics.terms import content_terms, share
from nli_faith.text import fold

ANSWERS, ELABORATES, UNRELATED = "answers", "elaborates", "unrelated"
#: What a claim of each role counts as, in the share of claims that is on topic.
WEIGHTS: Final = {ANSWERS: 1.0, ELABORATES: 0.5, UNRELATED: 0.0}
# Questions whose answer takes several sentences: what elaborates on it belongs to it.
_WIDE: Final = (AnswerKind.HOW, AnswerKind.WHY, AnswerKind.OPEN)
# Share of a claim's own words that it must have in common with the claims that answer.
_COHESION: Final = 0.2


class AnswerRelevancy(PointMetric):
    """Whether the answer answers the question and stays with it (答案相关性).

    ``mean score of the points x on-topic share of the claims``, in [0, 1], higher is better.

    * A point's score is that of its best claim: how far it addresses the words asked about, by
      itself, with the answer's other claims or with the sentence it is drawn from, and
      gives an answer of the kind asked for (a duration for 多久), the smaller of the two
      (`nli_faith.metrics.aboutness`). Copied material that names the product but does not answer
      scores low here.
    * On topic, each claim counts 1 when it covers a point, 0.5 when it elaborates (holds words of
      the question, shares words with a claim that answers, or is drawn from a context on the
      topic; 1 for how, why and open questions), 0 when it is about nothing asked. So padding
      costs its share.

    What Ragas calls answer (response) relevancy embeds questions that an LLM writes for the
    answer, and DeepEval asks an LLM for each statement; this one is rules on the question's points
    and terms. Whether the answer is true plays no part.

    A refusal is 0 with status ``refusal``; an answer that asserts nothing is 0. No question or no
    answer: missing.
    """

    name: ClassVar[str] = "answer_relevancy"

    def _measure(
        self, about: Aboutness, covers: list[PointCover]
    ) -> tuple[float, dict[str, object]]:
        addressed = sum(c.match.score for c in covers) / len(covers)
        roles = self._roles(about)
        wide = any(c.point.asked.kind in _WIDE for c in covers)
        weights = {**WEIGHTS, ELABORATES: 1.0} if wide else WEIGHTS
        on_topic = sum(weights[role] for role in roles) / len(roles)
        return addressed * on_topic, {
            "addressed": round(addressed, 6),
            "on_topic": round(on_topic, 6),
            "claims": [
                {"text": c.text, "role": role} for c, role in zip(about.claims, roles, strict=True)
            ],
        }

    def _roles(self, about: Aboutness) -> list[str]:
        """What each claim does: it answers, elaborates, or is about nothing asked."""
        best = [
            max(about.match(i, j).score for i in range(len(about.points)))
            for j in range(len(about.claims))
        ]
        if max(best) < COVERED:
            # Nothing answers: what comes nearest is all that the answer has on the topic.
            return [ELABORATES if about.mentions(j) > 0 else UNRELATED for j in range(len(best))]
        answering = " ".join(
            fold(c.text) for c, score in zip(about.claims, best, strict=True) if score >= COVERED
        )
        roles = []
        for j, score in enumerate(best):
            if score >= COVERED:
                roles.append(ANSWERS)
            elif (
                about.mentions(j) > 0
                or self._coheres(about.claims[j].text, answering)
                or about.drawn_on_topic(j)
            ):
                roles.append(ELABORATES)
            else:
                roles.append(UNRELATED)
        return roles

    def _coheres(self, claim: str, answering: str) -> bool:
        return share(content_terms(claim), answering, self._lexicon) >= _COHESION
