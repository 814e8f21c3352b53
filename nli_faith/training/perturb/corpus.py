"""From a folder of documents to a file of contrastive claims."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from nli_faith.training.artefacts import ArtefactReport, filter_artefacts
from nli_faith.training.overlap import OverlapIndex, read_rows

from .balance import Balance, assemble
from .document import make_draft

FILES: Final = ("zh_en_dragonball_docs.jsonl", "zh_crud_news_docs.jsonl")
_SHORTEST: Final = 200


@dataclass(slots=True)
class Made:
    """What a run made.

    Attributes:
        rows: Documents in the contrastive format.
        overlapping: Documents skipped because a dev set holds a part of them.
        barren: Documents that gave too few claims.
        report: What the artefact filter did.
        counts: Claims by ``type/label``.
    """

    rows: list[dict[str, Any]]
    overlapping: int = 0
    barren: int = 0
    report: ArtefactReport | None = None
    counts: Counter[str] = field(default_factory=Counter)


def documents(corpus: Path) -> Iterator[tuple[str, str]]:
    """Ids and texts of a corpus folder's Chinese documents, in an order that a hash decides.

    Args:
        corpus: Folder with the files of `FILES`.
    """
    found = []
    for file in FILES:
        for i, row in enumerate(read_rows(corpus / file)):
            if row.get("lang", "zh") == "zh" and len(row["text"]) >= _SHORTEST:
                name = f"{file.split('_')[1][0]}{i:05d}"
                found.append(
                    (hashlib.sha256(row["text"][:200].encode()).digest(), name, row["text"])
                )
    found.sort()
    last = b""
    for digest, name, text in found:
        if digest != last:
            yield name, text
        last = digest


def make(
    corpus: Path,
    *,
    count: int,
    seed: int,
    dev: OverlapIndex | None = None,
    target: float = 0.545,
    log: Callable[[str], None] = print,
) -> Made:
    """Make the claims of a number of documents.

    Args:
        corpus: Folder of documents.
        count: Documents wanted.
        seed: Decides every choice.
        dev: Held-out sets; documents that share a string with one are skipped.
        target: Balanced accuracy that the hypothesis alone may reach.
        log: Gets a line now and then.
    """
    made = Made([])
    balance = Balance()
    for name, text in documents(corpus):
        if len(made.rows) >= count:
            break
        if dev is not None and dev.matches([text]):
            made.overlapping += 1
            continue
        draft = make_draft(text, name=name, seed=f"{seed}/{name}")
        row = assemble(draft, balance, random.Random(f"{seed}:{name}")) if draft else None
        if row is None or not row["pairs"]:
            made.barren += 1
            continue
        made.rows.append(row)
        if len(made.rows) % 500 == 0:
            log(f"{len(made.rows)} documents")
    _filter(made, target)
    made.counts = count_claims(made.rows)
    return made


def flat(rows: list[dict[str, Any]]) -> list[tuple[str, bool, str, str]]:
    """Claims of rows in the contrastive format: text, supported, document, unit."""
    out = []
    for row in rows:
        for i, pair in enumerate(row["pairs"]):
            unit = f"{row['id']}/p{i}"
            out.append((pair["supported"], True, row["id"], unit))
            out.append((pair["edited"], False, row["id"], unit))
        for i, extra in enumerate(row["extra"]):
            out.append(
                (extra["text"], extra["label"] == "supported", row["id"], f"{row['id']}/e{i}")
            )
    return out


def _filter(made: Made, target: float) -> None:
    claims = flat(made.rows)
    if not claims:
        return
    texts, labels, groups, units = zip(*claims, strict=True)
    keep, made.report = filter_artefacts(texts, labels, groups, units=units, target=target)
    kept = {unit for unit, good in zip(units, keep, strict=True) if good}
    for row in made.rows:
        for key, sign in (("pairs", "p"), ("extra", "e")):
            row[key] = [c for i, c in enumerate(row[key]) if f"{row['id']}/{sign}{i}" in kept]
    made.rows = [row for row in made.rows if row["pairs"] or row["extra"]]


def count_claims(rows: list[dict[str, Any]]) -> Counter[str]:
    """Claims by ``type/label``."""
    counts: Counter[str] = Counter()
    for row in rows:
        for pair in row["pairs"]:
            counts[f"{pair['type']}/supported"] += 1
            counts[f"{pair['type']}/{pair['label']}"] += 1
        for extra in row["extra"]:
            counts[f"{extra['type']}/{extra['label']}"] += 1
    return counts
