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
        click.echo(json.dumps([s.to_dict() for s in specs], ensure_ascii=False))
        return
    table = Table("name", "available", "size", "licence", "description", box=None,
                  header_style="dim")  # fmt: skip
    for s in specs:
        size = f"{s.size / 1e6:.0f} MB" if s.size else ""
        table.add_row(s.name, "yes" if s.available else "no", size, s.licence, s.description)
    console().print(table)


@models.command()
@click.argument("name", default="bundled")
def show(name: str) -> None:
    """Show a model's manifest: labels, thresholds, hashes, training data.

    \b
    Example:
      nli-faith models show bundled
    """
    from nli_faith.model_hub import load_manifest, resolve

    path = resolve(name)
    manifest = load_manifest(path)
    click.echo(json.dumps(manifest.to_dict(), ensure_ascii=False, indent=2))


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
        click.echo(f"ok  {file}")
