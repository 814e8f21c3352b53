"""Who has reviewed what, and how far they agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from nli_faith.review.queue import ReviewQueue
from nli_faith.review.store import UNSURE, Verdict
from nli_faith.triage.agreement import Agreement, agreements

MODEL = "model"


@dataclass(slots=True)
class Overview:
    """A queue's progress.

    Attributes:
        claims: Claims to review.
        done: Claims by reviewer.
        unsure: Of these, those they could not decide; they are in no table.
        tables: Agreement of every two reviewers, over the claims that both decided.
        with_model: Agreement of the model with every reviewer.
        disputed: Places of the claims on which two reviewers differ.
    """

    claims: int
    done: dict[str, int] = field(default_factory=dict)
    unsure: dict[str, int] = field(default_factory=dict)
    tables: list[Agreement] = field(default_factory=list)
    with_model: list[Agreement] = field(default_factory=list)
    disputed: list[int] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "claims": self.claims,
            "done": dict(self.done),
            "unsure": dict(self.unsure),
            "tables": [_table(t) for t in self.tables],
            "with_model": [_table(t) for t in self.with_model],
            "disputed": list(self.disputed),
        }


def overview(queue: ReviewQueue, verdicts: Iterable[Verdict]) -> Overview:
    """Count verdicts and compare them.

    Args:
        queue: The queue; verdicts on claims that are not in it are passed over.
        verdicts: Those in force.
    """
    said: dict[int, dict[str, str]] = {}
    done: Counter[str] = Counter()
    unsure: Counter[str] = Counter()
    for verdict in verdicts:
        place = queue.place_of(verdict.record, verdict.n)
        if place is None:
            continue
        done[verdict.reviewer] += 1
        if verdict.verdict == UNSURE:
            unsure[verdict.reviewer] += 1
        else:
            said.setdefault(place, {})[verdict.reviewer] = verdict.verdict
    names = sorted(done)
    tables = [t for t in agreements(said.values(), list(combinations(names, 2))) if t.n]
    out = Overview(len(queue.items), dict(done), dict(unsure), tables)
    for name in names:
        table = Agreement(MODEL, name)
        for place, by in said.items():
            row, claim = queue.items[place]
            if name in by:
                table.add(queue.rows[row].result.claims[claim].label.value, by[name])
        if table.n:
            out.with_model.append(table)
    out.disputed = sorted(place for place, by in said.items() if len(set(by.values())) > 1)
    return out


def settle(verdicts: Iterable[str]) -> str:
    """What several people say together: the word of most, else ``unsure``.

    Args:
        verdicts: One a person; ``unsure`` has no vote.
    """
    votes = Counter(v for v in verdicts if v != UNSURE).most_common(2)
    if not votes or (len(votes) > 1 and votes[0][1] == votes[1][1]):
        return UNSURE
    return votes[0][0]


def _table(table: Agreement) -> dict[str, Any]:
    return {**table.to_dict(), "two_way": table.two_way().to_dict()}
