"""What the io tests share."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from nli_faith.datamodels import Record
from nli_faith.io import Reject, read_records

SHARED = Path(__file__).resolve().parents[2] / ".." / "shared"
SCORER = {"model": "m", "model_sha256": "a" * 64, "config_hash": "c" * 16, "version": "0"}
KEYS = {"config_hash": SCORER["config_hash"], "model_sha256": SCORER["model_sha256"]}


def read(data: bytes, **options: Any) -> tuple[list[Record], list[Reject]]:
    """Records and rejects of bytes in memory."""
    rejects: list[Reject] = []
    records = list(read_records(io.BytesIO(data), on_reject=rejects.append, **options))
    return records, rejects


def line(**row: Any) -> bytes:
    """One JSON line."""
    return json.dumps(row, ensure_ascii=False).encode() + b"\n"


def result(number: int, **more: Any) -> dict[str, Any]:
    """A result row as DESIGN section 3 shows it."""
    return {
        "id": f"r{number}",
        "status": "scored",
        "score": 0.75,
        "label_counts": {"supported": 3, "contradicted": 1, "unsupported": 0},
        "claims": [
            {
                "text": "退款在三个工作日内到账。",
                "start": 0,
                "end": 12,
                "label": "contradicted",
                "support": 0.03,
                "contradiction": 0.91,
                "evidence": {
                    "context": 0, "start": 14, "end": 52, "text": "五个工作日",
                    "probs": [0.03, 0.06, 0.91],
                },
                "flags": ["quantity_mismatch:3天!=5天"],
                "conflict": False,
            }
        ],
        "truncated": False,
        "pairs_scored": 14,
        "pairs_possible": 60,
        "meta": {"领域": "客服"},
        "scorer": SCORER,
        **more,
    }  # fmt: skip


def lines_of(path: Path) -> list[dict[str, Any]]:
    """Rows of a JSON lines file; every line must be whole."""
    data = path.read_bytes()
    assert not data or data.endswith(b"\n")
    return [json.loads(row) for row in data.splitlines()]
