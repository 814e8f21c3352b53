"""Contrastive claims from questions with short answers: twins say another answer of the passage."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from .cleaning import sentences
from .document import Facts, all_edits
from .model import Edit
from .statements import statement

LONGEST_CONTEXT: Final = 900
_MOST_OF_A_KIND: Final = 0.22
_SOFT: Final = frozenset({"number", "date", "number_swap", "unit", "percent", "magnitude"})


def group(rows: Iterable[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Rows over the same passage, in order of first appearance."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault("\n".join(row["contexts"]), []).append(row)
    return list(found.values())


class QuestionClaims:
    """Makes claims passage by passage, keeping the kinds of edits in balance."""

    def __init__(self, seed: int) -> None:
        """Start counting.

        Args:
            seed: Of everything random.
        """
        self._rng = random.Random(seed)
        self._kinds: Counter[str] = Counter()

    def document(self, rows: Sequence[Mapping[str, Any]], name: str) -> dict[str, Any] | None:
        """One passage with its claims in the contrastive format, or None without a pair.

        Args:
            rows: Questions over one passage: ``question``, ``contexts``, ``answer``.
            name: Its id.
        """
        contexts = list(rows[0]["contexts"])
        facts = Facts([s for c in contexts for s in sentences(c[:LONGEST_CONTEXT])])
        pairs, extra, seen = [], [], set()
        for row in rows:
            text = statement(row["question"], row["answer"])
            if text is None or text in seen:
                continue
            seen.add(text)
            edits = [*self._others(row, rows), *all_edits(text, facts, self._rng)]
            edit = self._chosen([e for e in edits if e.text not in seen])
            if edit is None:
                extra.append({"text": text, "label": "supported", "type": "question"})
                continue
            seen.add(edit.text)
            self._kinds[edit.kind] += 1
            pairs.append({"supported": text, "edited": edit.text, "label": edit.label,
                          "type": edit.kind})  # fmt: skip
        if not pairs:
            return None
        return {"id": name, "domain": "question", "lang": rows[0].get("lang", "zh"),
                "contexts": contexts, "pairs": pairs, "extra": extra[: len(pairs)]}  # fmt: skip

    def _others(self, row: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Iterable[Edit]:
        """The question with the answers of other questions over the passage."""
        own = {str(a) for a in (row["answer"], *row.get("answers", ()))}
        for other in rows:
            answer = other["answer"]
            if any(answer in o or o in answer for o in own) or not _alike(row["answer"], answer):
                continue
            text = statement(row["question"], answer)
            # A name that the question has already would read as nonsense.
            if text is not None and answer not in row["question"]:
                yield Edit(text, "unsupported", "answer")

    def _chosen(self, edits: Sequence[Edit]) -> Edit | None:
        """The edit whose kind is rarest so far; kinds over their share are left out."""
        total = sum(self._kinds.values())
        room = [e for e in edits if self._kinds[e.kind] <= 20 + _MOST_OF_A_KIND * total]
        if not room:
            return None
        order = list(room)
        self._rng.shuffle(order)
        return min(order, key=lambda e: self._kinds[e.kind] * (0.5 if e.kind in _SOFT else 1.0))


def _alike(a: str, b: str) -> bool:
    """Whether two answers may be answers of one question: both figures or both words."""
    figures = [bool(re.search(r"\d|[一二三四五六七八九十百千万亿]{2}", t)) for t in (a, b)]
    units = [re.sub(r"[\d.,]+", "0", t)[-1:] for t in (a, b)]
    if figures[0] != figures[1]:
        return False
    if figures[0]:
        return units[0] == units[1]
    return 0.4 <= len(a) / len(b) <= 2.5
