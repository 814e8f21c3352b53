"""Options that say what a command reads: one answer, or a file of records."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from nli_faith.cli.decorate import F, decorate
from nli_faith.errors import InputEncodingError, InputError


def material_options(command: F) -> F:
    """Contexts and question of one answer, as options."""
    return decorate(
        command,
        click.option("--context", "-c", "contexts", multiple=True,
                     help="A retrieved chunk; repeat it."),
        click.option("--context-file", "context_files", metavar="PATH", multiple=True,
                     help="Read a chunk from a file; repeat it."),
        click.option("--question", "-q", help="The question, if known."),
    )  # fmt: skip


def answer_options(command: F) -> F:
    """One answer with its material, as options."""
    return decorate(
        command,
        click.option("--answer", "-a", help="The answer."),
        click.option("--answer-file", metavar="PATH",
                     help="Read the answer from a file; - for stdin."),
        material_options,
    )  # fmt: skip


def read_chunks(contexts: Sequence[str], files: Sequence[str]) -> list[str]:
    """Contexts given on the command line, then those read from files.

    Raises:
        InputError: A file cannot be read.
        InputEncodingError: It is not UTF-8.
    """
    return [*contexts, *(read_text(None, path) for path in files)]


def read_text(text: str | None, file: str | None) -> str:
    """A command's text: its argument, a file, or stdin.

    Args:
        text: The argument; ``-`` or None means stdin when there is no file.
        file: Path of a UTF-8 file.

    Raises:
        InputError: The file cannot be read.
        InputEncodingError: It is not UTF-8.
    """
    if file is not None:
        name = file
        try:
            data = Path(file).read_bytes()
        except OSError as error:
            raise InputError(f"{file}: {error.strerror or error}") from error
    elif text is not None and text != "-":
        return text
    else:
        name, data = "stdin", sys.stdin.buffer.read()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputEncodingError(f"{name}: not UTF-8 (byte {error.start})") from error


def reading_options(command: F) -> F:
    """How an input of records is read, as options."""
    return decorate(
        command,
        click.option(
            "--map",
            "mapping",
            multiple=True,
            metavar="FIELD=COLUMN",
            help="Where a field is, e.g. --map answer=reply; repeat it.",
        ),
        click.option(
            "--format",
            "fmt",
            type=click.Choice(["jsonl", "json", "csv", "tsv", "parquet"]),
            help="Format of IN; by suffix or content by default.",
        ),
        click.option("--encoding", default="utf-8", show_default=True, help="Encoding of IN."),
    )
