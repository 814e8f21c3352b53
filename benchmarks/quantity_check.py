"""What the quantity check is worth: how often it caps true and false claims.

Run from the repository root::

    python benchmarks/quantity_check.py

Prints, for each group of sets, how many supported and unsupported claims are capped, the precision
of the cap (capped claims that are unsupported), recall by error type, which rule fired, and for
comparison the naive rule "a number that is not in the context is unsupported". The thresholds were
chosen on c1-c8, d1-d4 and e; d5-d8 and zh_rag_claims took no part in that.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from nli_faith.quantities import QuantityContext, check_quantities, parse_quantities

ROOT = Path(__file__).resolve().parents[1]
CONTRASTIVE = ROOT / "models" / "data" / "contrastive"
RAG_CLAIMS = ROOT / ".." / "shared" / "data" / "dev" / "zh_rag_claims.jsonl"
GROUPS = {
    "developed on: c1-c8, d1-d4": ["c[1-8].jsonl", "d[1-4].jsonl"],
    "developed on: e": ["e*.jsonl"],
    "held out: d5-d8": ["d[5-8].jsonl"],
}
TYPES = ("number", "date", "unit", "aggregation", "format", "verbatim", "comparison", "entity")

Claim = tuple[str, str, str]  # text, label, type


def contrastive(patterns: list[str]) -> Iterator[tuple[list[str], list[Claim]]]:
    """Contexts and claims of the contrastive sets that match the patterns."""
    for path in sorted(p for pattern in patterns for p in CONTRASTIVE.glob(pattern)):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            claims: list[Claim] = []
            for pair in row["pairs"]:
                claims.append((pair["supported"], "supported", pair["type"]))
                claims.append((pair["edited"], pair["label"], pair["type"]))
            claims += [(e["text"], e["label"], e["type"]) for e in row["extra"]]
            yield row["contexts"], claims


def rag_claims() -> Iterator[tuple[list[str], list[Claim]]]:
    """Contexts and claims of the hand-made RAG answers."""
    for line in RAG_CLAIMS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        claims = [
            (c["text"], c["label"], c["type"]) for c in row["claims"] if c["label"] != "not_a_claim"
        ]
        yield row["contexts"], claims


def measure(name: str, rows: Iterator[tuple[list[str], list[Claim]]], verbose: bool) -> None:
    """Print one group's table."""
    caps: Counter[tuple[bool, str, bool]] = Counter()
    naive: Counter[tuple[bool, bool]] = Counter()
    reasons: Counter[tuple[str, bool]] = Counter()
    verdicts: Counter[tuple[str, bool]] = Counter()
    started = time.perf_counter()
    for contexts, claims in rows:
        index = QuantityContext([parse_quantities(c, names=True) for c in contexts])
        for text, label, kind in claims:
            true = label == "supported"
            result = check_quantities(text, [], index)
            caps[true, kind, result.caps] += 1
            naive[true, any(f.verdict not in ("match", "compatible") for f in result.findings)] += 1
            for finding in result.findings:
                verdicts[finding.verdict, true] += 1
                if finding.caps:
                    reasons[finding.reason, true] += 1
                    if verbose and true:
                        print(f"    capped though supported: {finding.flag} | {text}")
    seconds = time.perf_counter() - started
    _print(name, caps, naive, reasons, verdicts, seconds)


def _print(
    name: str,
    caps: Counter[tuple[bool, str, bool]],
    naive: Counter[tuple[bool, bool]],
    reasons: Counter[tuple[str, bool]],
    verdicts: Counter[tuple[str, bool]],
    seconds: float,
) -> None:
    total = {t: sum(n for k, n in caps.items() if k[0] is t) for t in (True, False)}
    hit = {t: sum(n for k, n in caps.items() if k[0] is t and k[2]) for t in (True, False)}
    if not total[True]:
        print(f"\n{name}: no data")
        return
    fired = hit[True] + hit[False]
    precision = hit[False] / fired if fired else float("nan")
    naive_fired = naive[True, True] + naive[False, True]
    print(f"\n{name}  ({sum(total.values()) / seconds:,.0f} claims/s)")
    print(f"  capped: {hit[True]}/{total[True]} supported (false alarms), "
          f"{hit[False]}/{total[False]} unsupported; precision {precision:.1%}")  # fmt: skip
    print(f"  naive rule: {naive[True, True]}/{total[True]} supported, "
          f"{naive[False, True]}/{total[False]} unsupported; precision "
          f"{naive[False, True] / max(naive_fired, 1):.1%}")  # fmt: skip
    for kind in TYPES:
        found, missed = caps[False, kind, True], caps[False, kind, False]
        if found + missed:
            print(f"    {kind:12} {found:4}/{found + missed}")
    for reason in sorted({r for r, _ in reasons}):
        print(f"    rule {reason!r}: {reasons[reason, False]} right, {reasons[reason, True]} wrong")
    print("    verdicts (supported / unsupported):", ", ".join(
        f"{v} {verdicts[v, True]}/{verdicts[v, False]}"
        for v in ("match", "compatible", "derived", "mismatch", "missing", "abstain")
    ))  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--verbose", action="store_true", help="list supported claims capped")
    args = parser.parse_args()
    for name, patterns in GROUPS.items():
        measure(name, contrastive(patterns), args.verbose)
    if RAG_CLAIMS.exists():
        measure("held out: zh_rag_claims", rag_claims(), args.verbose)
    else:
        print(f"\nzh_rag_claims: {RAG_CLAIMS} is not there")


if __name__ == "__main__":
    main()
