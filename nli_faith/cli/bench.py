"""``nli-faith bench``: how fast a model is here, beside what the machine can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from rich.table import Table

from nli_faith.cli.options import class_map
from nli_faith.cli.render import console
from nli_faith.errors import ConfigError

if TYPE_CHECKING:
    from nli_faith.backends.bench import Row


def _numbers(context: click.Context, parameter: click.Parameter, text: str | None) -> Any:
    if text is None:
        return None
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        raise click.BadParameter(f"whole numbers with commas, not {text!r}") from None
    if min(numbers) < 1:
        raise click.BadParameter(f"numbers of at least 1, not {text!r}")
    return numbers


@click.command()
@click.option("--model", "models", multiple=True, metavar="NAME|DIR",
              help="Model; repeat it to compare. The bundled one by default.")  # fmt: skip
@click.option("--backend", type=click.Choice(["auto", "onnx", "torch"]), default="auto",
              show_default=True, help="What runs it.")  # fmt: skip
@click.option("--device", default="cpu", show_default=True, metavar="DEVICE", help="Where.")
@click.option("--precision", type=click.Choice(["auto", "fp32", "bf16", "fp16"]), default="auto",
              show_default=True, help="For torch alone.")  # fmt: skip
@click.option("--class-map", multiple=True, metavar="COLUMN=CLASS", callback=class_map,
              help="What the model's columns are, as for score.")  # fmt: skip
@click.option("--lengths", default="16,32,64,128,256,512", show_default=True, callback=_numbers,
              metavar="N,N", help="Tokens of a pair.")  # fmt: skip
@click.option("--threads", callback=_numbers, metavar="N,N", help="All cores by default.")
@click.option("--batch-tokens", default="2048", show_default=True, callback=_numbers,
              metavar="N,N", help="Padded tokens in one call.")  # fmt: skip
@click.option("--seconds", type=click.FloatRange(0, min_open=True), default=1.0, show_default=True,
              help="About how long each row is measured.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Everything as one JSON object.")
def bench(models: tuple[str, ...], lengths: list[int], batch_tokens: list[int],
          threads: list[int] | None, seconds: float, as_json: bool,
          **options: Any) -> None:  # fmt: skip
    """Measure pairs a second by length, and which share of a bare matrix product that is.

    The ceiling is one large product (1024 x 768 x 3072) in ONNX Runtime on the same threads: in
    int8 for int8 models, in fp32 for all others. On a GPU there is no ceiling.

    \b
    Examples:
      nli-faith bench
      nli-faith bench --threads 1,2 --batch-tokens 512,2048 --lengths 64,128
      nli-faith bench --model bundled --model exports/mdeberta-int8 --json > bench.json
    """
    reports = []
    for model in models or ("bundled",):
        found = _one(model, lengths, batch_tokens, threads or [None], seconds, options)
        reports.append(found[0])
        if not as_json:
            _show(found[0], found[1])
    if as_json:
        from nli_faith.io import dumps

        click.echo(dumps({"models": reports}))


def _one(
    model: str,
    lengths: list[int],
    batch_tokens: list[int],
    threads: list[int] | list[None],
    seconds: float,
    options: dict[str, Any],
) -> tuple[dict[str, Any], list[Row]]:
    from nli_faith.backends import bench as run
    from nli_faith.backends import load_backend
    from nli_faith.model_hub import resolve

    config = run.read_config(resolve(model, weights="any"))
    rows: list[Row] = []
    ceilings: dict[int, float | None] = {}
    label_map = options["class_map"]
    rest = {k: v for k, v in options.items() if k != "class_map"}
    for count in threads:
        backend = load_backend(model, threads=count, label_map=label_map, **rest)
        if min(lengths) > backend.max_length:
            raise ConfigError(f"{model} takes {backend.max_length} tokens, not {min(lengths)}")
        on_cpu = backend.provider in ("onnxruntime/CPUExecutionProvider", "torch/cpu")
        kind = "int8" if backend.precision == "int8" else "fp32"
        ceiling = run.gemm_gflops(kind, backend.threads, seconds) if on_cpu else None
        ceilings[backend.threads] = ceiling
        rows += run.measure(
            backend, lengths, batch_tokens, ceiling=ceiling, config=config, seconds=seconds
        )
    return run.report(backend, rows, ceilings), rows


def _show(report: dict[str, Any], rows: list[Row]) -> None:
    out = console()
    out.print(f"{report['model']}  {report['precision']}  {report['provider']}", style="bold")
    for threads, ceiling in report["gemm"]["gflops_by_threads"].items():
        said = "no ceiling measured" if ceiling is None else f"{ceiling:.0f} GFLOP/s"
        out.print(f"bare matrix product, {threads} threads: {said}", style="dim")
    table = Table("threads", "batch tokens", "tokens", "batch", "pairs/s", "GFLOP/s", "of ceiling",
                  box=None, header_style="dim")  # fmt: skip
    for row in rows:
        table.add_row(
            str(row.threads), str(row.batch_tokens), str(row.length), str(row.batch),
            f"{row.pairs_per_s:.1f}",
            "—" if row.gflops is None else f"{row.gflops:.0f}",
            "—" if row.share is None else f"{row.share:.0%}",
        )  # fmt: skip
    out.print(table)
