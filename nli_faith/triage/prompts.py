"""Prompts for the LLM judge: templates, batch requests, and what they cost in tokens.

A template has two parts, headed by lines ``### system`` and ``### user`` (the first may be left
out), and the placeholders ``{{claims}}`` (needed), ``{{question}}`` and ``{{count}}``.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from nli_faith.errors import ConfigError, InputError
from nli_faith.verdicts import ClaimResult, Evidence

PromptLang = Literal["zh", "en"]
URL = "/v1/chat/completions"
MAX_CLAIMS = 20
"""Claims in one request; more than this, and judges begin to skip some."""
MESSAGE_TOKENS = 4
"""What a chat message costs besides its text."""
VERDICT_TOKENS = 45
"""What a verdict with its reason costs: about 15 of JSON and 30 of reason."""

_PART = re.compile(r"^###\s*(system|user)\s*$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{\{\s*([a-z_]+)\s*\}\}")
_KNOWN = frozenset({"claims", "question", "count"})
_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_WORDS: Mapping[PromptLang, Mapping[str, str]] = {
    "zh": {"colon": "：", "claim": "论断", "evidence": "最相关的材料", "counter": "可能相反的材料",
           "flags": "数字核对", "none": "（没有找到相关材料）", "unknown": "（未提供）"},
    "en": {"colon": ": ", "claim": "Claim", "evidence": "Most relevant material",
           "counter": "Material that may say otherwise", "flags": "Number check",
           "none": "(no related material was found)", "unknown": "(not given)"},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt with placeholders.

    Attributes:
        system: May be empty.
        user: The rest.
        lang: Language of the words put around claims and evidence.
    """

    system: str
    user: str
    lang: PromptLang = "zh"

    @classmethod
    def parse(cls, text: str, lang: PromptLang, origin: str = "template") -> Template:
        """Read a template.

        Args:
            text: See the module.
            lang: See the class.
            origin: Where it is from, for messages.

        Raises:
            ConfigError: ``{{claims}}`` is missing, a placeholder is unknown, or the word JSON
                is (the API demands it in the prompt for JSON answers).
        """
        parts: dict[str, str] = {}
        marks = list(_PART.finditer(text))
        if not marks:
            parts["user"] = text
        elif head := text[: marks[0].start()].strip():
            raise ConfigError(f"{origin}: {head[:40]!r} stands before the first '###' line")
        ends = [*(m.start() for m in marks[1:]), len(text)]
        for mark, end in zip(marks, ends, strict=False):
            if mark.group(1) in parts:
                raise ConfigError(f"{origin}: '### {mark.group(1)}' stands there twice")
            parts[mark.group(1)] = text[mark.end() : end]
        found = {m.group(1) for m in _PLACEHOLDER.finditer(text)}
        if unknown := sorted(found - _KNOWN):
            raise ConfigError(f"{origin}: unknown placeholder {{{{{unknown[0]}}}}}: there are "
                              f"{', '.join(sorted(_KNOWN))}")  # fmt: skip
        if "claims" not in {m.group(1) for m in _PLACEHOLDER.finditer(parts.get("user", ""))}:
            raise ConfigError(f"{origin}: the user part lacks the placeholder {{{{claims}}}}")
        if "json" not in text.lower():
            raise ConfigError(f"{origin}: the word JSON is missing: the prompt must ask for JSON")
        return cls(parts.get("system", "").strip(), parts["user"].strip(), lang)

    def messages(
        self, claims: Sequence[tuple[int, ClaimResult]], question: str | None
    ) -> list[dict[str, str]]:
        """The chat messages for some claims.

        Args:
            claims: (number in the record from 1 on, claim).
            question: The user's question, if known.
        """
        say = _WORDS[self.lang]
        values = {
            "claims": "\n\n".join(_item(n, claim, say) for n, claim in claims),
            "question": question or say["unknown"],
            "count": str(len(claims)),
        }
        filled = [
            {"role": role, "content": _PLACEHOLDER.sub(lambda m: values[m.group(1)], text)}
            for role, text in (("system", self.system), ("user", self.user))
        ]
        return [m for m in filled if m["content"]]


@functools.lru_cache(maxsize=2)
def default_template(lang: PromptLang) -> Template:
    """The template that comes with the package.

    Args:
        lang: ``zh`` or ``en``.
    """
    file = resources.files("nli_faith.triage") / "templates" / f"judge_{lang}.txt"
    return Template.parse(file.read_text(encoding="utf-8"), lang)


def load_template(path: str | os.PathLike[str], lang: PromptLang) -> Template:
    """A template of the user's.

    Raises:
        InputError: It cannot be read or is not UTF-8.
        ConfigError: See `Template.parse`.
    """
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{os.fspath(path)}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{os.fspath(path)}: not UTF-8 (byte {error.start})") from error
    return Template.parse(text, lang, os.fspath(path))


def language_of(claims: Sequence[ClaimResult]) -> PromptLang:
    """``zh`` where a claim has a Chinese character, else ``en``."""
    return "zh" if any(_HAN.search(c.text) for c in claims) else "en"


def batch_requests(
    key: str,
    claims: Sequence[tuple[int, ClaimResult]],
    question: str | None,
    template: Template,
    model: str,
) -> list[dict[str, Any]]:
    """Requests for OpenAI's batch API, and the many that are compatible.

    Args:
        key: Key of the record; the ``custom_id``, with ``.p2`` and so on for further parts.
        claims: (number in the record from 1 on, claim).
        question: The user's question, if known.
        template: The prompt.
        model: Name of the judge.
    """
    parts = [claims[i : i + MAX_CLAIMS] for i in range(0, len(claims), MAX_CLAIMS)]
    return [
        {
            "custom_id": key if n == 1 else f"{key}.p{n}",
            "method": "POST",
            "url": URL,
            "body": {
                "model": model,
                "messages": template.messages(part, question),
                "temperature": 0,
                "response_format": {"type": "json_object"},
            },
        }
        for n, part in enumerate(parts, 1)
    ]


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has: one a wide (CJK) character, one per four others.

    Common tokenizers take 0.6 to 1.1 tokens for a Chinese character and 0.2 to 0.3 for a Latin
    letter, so this errs on the dear side for Chinese.
    """
    wide = len(_WIDE.findall(text))
    return wide + (len(text) - wide + 3) // 4


def request_tokens(request: Mapping[str, Any]) -> int:
    """About how many tokens the prompt of a request has."""
    messages = request["body"]["messages"]
    return sum(MESSAGE_TOKENS + estimate_tokens(m["content"]) for m in messages)


def _item(number: int, claim: ClaimResult, say: Mapping[str, str]) -> str:
    colon = say["colon"]
    lines = [f"[{number}] {say['claim']}{colon}{_line(claim.text)}"]
    lines.append(f"{say['evidence']}{colon}{_quote(claim.evidence, say)}")
    if claim.counter_evidence is not None:
        lines.append(f"{say['counter']}{colon}{_quote(claim.counter_evidence, say)}")
    if claim.flags:
        lines.append(f"{say['flags']}{colon}{'; '.join(claim.flags)}")
    return "\n".join(lines)


def _quote(evidence: Evidence | None, say: Mapping[str, str]) -> str:
    if evidence is None:
        return say["none"]
    return f"<material>{_line(evidence.text)}</material>"


def _line(text: str) -> str:
    # Texts of others: they may not forge another claim or leave their tag.
    return " ".join(text.split()).replace("<material>", "").replace("</material>", "")
