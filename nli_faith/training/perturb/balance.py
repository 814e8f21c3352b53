"""Which claims and twins a document keeps, so that no kind of edit and no word tips the scales."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from .figures import UNIT_WORDS
from .lexicon import MARKERS as WORDS
from .model import Candidate, Draft, Edit, Positive

# Wanted shares of the kinds of edit.
SHARES: Final[Mapping[str, float]] = {
    "number": 0.13, "number_swap": 0.08, "magnitude": 0.03, "number_cross": 0.03, "date": 0.09,
    "unit": 0.03, "percent": 0.03, "entity": 0.12, "entity_cross": 0.04, "subject": 0.06,
    "attribution": 0.05, "negation": 0.13, "modality": 0.10, "scope": 0.07, "comparison": 0.04,
    "antonym": 0.12, "causal": 0.02,
}  # fmt: skip
_TYPES: Final[Mapping[str, str]] = {
    "number_swap": "number", "magnitude": "number", "number_cross": "number", "percent": "unit",
    "entity_cross": "entity", "subject": "entity",
}  # fmt: skip
MARKERS: Final = (*WORDS, *UNIT_WORDS)
_SLACK: Final = 3
_LEAN: Final = 0.06


class Balance:
    """Running counts over the documents done, and the choice that they leave."""

    def __init__(self) -> None:
        """Start with nothing counted."""
        self.kinds: Counter[str] = Counter()
        self._net: Counter[str] = Counter()
        self._seen: Counter[str] = Counter()

    def allows(self, edit: Edit) -> bool:
        """Whether an edit keeps the words that it takes and puts about as often true as false."""
        if edit.gained and self._net[edit.gained] + 1 > self._room(edit.gained):
            return False
        return not edit.lost or self._net[edit.lost] - 1 >= -self._room(edit.lost)

    def _room(self, word: str) -> float:
        return _SLACK + _LEAN * self._seen[word]

    def need(self, edit: Edit) -> float:
        """How far the kind of an edit is from its share; lower is needed more."""
        return self.kinds[edit.kind] / SHARES[edit.kind]

    def lean(self, text: str) -> int:
        """How much a claim's words stand in unsupported claims so far, counted over markers."""
        return sum(max(-3, min(3, self._net[w])) for w in MARKERS if w in text)

    def count(self, text: str, supported: bool) -> None:
        """Note a claim that was taken."""
        for word in MARKERS:
            if word in text:
                self._seen[word] += 1
                self._net[word] += -1 if supported else 1


def assemble(draft: Draft, balance: Balance, rng: random.Random) -> dict[str, Any]:
    """Choose a document's pairs and lone claims.

    Args:
        draft: All that may be claimed.
        balance: Counts over the documents before; brought up to date.
        rng: Chooses among equals.

    Returns:
        A row in the contrastive format.
    """
    pairs = []
    rest = list(draft.candidates)
    for _ in range(rng.choice((2, 3, 3, 4))):
        best = _best(rest, balance, rng)
        if best is None:
            break
        candidate, edit = best
        rest.remove(candidate)
        pairs.append(_pair(candidate.positive, edit, balance))
    extra = _extras(draft.neutrals, rest, balance, rng)
    return {
        "id": draft.id, "domain": "program", "lang": draft.lang, "contexts": draft.contexts,
        "pairs": pairs, "extra": extra,
    }  # fmt: skip


def _best(
    candidates: Sequence[Candidate], balance: Balance, rng: random.Random
) -> tuple[Candidate, Edit] | None:
    options = [
        (balance.need(e) * rng.uniform(0.8, 1.2), i, j)
        for i, c in enumerate(candidates)
        for j, e in enumerate(c.edits)
        if balance.allows(e)
    ]
    if not options:
        return None
    _, i, j = min(options)
    return candidates[i], candidates[i].edits[j]


def _pair(positive: Positive, edit: Edit, balance: Balance) -> dict[str, str]:
    balance.kinds[edit.kind] += 1
    balance.count(positive.text, True)
    balance.count(edit.text, False)
    return {
        "supported": positive.text + "。", "edited": edit.text + "。", "label": edit.label,
        "type": _TYPES.get(edit.kind, edit.kind),
    }  # fmt: skip


def _extras(
    neutrals: Sequence[Positive], rest: Sequence[Candidate], balance: Balance, rng: random.Random
) -> list[dict[str, str]]:
    out = []
    held = sorted(neutrals, key=lambda p: (balance.lean(p.text), rng.random()))
    held = held[: rng.choice((1, 1, 2))]
    for positive in held:
        balance.count(positive.text, False)
        out.append(_lone(positive, "not_mentioned", "extra_detail"))
    free = list(rest)
    for wanted in held[: len(free)]:
        candidate = min(free, key=lambda c: _unlike(c.positive.text, wanted.text, balance))
        free.remove(candidate)
        balance.count(candidate.positive.text, True)
        kind = "paraphrase" if candidate.positive.steps else "verbatim"
        out.append(_lone(candidate.positive, "supported", kind))
    rng.shuffle(out)
    return out


def _unlike(text: str, wanted: str, balance: Balance) -> float:
    """How ill a supported claim balances an unsupported one, by length and by its words."""
    return abs(len(text) - len(wanted)) / 8 - balance.lean(text)


def _lone(positive: Positive, label: str, kind: str) -> dict[str, str]:
    return {"text": positive.text + "。", "label": label, "type": kind}
