"""``nli-faith explain``: one answer, claim by claim."""

from __future__ import annotations

import itertools
import sys
from typing import Any

import click

from nli_faith.cli.inputs import material_options, read_chunks, read_text
from nli_faith.cli.options import lang_option, scoring_options
from nli_faith.cli.render import console, render_result
from nli_faith.datamodels import Record
from nli_faith.errors import RecordError


@click.command()
@click.argument("records", required=False)
@click.option("--id", "record_id", help="Explain this record of RECORDS; the first by default.")
@click.option("--answer", "-a", help="The answer.")
@click.option("--answer-file", metavar="PATH", help="Read the answer from a file.")
@material_options
@scoring_options
@lang_option
@click.option("--json", "as_json", is_flag=True, help="The result as one JSON object.")
def explain(
    records: str | None,
    record_id: str | None,
    answer: str | None,
    answer_file: str | None,
    contexts: tuple[str, ...],
    context_files: tuple[str, ...],
    question: str | None,
    lang: str,
    as_json: bool,
    model: str,
    threads: int | None,
    **options: Any,
) -> None:
    """Show one answer's claims, each with its verdict and evidence.

    RECORDS is a file of records, or - for stdin; without it the answer and its contexts come
    from the options.

    \b
    Examples:
      nli-faith explain --answer "保修期为三年。" --context "整机保修两年。"
      nli-faith explain --answer-file answer.md --context-file policy.md --lang zh
      nli-faith explain records.jsonl --id q-17
      echo '{"answer": "保修三年。", "contexts": ["保修两年。"]}' | nli-faith explain -
    """
    from nli_faith.scorer import FaithfulnessScorer

    if answer is not None or answer_file is not None:
        if records is not None:
            raise click.UsageError("give either RECORDS or an answer, not both")
        chunks = read_chunks(contexts, context_files)
        record = Record(
            id="answer",
            answer=read_text(answer, answer_file) if answer_file else str(answer),
            contexts=tuple(c for c in chunks if c.strip()),
            question=question,
        )
    else:
        record = _from_file(records, record_id)
    scorer = FaithfulnessScorer.from_pretrained(model, threads=threads, **options)
    result = scorer.score(record)
    if as_json:
        from nli_faith.io import dumps

        click.echo(dumps(result.to_dict()))
    else:
        console().print(render_result(result, lang, record.question))


def _from_file(records: str | None, record_id: str | None) -> Record:
    from nli_faith.io import read_records

    if records is None:
        if sys.stdin.isatty():
            raise click.UsageError("give --answer and --context, or a file of records, or -")
        records = "-"
    rows = read_records(records)
    if record_id is not None:
        rows = (r for r in rows if r.id == record_id)
    record = next(itertools.islice(rows, 1), None)
    if record is None:
        raise RecordError(f"no record with id {record_id!r}", source=records)
    return record
