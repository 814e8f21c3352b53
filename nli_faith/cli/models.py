"""``nli-faith models``: what can be loaded, and whether it is intact."""

from __future__ import annotations

import json

import click
from rich.table import Table

from nli_faith.cli.options import class_map
from nli_faith.cli.render import console


@click.group()
def models() -> None:
    """List, show and verify models."""


@models.command("list")
@click.option("--json", "as_json", is_flag=True, help="A list of objects.")
def list_(as_json: bool) -> None:
    """List the models that are known.

    \b
    Example:
      nli-faith models list
    """
    from nli_faith.model_hub import list_models

    specs = list_models()
    if as_json:
        rows = [
            {"name": s.name, "path": str(s.path), "size": s.size, "version": s.manifest.version,
             "precision": s.manifest.precision, "sha256": s.manifest.sha256}
            for s in specs
        ]  # fmt: skip
        click.echo(json.dumps(rows, ensure_ascii=False))
        return
    table = Table("name", "version", "precision", "size", "description", box=None,
                  header_style="dim")  # fmt: skip
    for s in specs:
        m = s.manifest
        table.add_row(s.name, m.version, m.precision, f"{s.size / 1e6:.0f} MB", m.description)
    console().print(table)


@models.command()
@click.argument("name", default="bundled")
def show(name: str) -> None:
    """Show a model's manifest: labels, thresholds, hashes, training data.

    \b
    Example:
      nli-faith models show bundled
    """
    from nli_faith.manifest import MANIFEST, load_manifest, read_json
    from nli_faith.model_hub import resolve

    path = resolve(name)
    load_manifest(path)  # checks it
    click.echo(json.dumps(read_json(path / MANIFEST), ensure_ascii=False, indent=2))


@models.command()
@click.argument("name", default="bundled")
def verify(name: str) -> None:
    """Compare a model's files with the sha256 in its manifest.

    \b
    Example:
      nli-faith models verify bundled
    """
    from nli_faith.model_hub import verify as verify_model

    for file in verify_model(name):
        click.echo(f"ok  {file.name}  {file.actual}")


@models.command()
@click.argument("source")
@click.option("-o", "--out", required=True, type=click.Path(), help="Directory to write.")
@click.option("--precision", type=click.Choice(("fp32", "int8", "fp16", "bf16")), default="fp32",
              show_default=True, help="fp16 and bf16 are for torch, and refused here.")  # fmt: skip
@click.option("--opset", type=int, default=17, show_default=True,
              help="ONNX opset of the graph, 17 to 21.")  # fmt: skip
@click.option("--class-map", multiple=True, metavar="COLUMN=CLASS", callback=class_map,
              help="Names a column of a model that does not; see score --help.")  # fmt: skip
@click.option("--revision", help="Branch, tag or commit of a hub id.")
@click.option("--verify", "check", is_flag=True, help="Compare with transformers (extra torch).")
@click.option("--overwrite", is_flag=True, help="Replace an existing directory.")
def export(
    source: str,
    out: str,
    precision: str,
    opset: int,
    class_map: dict[object, object] | None,
    revision: str | None,
    check: bool,
    overwrite: bool,
) -> None:
    """Export a Hugging Face classifier to a directory that --model takes.

    SOURCE is a directory or a hub id. What is in the local cache makes no network call; a
    download goes to HF_ENDPOINT, where it is set.

    \b
    Examples:
      nli-faith models export ./my-nli -o ./my-nli-onnx --precision int8 --verify
      nli-faith models export MoritzLaurer/mDeBERTa-v3-base-xnli-multilingual-nli-2mil7 -o mdeberta
      HF_ENDPOINT=https://hf-mirror.com nli-faith models export ORG/NAME -o DIR
    """
    from pathlib import Path

    from nli_faith.export.model import check_precision, export_model
    from nli_faith.model_hub import fetch

    check_precision(precision)
    path, commit = fetch(source, revision=revision)
    manifest = export_model(
        path, Path(out), precision=precision, name=source.rstrip("/").split("/")[-1],
        revision=commit, class_map=class_map, opset=opset, verify=check, overwrite=overwrite,
    )  # fmt: skip
    size = manifest.files["model.onnx"].size / 1e6
    click.echo(f"{out}: {manifest.name}, {manifest.architecture}, {precision}, {size:.1f} MB")
    click.echo(f"columns: {', '.join(manifest.labels)}")
    found = manifest.parity.get("transformers")
    if found:
        click.echo(
            f"against transformers on {found['pairs']} random pairs: largest difference of a logit "
            f"{found['max_difference']:.2g}, cosine {found['cosine']:.6f}, "
            f"same label {found['equal_labels']:.1%}"
        )
    click.echo("thresholds are 0.5 until `nli-faith calibrate` has chosen some")
