"""``nli-faith rephrase``: the same questions asked another way, and their answers put back."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from nli_faith.errors import OutputPathError, RecordError

if TYPE_CHECKING:
    from nli_faith.io import Reject
    from nli_faith.rephrasing import Joined

EXIT_REJECTED = 3


@click.command()
@click.argument("source", metavar="IN")
@click.option(
    "--output", "-o", default="-", show_default=True, metavar="OUT", help="JSONL; - for stdout."
)
@click.option(
    "--per-question",
    type=click.IntRange(1, 100),
    default=3,
    show_default=True,
    metavar="N",
    help="Variants of each question, at most.",
)
@click.option(
    "--synonyms",
    metavar="FILE",
    help="Your synonyms besides those that ship: .csv (a group a line), .json or .toml.",
)
@click.option("--rules", metavar="A,B", help="Only these rules; see below.")
@click.option("--seed", type=int, default=0, show_default=True, help="Other choices by chance.")
@click.option("--column", metavar="NAME", help="The question's column, if it is not recognised.")
@click.option(
    "--join",
    "answers",
    metavar="ANSWERS",
    help="Put answered variants back: IN are the records, OUT gets them with `variants`.",
)
@click.option("--overwrite", is_flag=True, help="Replace OUT when the run is done.")
def rephrase(source: str, output: str, per_question: int, synonyms: str | None, rules: str | None,
             seed: int, column: str | None, answers: str | None,
             overwrite: bool) -> None:  # fmt: skip
    """Write rephrased questions to send through your RAG, or join their answers to the records.

    IN needs questions only (JSONL, .csv, .tsv, or .txt with one a line). Each line of OUT has id,
    variant_of, question and rules; numbers keep their values, and no variant equals its question.
    Send them through your RAG, add answer and contexts to each line, and join the result; then
    `robustness` compares the answers.

    \b
    Examples:
      nli-faith rephrase golden.jsonl -o variants.jsonl --per-question 5
      nli-faith rephrase questions.txt -o variants.jsonl --synonyms ours.csv --seed 7
      nli-faith rephrase golden.jsonl --join answered.jsonl -o records.jsonl

    \b
    Rules: synonym, quarter (第三季度 Q3), numeral (2023年 二〇二三年), time_order, voice (active,
    passive), question_word (何时 什么时候), contraction, politeness (请问), width (full, half)

    \b
    Exit codes: 0 done · 2 usage, input unusable · 3 done, some rows rejected
    """
    _refuse_same(source, output, answers, synonyms)
    if answers is not None:
        made = [n for n in ("per_question", "synonyms", "rules", "seed", "column") if _given(n)]
        if made:
            raise click.UsageError(f"--{made[0].replace('_', '-')} is for making variants, "
                                   "not for --join")  # fmt: skip
        sys.exit(_join(source, answers, output, overwrite))
    sys.exit(_make(source, output, per_question, synonyms, rules, seed, column, overwrite))


def _given(name: str) -> bool:
    context = click.get_current_context()
    return context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


def _make(source: str, output: str, count: int, synonyms: str | None, rules: str | None,
          seed: int, column: str | None, overwrite: bool) -> int:  # fmt: skip
    from nli_faith.io import ResultWriter
    from nli_faith.lexicon import load_lexicon
    from nli_faith.rephrasing import Rephraser, read_questions, variant_rows

    names = [n.strip() for n in rules.split(",") if n.strip()] if rules is not None else None
    rephraser = Rephraser(
        lexicon=load_lexicon(synonyms) if synonyms else None, rules=names, seed=seed
    )
    rejected: list[RecordError] = []

    def reject(error: RecordError) -> None:
        rejected.append(error)
        click.echo(f"nli-faith: rejected: {error}", err=True)

    groups = variant_rows(
        read_questions(source, column=column, on_reject=reject), rephraser, count=count
    )
    first = list(itertools.islice(groups, 1))  # a bad input says so before OUT is touched
    asked = bare = 0
    with ResultWriter(output, overwrite=overwrite) as writer:
        for rows in itertools.chain(first, groups):
            asked += 1
            bare += not rows
            for row in rows:
                writer.write(row)
        written = writer.rows
    note = f"; no rule reaches {bare} of them" if bare else ""
    click.echo(f"nli-faith: {written} variants of {asked} questions{note}", err=True)
    return EXIT_REJECTED if rejected else 0


def _join(source: str, answers: str, output: str, overwrite: bool) -> int:
    from nli_faith.io import ResultWriter, read_records
    from nli_faith.rephrasing import join_variants

    rejected: list[Any] = []

    def reject(problem: Reject | RecordError) -> None:
        rejected.append(problem)
        error = problem if isinstance(problem, RecordError) else problem.error()
        click.echo(f"nli-faith: rejected: {error}", err=True)

    joined = _answers(answers, reject)
    rows: Iterator[dict[str, Any]] = join_variants(read_records(source, on_reject=reject), joined)
    first = list(itertools.islice(rows, 1))
    with ResultWriter(output, overwrite=overwrite) as writer:
        for row in itertools.chain(first, rows):
            writer.write(row)
        written = writer.rows
    total = sum(map(len, joined.by_record.values()))
    click.echo(
        f"nli-faith: {total} answered variants for {len(joined.used)} of {written} records",
        err=True,
    )
    lost = joined.unused()
    if lost:
        shown = ", ".join(map(repr, lost[:5])) + (", …" if len(lost) > 5 else "")
        click.echo(f"nli-faith: no record has the id {shown} of field 'variant_of'", err=True)
    return EXIT_REJECTED if rejected or lost else 0


def _answers(path: str, reject: Any) -> Joined:
    from nli_faith.io import read_records
    from nli_faith.rephrasing import Joined

    joined = Joined()
    for record in read_records(path, on_reject=reject):
        try:
            joined.add(record)
        except RecordError as error:
            reject(error)
    return joined


def _refuse_same(source: str, output: str, *others: str | None) -> None:
    """Refuse an output that is one of the inputs.

    Raises:
        OutputPathError: It is.
    """
    if output == "-":
        return
    for path in (source, *others):
        if path is not None and path != "-" and os.path.realpath(path) == os.path.realpath(output):
            raise OutputPathError(f"{output}: is both an input and the output file")
