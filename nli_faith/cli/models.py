"""``nli-faith models``: what can be loaded, and whether it is intact."""

from __future__ import annotations

import json

import click
from rich.table import Table

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
