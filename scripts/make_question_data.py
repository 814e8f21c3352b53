"""Make contrastive claims from question-answer sets: each answer put into its question.

python scripts/make_question_data.py ../shared/data/train/zh_qa_*.jsonl -o OUT.jsonl
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from nli_faith.training.evalsets import read_rows
from nli_faith.training.overlap import index_of
from nli_faith.training.perturb.qa import QuestionClaims, group


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", type=Path, nargs="+")
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--dev", type=Path, default=None, help="folder of held-out sets")
    args = parser.parse_args()
    dev = index_of(sorted((args.dev or args.sets[0].parent.parent / "dev").glob("*.jsonl")))
    claims, kinds, overlapping = QuestionClaims(args.seed), Counter[str](), 0
    with args.out.open("w", encoding="utf-8") as file:
        for path in args.sets:
            for n, rows in enumerate(group(read_rows(path))):
                if dev.matches(rows[0]["contexts"]):
                    overlapping += 1
                    continue
                made = claims.document(rows, f"{path.stem}-{n}")
                if made is not None:
                    kinds.update(p["type"] for p in made["pairs"])
                    file.write(json.dumps(made, ensure_ascii=False) + "\n")
    print(
        f"pairs {sum(kinds.values())}; left out, as they share text with a dev set: {overlapping}"
    )
    for kind, count in sorted(kinds.items()):
        print(f"{count:7d} {kind}")


if __name__ == "__main__":
    main()
