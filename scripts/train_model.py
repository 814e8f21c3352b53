"""Run or resume a training stage.

python scripts/train_model.py models/training/claims.json -o CHECKPOINTS [--device cpu|cuda]
"""

from __future__ import annotations

import argparse
from pathlib import Path

from nli_faith.training.config import load_config, without_sources
from nli_faith.training.data import load_examples


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("config", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--exclude", nargs="*", default=[], metavar="SET",
                        help="leave sources out, such as zh_ocnli_10k")  # fmt: skip
    args = parser.parse_args()
    import torch

    from nli_faith.training.loop import Trainer

    if args.threads:
        torch.set_num_threads(args.threads)
    config = without_sources(load_config(args.config), args.exclude)
    base = args.config.resolve().parent
    examples = load_examples(config, base)
    trainer = Trainer(config, base, args.out / config.name, device=args.device)
    print("weights:", trainer.run(examples, log=lambda line: print(line, flush=True)))


if __name__ == "__main__":
    main()
