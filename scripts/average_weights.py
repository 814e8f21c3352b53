"""Average the final weights of training stages: a mean of one run's stages generalises better.

    python scripts/average_weights.py CHECKPOINTS/mean fine=0.4 questions=0.2 broad=0.2 claims=0.2

Stages are folders beside the output folder (Wortsman et al. 2022, "Model soups").
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from safetensors.numpy import load_file, save_file


def average(out: Path, shares: dict[str, float]) -> None:
    """Writes the weighted mean of stages that lie beside ``out``.

    Args:
        out: Directory to write; the first stage's other files are copied.
        shares: Stage to weight; they must add up to 1.

    Raises:
        SystemExit: They do not, or a stage is missing.
    """
    if abs(sum(shares.values()) - 1.0) > 1e-9:
        raise SystemExit(f"weights add up to {sum(shares.values())}, not to 1")
    total = None
    for stage, share in shares.items():
        path = out.parent / stage / "final" / "model.safetensors"
        if not path.is_file():
            raise SystemExit(f"there is no {path}")
        weights = {name: value * share for name, value in load_file(path).items()}
        total = weights if total is None else {n: total[n] + v for n, v in weights.items()}
    first = next(iter(shares))
    shutil.copytree(out.parent / first / "final", out, dirs_exist_ok=True)
    save_file(total, out / "model.safetensors", metadata={"format": "pt"})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("stages", nargs="+", metavar="STAGE=SHARE")
    args = parser.parse_args()
    pairs = [text.partition("=") for text in args.stages]
    average(args.out, {stage: float(share) for stage, _, share in pairs})
    print(f"{args.out}: mean of {', '.join(args.stages)}")


if __name__ == "__main__":
    main()
