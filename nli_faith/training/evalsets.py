"""The development sets a model is chosen on. None of them is ever trained on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nli_faith.datamodels import Record
from nli_faith.errors import ConfigError
from nli_faith.text import extract

#: Rows of CMNLI that are held out of training, chosen by the hash of the row.
CMNLI_HELD_OUT = 1500


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text to score against contexts, and what is true of it.

    Attributes:
        record: The text as an answer of its own, with its contexts.
        supported: Whether the contexts back all of it.
        kind: Error type or another group within the set.
    """

    record: Record
    supported: bool
    kind: str = ""


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Rows of a JSONL file.

    Raises:
        ConfigError: It cannot be read.
    """
    try:
        with path.open(encoding="utf-8") as lines:
            return [json.loads(line) for line in lines if line.strip()]
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from error


def row_hash(row: Mapping[str, Any]) -> str:
    """A hash of a row that does not depend on the order of its fields."""
    text = json.dumps(row, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def split_held_out(
    rows: list[dict[str, Any]], count: int = CMNLI_HELD_OUT
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """(training rows, held-out rows): the ``count`` rows with the largest hashes are held out."""
    order = sorted(rows, key=row_hash)
    return order[:-count], order[-count:]


def rag_claims(dev: Path) -> list[Labelled]:
    """The hand-labelled answers' sentences, without those that assert nothing."""
    return [
        _labelled(claim["text"], row["contexts"], claim["label"], question=row["question"])
        for row in read_rows(dev / "zh_rag_claims.jsonl")
        for claim in row["claims"]
        if claim["label"] != "not_a_claim"
    ]


def citecheck(dev: Path) -> list[Labelled]:
    """Statements with the document they cite."""
    return [
        _labelled(r["hypothesis"], [r["premise"]], r["label"], question=r.get("question"))
        for r in read_rows(dev / "zh_citecheck_dev.jsonl")
    ]


def wice(dev: Path) -> list[Labelled]:
    """English claims with their oracle evidence; partly supported counts as not supported."""
    return [
        _labelled(r["hypothesis"], [r["premise"]], r["label"])
        for r in read_rows(dev / "en_wice_oracle_claim.jsonl")
    ]


def uhgeval(dev: Path) -> list[Labelled]:
    """Hallucinated continuations, and real ones: two sentences from inside the article.

    The real ones stand word for word in the contexts, which favours overlap.
    """
    out: list[Labelled] = []
    for row in read_rows(dev / "zh_uhgeval_half.jsonl"):
        out.append(_labelled(row["answer"], row["contexts"], "unsupported"))
        sentences = [s.text for s in extract(row["contexts"][-1]) if len(s.text) >= 20]
        if sentences:
            middle = len(sentences) // 2
            real = "".join(sentences[middle : middle + 2])
            out.append(_labelled(real, row["contexts"], "supported"))
    return out


def contrastive(path: Path, *, every: int = 1) -> list[Labelled]:
    """Claims of an authored set, twins and single ones; also reads the probes.

    Args:
        path: JSONL of documents with claims.
        every: Take every n-th document.
    """
    out: list[Labelled] = []
    for row in read_rows(path)[::every]:
        for pair in row["pairs"]:
            out.append(_labelled(pair["supported"], row["contexts"], "supported", pair["type"]))
            out.append(_labelled(pair["edited"], row["contexts"], pair["label"], pair["type"]))
        for extra in row["extra"]:
            out.append(_labelled(extra["text"], row["contexts"], extra["label"], extra["type"]))
    return out


def _labelled(
    text: str, contexts: list[str], label: str, kind: str = "", question: str | None = None
) -> Labelled:
    record = Record(id="0", answer=text, contexts=tuple(contexts), question=question)
    return Labelled(record, label in ("supported", "entailment"), kind)
