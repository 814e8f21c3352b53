"""What the review page asks for and what it is told, without HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from nli_faith.errors import ConfigError
from nli_faith.io.jsontext import brief
from nli_faith.report import assemble, data_block, record_payload
from nli_faith.review.queue import ReviewQueue
from nli_faith.review.raters import overview
from nli_faith.review.store import ConflictError, Verdict, VerdictStore, check_name

PACKAGE = "nli_faith.review"


class ReviewApp:
    """A queue and its verdicts, as the page sees them.

    Args:
        queue: The queue.
        store: Where verdicts are kept.
        reviewer: The name the page proposes.
        lang: ``zh``, ``en`` or ``auto``.
        blind: Show neither the model's verdict nor its probabilities, so that it cannot sway.
    """

    def __init__(self, queue: ReviewQueue, store: VerdictStore, *, reviewer: str = "",
                 lang: str = "auto", blind: bool = False) -> None:  # fmt: skip
        self.queue = queue
        self.store = store
        self.reviewer = reviewer
        self.lang = lang
        self.blind = blind
        self._payload = lru_cache(maxsize=64)(self._make_payload)

    def page(self) -> bytes:
        """The page itself; it holds no record."""
        setup = {
            "queue": self.queue.name,
            "id": self.queue.digest,
            "reviewer": self.reviewer,
            "blind": self.blind,
            "claims": len(self.queue.items),
        }
        return assemble(PACKAGE, title=f"{self.queue.name} · nli-faith review", lang=self.lang,
                        blocks=[data_block("setup", setup)], connect="'self'")  # fmt: skip

    def state(self, reviewer: str) -> dict[str, Any]:
        """All claims in brief, and this reviewer's verdicts.

        Args:
            reviewer: Whose.

        Raises:
            ConfigError: The name cannot be one.
        """
        check_name(reviewer)
        items = []
        for row, claim in self.queue.items:
            entry = self.queue.rows[row]
            items.append({
                "key": entry.key,
                "n": claim + 1,
                "id": entry.result.id,
                "label": None if self.blind else entry.result.claims[claim].label.value,
                "reason": None if self.blind else entry.reasons.get(claim),
            })  # fmt: skip
        return {"items": items, **self.changes(reviewer, 0)}

    def changes(self, reviewer: str, since: int) -> dict[str, Any]:
        """This reviewer's verdicts after a ``seq``, those taken back too; from any tab.

        Args:
            reviewer: Whose.
            since: The last ``seq`` that the page has seen.
        """
        check_name(reviewer)
        last = self.store.last()  # before the rest: what comes in between is told again
        found = self.store.current(reviewer, since)
        return {"seq": last, "verdicts": [v.to_dict() for v in found]}

    def item(self, place: int, reviewer: str) -> dict[str, Any]:
        """One claim with its record.

        Others' verdicts are told only to whom has judged the claim, so that they are not swayed.

        Args:
            place: Its place in the queue.
            reviewer: Who asks.

        Raises:
            ConfigError: There is no such place.
        """
        if not 0 <= place < len(self.queue.items):
            raise ConfigError(f"no claim at place {place}: there are {len(self.queue.items)}")
        row, claim = self.queue.items[place]
        key = self.queue.rows[row].key
        said = [v for v in self.store.current() if (v.record, v.n) == (key, claim + 1)]
        mine = any(v.reviewer == reviewer for v in said)
        others = [v.to_dict() for v in said if mine and v.reviewer != reviewer]
        return {**self._payload(row), "claim": claim, "others": others}

    def save(self, data: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        """Keep a verdict.

        Args:
            data: ``uid``, ``key``, ``n``, ``reviewer``, ``verdict``, ``note``, ``base``.

        Returns:
            200 and the verdict as kept, or 409 and the one that came in between.

        Raises:
            ConfigError: A value is missing or cannot be.
            OutputError: It could not be written.
        """
        text = {name: _text(data, name) for name in ("uid", "key", "reviewer", "verdict", "note")}
        number, base = _int(data, "n"), _int(data, "base")
        if self.queue.place_of(text["key"], number) is None:
            raise ConfigError(f"claim {number} of {text['key']!r:.40} is not in this queue")
        try:
            kept = self.store.add(
                uid=text["uid"], record=text["key"], n=number, reviewer=text["reviewer"],
                verdict=text["verdict"], note=text["note"], base=base,
            )  # fmt: skip
        except ConflictError as conflict:
            return 409, {"current": conflict.current.to_dict()}
        return 200, {"saved": kept.to_dict()}

    def agreement(self) -> dict[str, Any]:
        """Progress of all reviewers and their agreement; the model's too, unless blind."""
        found = overview(self.queue, self.store.current()).to_dict()
        if self.blind:
            found["with_model"] = []
        return found

    def verdicts(self) -> list[Verdict]:
        """All verdicts in force."""
        return self.store.current()

    def _make_payload(self, row: int) -> dict[str, Any]:
        entry = self.queue.rows[row]
        payload = record_payload(entry.result, entry.record)
        payload["scored"] = entry.result.status.value == "scored"
        payload["id"] = entry.result.id
        if self.blind:
            payload["claims"] = [_without_verdict(c) for c in payload["claims"]]
        return payload


def _without_verdict(claim: Mapping[str, Any]) -> dict[str, Any]:
    """A claim as the page gets it in a blind review: its text, and where to look."""
    evidence = claim["evidence"]
    hidden = dict.fromkeys(("label", "support", "contradiction", "combined", "counter"))
    shown = evidence and {**evidence, "probs": [None, None, None]}
    return {**claim, **hidden, "evidence": shown, "flags": [], "signals": {},
            "capped": False, "conflict": False}  # fmt: skip


def _text(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name, "")
    if not isinstance(value, str):
        raise ConfigError(f"{name} must be a string, not {brief(value)}")
    return value


def _int(data: Mapping[str, Any], name: str) -> int:
    value = data.get(name, 0)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ConfigError(f"{name} must be a whole number, not {brief(value)}")
    return value
