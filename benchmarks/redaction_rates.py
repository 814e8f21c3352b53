"""How often redaction touches ordinary Chinese text, and how fast it is.

Reads texts of ../shared/data, in which hardly anything is private: what is masked is shown, so that
it can be judged. Planted numbers measure the other side: how many of them are found in context.

    python benchmarks/redaction_rates.py [--limit N]
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from pathlib import Path

from nli_faith.redaction import find_private, redact

DATA = Path(__file__).parents[2] / "shared" / "data"
FILES = ("dev/zh_rag_claims.jsonl", "dev/zh_uhgeval_half.jsonl",
         "train/zh_rag_dureader2_demo.jsonl", "train/zh_qa_drcd_simplified.jsonl")  # fmt: skip
PLANTED = ("13812345678", "138-1234-5678", "+86 13912345678", "010-62345678", "0755-8123456",
           "zhang.san@example.com", "110101199003071233", "6222020200012345670",
           "4111 1111 1111 1111", "EA1234567", "１３８１２３４５６７８")  # fmt: skip
SHOWN = 20


def texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [t for v in value.values() for t in texts(v)]
    return [t for v in value for t in texts(v)] if isinstance(value, list) else []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int, default=None, help="rows of each file")
    limit = parser.parse_args().limit
    for name in FILES:
        path = DATA / name
        if not path.exists():
            print(f"{name}: not here, left out")
            continue
        with path.open(encoding="utf-8") as lines:
            rows = [json.loads(x) for i, x in enumerate(lines) if limit is None or i < limit]
        report(name, [t for row in rows for t in texts(row)])


def report(name: str, found: list[str]) -> None:
    characters = sum(map(len, found))
    started = time.process_time()
    hits = [(p.kind, t[p.start : p.end]) for t in found for p in find_private(t)]
    seconds = time.process_time() - started
    kinds = dict(Counter(kind for kind, _ in hits))
    print(f"\n{name}: {len(found)} texts, {characters} characters, {characters / seconds / 1e6:.1f} "
          f"million characters a CPU second")  # fmt: skip
    print(f"  masked {len(hits)}, {len(hits) / characters * 1e6:.2f} a million characters: {kinds}")
    for kind, text in hits[:SHOWN]:
        print(f"    {kind:<9} {text}")
    caught = total = 0
    for i, text in enumerate(found[:2000]):
        secret = PLANTED[i % len(PLANTED)]
        middle = len(text) // 2
        # Between Chinese characters, as people write it: not inside a number or a word.
        while 0 < middle < len(text) and (text[middle - 1].isascii() or text[middle].isascii()):
            middle += 1
        if middle >= len(text):
            continue
        total += 1
        caught += secret not in redact(text[:middle] + secret + text[middle:])
    print(f"  planted: {caught} of {total} masked")


if __name__ == "__main__":
    main()
