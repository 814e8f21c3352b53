"""From answers to a report, and from the verdicts of two people to thresholds."""

import sys
from pathlib import Path

from nli_faith import FaithfulnessScorer, read_records
from nli_faith.calibration import calibrate
from nli_faith.examples.golden import golden_bytes
from nli_faith.io import ResultWriter
from nli_faith.report import build_report
from nli_faith.review import VerdictStore, export_verdicts, load_queue, overview

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
records = folder / "answers.jsonl"
records.write_bytes(golden_bytes())

scorer = FaithfulnessScorer.from_pretrained("bundled", mode="fast")
with ResultWriter(folder / "verdicts.jsonl") as out:
    for result in scorer.score_records(read_records(records)):
        out.write(result.to_dict())

made = build_report(folder / "verdicts.jsonl", folder / "answers.html", records=records)
print(f"report: {made.records} records, {made.joined} with their contexts")

# On the page a person presses a key. Here two "people" answer: one as the golden set says, one
# who believes everything.
queue = load_queue(folder / "verdicts.jsonl", records=records)
with VerdictStore(folder / "review.sqlite") as store:
    for place, number in queue.items:
        row = queue.rows[place]
        truth = "supported" if row.result.meta["faithful"] else "unsupported"
        for reviewer, verdict in (("lin", truth), ("wang", "supported")):
            uid = f"{row.key}/{number}/{reviewer}"
            store.add(uid=uid, record=row.key, n=number + 1, reviewer=reviewer, verdict=verdict)
    seen = overview(queue, store.current())
    print(f"kappa of the two: {seen.tables[0].kappa:.2f}, claims in dispute: {len(seen.disputed)}")
    done = export_verdicts(queue, store, folder / "reviewed.jsonl", reviewer="lin")
    print(f"exported: {done.claims} claims of {done.records} records")

found = calibrate(folder / "reviewed.jsonl", label_field="human")
print(f"support threshold from these labels: {found.profile.support:.2f}")
