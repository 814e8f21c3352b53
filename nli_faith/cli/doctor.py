"""``nli-faith doctor``: is this installation sound?"""

from __future__ import annotations

import os
import platform
import sys
import time
from importlib import metadata

import click

from nli_faith._version import __version__

_PACKAGES = ("numpy", "onnxruntime", "tokenizers", "jieba", "opencc", "orjson", "click", "rich")
_OPTIONAL = ("pyarrow", "zstandard", "torch", "transformers")


@click.command()
@click.option("--model", default="bundled", show_default=True, help="Model to test.")
def doctor(model: str) -> None:
    """Print versions and providers, test a model, and give a line for a bug report.

    \b
    Example:
      nli-faith doctor
    """
    import onnxruntime

    from nli_faith.backends import load_backend
    from nli_faith.model_hub import verify

    click.echo(f"nli_faith    {__version__}")
    click.echo(f"python       {platform.python_version()} ({sys.executable})")
    click.echo(f"platform     {platform.platform()}, {os.cpu_count()} cores")
    for name in (*_PACKAGES, *_OPTIONAL):
        click.echo(f"{name:<12} {_version(name) or 'not installed (optional)'}")
    click.echo(f"providers    {', '.join(onnxruntime.get_available_providers())}")

    files = verify(model)
    click.echo(f"model        {model}: {len(files)} files match their sha256")
    start = time.perf_counter()
    backend = load_backend(model)
    test = backend.self_test()
    seconds = time.perf_counter() - start
    click.echo(f"self-test    {test.correct} of 3 plain pairs right ({seconds:.2f} s with loading)")
    click.echo(
        f"bug report   nli_faith={__version__} python={platform.python_version()} "
        f"os={platform.system()}-{platform.machine()} onnxruntime={_version('onnxruntime')} "
        f"tokenizers={_version('tokenizers')} model={backend.name}@{backend.sha256[:12]} "
        f"self_test={test.correct}/3"
    )
    if not test.correct:
        raise click.ClickException(
            f"the model {model!r} answers every plain pair of its self-test wrong"
        )


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
