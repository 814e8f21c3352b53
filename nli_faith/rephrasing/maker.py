"""Variants of a question: which rules, in which order, and what every variant must keep."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from nli_faith.errors import ConfigError
from nli_faith.lexicon import Lexicon, default_lexicon
from nli_faith.quantities import parse_quantities
from nli_faith.rephrasing.rules import RULES

MAX_PER_QUESTION = 100


@dataclass(frozen=True, slots=True)
class Variant:
    """A question asked another way.

    Attributes:
        question: The new wording.
        rules: Names of the rules that made it, in the order applied.
    """

    question: str
    rules: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {"question": self.question, "rules": list(self.rules)}


class Rephraser:
    """Makes variants by rule; deterministic for a seed, immutable and thread-safe.

    Every variant differs from the question and from the others, and has the same quantities, as
    the quantity parser reads them: a rewrite that would change one is dropped.
    """

    def __init__(
        self,
        *,
        lexicon: Lexicon | None = None,
        rules: Sequence[str] | None = None,
        seed: int = 0,
    ) -> None:
        """Choose dictionary, rules and seed.

        Args:
            lexicon: Synonyms; those that ship by default.
            rules: Names of `RULES`; all by default.
            seed: Chooses among what the rules offer.

        Raises:
            ConfigError: A rule is unknown, or none is named.
        """
        names = list(RULES) if rules is None else list(dict.fromkeys(rules))
        for name in names:
            if name not in RULES:
                raise ConfigError(f"no rule {name!r}; there are {', '.join(RULES)}")
        if not names:
            raise ConfigError(f"no rule is named; there are {', '.join(RULES)}")
        self._lexicon = lexicon or default_lexicon()
        self._rules = names
        self._seed = seed

    def variants(self, question: str, count: int = 3) -> list[Variant]:
        """Up to ``count`` variants of a question.

        Different rules come before second rewrites by the same one, and single rewrites before
        those by two rules one after the other.

        Args:
            question: The question; its outer white space is dropped.
            count: How many, from 1 to 100.

        Returns:
            Fewer than asked for, or none, where the rules do not reach further.

        Raises:
            ConfigError: ``count`` is out of range.
        """
        if isinstance(count, bool) or not isinstance(count, int):
            raise ConfigError(f"the number of variants must be an integer, not {count!r}")
        if not 1 <= count <= MAX_PER_QUESTION:
            raise ConfigError(f"1 to {MAX_PER_QUESTION} variants of a question, not {count!r}")
        original = question.strip()
        if not original:
            return []
        rng = random.Random(f"{self._seed}\x1f{original}")
        wanted = _amounts(original)
        out: list[Variant] = []
        seen = {original}
        for variant in self._candidates(original, rng):
            if variant.question in seen or _amounts(variant.question) != wanted:
                continue
            seen.add(variant.question)
            out.append(variant)
            if len(out) == count:
                break
        return out

    def _candidates(self, original: str, rng: random.Random) -> Iterator[Variant]:
        singles = list(self._rewrites(Variant(original, ()), rng))
        yield from singles
        for variant in singles:
            yield from self._rewrites(variant, rng)

    def _rewrites(self, variant: Variant, rng: random.Random) -> Iterator[Variant]:
        """Rewrites by rules not used yet: the first of each rule, then the second of each."""
        offers: list[tuple[str, list[str]]] = []
        for name in self._rules:
            if name in variant.rules:
                continue
            found = list(dict.fromkeys(RULES[name](variant.question, self._lexicon)))
            rng.shuffle(found)
            offers.append((name, found))
        rng.shuffle(offers)
        for depth in range(max((len(found) for _, found in offers), default=0)):
            for name, found in offers:
                if depth < len(found):
                    yield Variant(found[depth], (*variant.rules, name))


def _amounts(text: str) -> Counter[tuple[str, str, str, str]]:
    """The quantities of a question; a change in one changes its meaning."""
    return Counter((q.type, q.value, q.unit, q.op) for q in parse_quantities(text))
