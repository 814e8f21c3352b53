"""A quality engineer's evening on the golden set, from sampling to last week's comparison.

Runs every command as a user would, in a folder of its own, and checks each exit code: CI runs it.
The "judge" and the "person" answer from the golden set's own labels, and last week's answers are
tonight's with half of their planted defects mended.

    python scripts/quality_evening.py
    python scripts/quality_evening.py --out evening --mode fast
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from nli_faith.examples.golden import golden_bytes

METRICS = (
    "faithfulness,context_recall,context_precision,recall_at_k,coverage,completeness,"
    "answer_correctness,numeric_accuracy,answer_relevancy,robustness,readability"
)
PLANTED = "此外，该项服务已经通过国家级认证，用户还可以一次性领取5000元现金补贴。"
SEED = "7"


class Evening:
    """The steps, with one folder and one way to call the program."""

    def __init__(self, folder: Path, program: list[str], scoring: list[str]) -> None:
        self.folder = folder
        self.program = program
        self.scoring = scoring

    def path(self, name: str) -> str:
        """A file of this evening."""
        return str(self.folder / name)

    def run(self, *args: str, expect: tuple[int, ...] = (0,)) -> None:
        """One command; stops the evening when it ends otherwise than expected."""
        print(f"\n$ nli-faith {shlex.join(args)}", flush=True)
        started = time.perf_counter()
        code = subprocess.run([*self.program, *args], check=False).returncode
        seconds = time.perf_counter() - started
        print(f"  -> exit {code} after {seconds:.1f} s", flush=True)
        if code not in expect:
            sys.exit(f"quality_evening: expected exit {' or '.join(map(str, expect))}, got {code}")

    def write(self, name: str, rows: list[dict]) -> None:
        """Rows as JSON lines."""
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (self.folder / name).write_text(text, encoding="utf-8")

    def read(self, name: str) -> list[dict]:
        """Rows of JSON lines."""
        text = (self.folder / name).read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="keep the files here; a temporary folder if not")
    parser.add_argument("--mode", default="full", choices=["fast", "full"])
    parser.add_argument("--model", default="bundled")
    parser.add_argument("--threads", default=None)
    parser.add_argument("--program", default=f"{shlex.quote(sys.executable)} -m nli_faith")
    options = parser.parse_args()
    scoring = ["--mode", options.mode, "--model", options.model]
    if options.threads:
        scoring += ["--threads", options.threads]
    program = shlex.split(options.program)
    if options.out is not None:
        options.out.mkdir(parents=True, exist_ok=False)
        evening(Evening(options.out, program, scoring))
        return
    with tempfile.TemporaryDirectory(prefix="nli-faith-evening-") as folder:
        evening(Evening(Path(folder), program, scoring))


def evening(e: Evening) -> None:
    prepare(e)
    p = e.path
    # 1. Sample both weeks: the same records, for a sample goes by the hash of the id.
    for week in ("tonight", "last_week"):
        e.run("sample", p(f"{week}_logs.jsonl"), "-o", p(f"{week}.jsonl"), "--rate", "0.9",
              "--by", "meta.version", "--seed", SEED, "--redact")  # fmt: skip
    if [r["id"] for r in e.read("tonight.jsonl")] != [r["id"] for r in e.read("last_week.jsonl")]:
        sys.exit("quality_evening: the two samples hold different records")
    # 2. Score, evaluate and diagnose.
    for week in ("tonight", "last_week"):
        e.run("score", p(f"{week}.jsonl"), "-o", p(f"{week}_scored.jsonl"), *e.scoring)
    e.run("evaluate", p("tonight.jsonl"), "-o", p("evaluated.jsonl"), "--metrics", METRICS,
          "--by", "meta.version", "--summary", p("evaluated.json"), *e.scoring)  # fmt: skip
    e.run("diagnose", p("evaluated.jsonl"), "--records", p("tonight.jsonl"),
          "-o", p("findings.jsonl"), "--lang", "zh")  # fmt: skip
    # 3. Calibrate on the labelled answers, sort into bands, bring the verdicts back.
    e.run("calibrate", p("tonight_logs.jsonl"), "--label-field", "faithful",
          "-o", p("profile.json"), *e.scoring)  # fmt: skip
    e.run("triage", p("tonight_scored.jsonl"), "--out", p("queues"), "--profile",
          p("profile.json"), "--records", p("tonight.jsonl"))  # fmt: skip
    verdicts(e)
    e.run("triage-merge", p("queues"), p("verdicts.jsonl"), "-o", p("merged.jsonl"))
    # 4. The gate: green against its own limits, red when a hallucination is planted.
    gate(e)
    # 5. Register both weeks and compare.
    db = ["--db", p("runs.sqlite")]
    e.run("runs", "add", p("last_week_scored.jsonl"), "--name", "last-week", "--at", "2024-05-06",
          "--group", "meta.version", *db)  # fmt: skip
    e.run("runs", "add", p("tonight_scored.jsonl"), "--name", "tonight", "--at", "2024-05-13",
          "--group", "meta.version", *db)  # fmt: skip
    e.run("runs", "compare", "last-week", "tonight", "-o", p("diffs.jsonl"), *db)
    e.run("runs", "trend", "--by", "week", *db)
    print("\nquality_evening: all steps done")


def prepare(e: Evening) -> None:
    """Tonight's logs are the golden set; last week half of the defects were not there yet."""
    rows = [json.loads(line) for line in golden_bytes().decode("utf-8").splitlines()]
    e.write("tonight_logs.jsonl", rows)
    mended, defect = [], 0
    for row in rows:
        if not row["meta"]["faithful"]:
            defect += 1
            if defect % 2:
                row = {**row, "answer": row["reference"]}
        mended.append(row)
    e.write("last_week_logs.jsonl", mended)


def verdicts(e: Evening) -> None:
    """A verdict on every claim that was sent out, from the golden labels."""
    faithful = {r["id"]: r["meta"]["faithful"] for r in e.read("tonight_logs.jsonl")}
    found = []
    for rater in ("judge", "human"):
        for row in e.read(f"queues/{rater}.jsonl"):
            word = "supported" if faithful[row["id"]] else "unsupported"
            for claim in row["triage"]["claims"]:
                found.append(
                    {
                        "key": row["triage"]["key"],
                        "n": claim["claim"] + 1,
                        "verdict": word,
                        "rater": rater,
                    }
                )
    e.write("verdicts.jsonl", found)


def gate(e: Evening) -> None:
    p = e.path
    reports = ["--junit", p("gate.xml"), "--markdown", p("gate.md")]
    e.run("gate", p("tonight_scored.jsonl"), "--min", "faithfulness=0.5", "--max-drop",
          "faithfulness=0.3", "--baseline", p("last_week_scored.jsonl"), *reports)  # fmt: skip
    rows = e.read("tonight.jsonl")
    for row in rows:
        if row["meta"]["planted"] == "none":
            row["answer"] += PLANTED
    e.write("planted.jsonl", rows)
    e.run("score", p("planted.jsonl"), "-o", p("planted_scored.jsonl"), *e.scoring)
    e.run("gate", p("planted_scored.jsonl"), "--max-drop", "faithfulness=0.03", "--baseline",
          p("tonight_scored.jsonl"), "--junit", p("gate_planted.xml"), expect=(1,))  # fmt: skip


if __name__ == "__main__":
    main()
