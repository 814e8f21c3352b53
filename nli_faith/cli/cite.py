"""``nli-faith cite``: citation markers, put in and checked."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from nli_faith.cli.inputs import answer_options, read_chunks, read_text, reading_options
from nli_faith.cli.options import scoring_options
from nli_faith.cli.privacy import masked_reject, redact_option

if TYPE_CHECKING:
    from nli_faith.citations import Cited
    from nli_faith.datamodels import Record
    from nli_faith.io import Reject
    from nli_faith.results import FaithfulnessResult
    from nli_faith.scorer import FaithfulnessScorer

EXIT_FAILED_CHECK = 1
EXIT_REJECTED = 3
KINDS = ("right", "wrong", "unknown", "unconfirmed", "missing")


@click.command()
@click.argument("records", required=False)
@answer_options
@click.option("--style", type=click.Choice(["[n]", "【n】", "footnote", "html"]), default="[n]",
              show_default=True, help="How markers look.")  # fmt: skip
@click.option("--existing", type=click.Choice(["fix", "keep"]), default="fix", show_default=True,
              help="The answer's own markers: fix takes wrong ones out and adds missing ones; "
              "keep only adds.")  # fmt: skip
@click.option("--position", type=click.Choice(["auto", "before", "after"]), default="auto",
              show_default=True, help="Side of the closing stop; auto by language.")  # fmt: skip
@click.option("--scope", type=click.Choice(["sentence", "paragraph"]), default="sentence",
              show_default=True, help="paragraph: a sentence without markers shares those of the "
              "next one on its line.")  # fmt: skip
@click.option("--first", type=click.IntRange(0), default=1, show_default=True,
              help="Number of the first context.")  # fmt: skip
@click.option("--verify/--no-verify", default=True,
              help="Score against the cited contexts alone; without it only the evidence found "
              "counts, and markers of other contexts stay unconfirmed.")  # fmt: skip
@click.option("--fail-on", type=click.Choice(["wrong", "missing"]), multiple=True,
              help="Exit with 1 when the answer has markers with this fault.")  # fmt: skip
@click.option("--output", "-o", default="-", metavar="OUT", help="For RECORDS: JSON lines.")
@click.option("--overwrite", is_flag=True, help="Replace OUT.")
@click.option("--json", "as_json", is_flag=True, help="Text, markers and check as JSON.")
@redact_option
@reading_options
@scoring_options
def cite(records: str | None, answer: str | None, answer_file: str | None,
         contexts: tuple[str, ...], context_files: tuple[str, ...], question: str | None,
         fail_on: tuple[str, ...], output: str, overwrite: bool, as_json: bool,
         mapping: tuple[str, ...], fmt: str | None, encoding: str, model: str,
         threads: int | None, first: int, verify: bool, style: str, existing: str,
         position: str, scope: str, redact: bool, **options: Any) -> None:  # fmt: skip
    """Put citation markers behind supported claims, and check those that the answer has.

    The text goes to stdout, what was found to stderr. RECORDS is a file of records, or - for
    stdin; it gives one JSON line a record, with the text, the markers and the check. Without it
    the answer comes from the options.

    \b
    Examples:
      nli-faith cite -a "整机保修两年。" -c "整机保修期限为两年。"
      nli-faith cite --answer-file answer.md --context-file policy.md --style footnote
      nli-faith cite records.jsonl -o cited.jsonl --fail-on wrong

    \b
    Exit codes: 0 done · 1 a fault named by --fail-on · 2 usage · 3 some rows of RECORDS rejected
    """
    from nli_faith.scorer import FaithfulnessScorer

    if sum((records is not None, answer is not None, answer_file is not None)) != 1:
        raise click.UsageError("give one of RECORDS, --answer and --answer-file")
    scorer = FaithfulnessScorer.from_pretrained(model, threads=threads, **options)
    look = {"style": style, "existing": existing, "position": position, "scope": scope}
    job = _Job(scorer, first, verify, look, redact)
    if records is not None:
        code = _records(
            records, output, overwrite, {"mapping": mapping, "fmt": fmt, "encoding": encoding}, job
        )
    else:
        text = read_text(answer, None if answer_file in (None, "-") else answer_file)
        chunks = read_chunks(contexts, context_files)
        code = _one(text, chunks, question, job, as_json)
    faults = {"wrong": job.counts["wrong"] + job.counts["unknown"],
              "missing": job.counts["missing"]}  # fmt: skip
    sys.exit(code or (EXIT_FAILED_CHECK if any(faults[f] for f in fail_on) else 0))


class _Job:
    """Cites one record after the other and counts what it finds."""

    def __init__(
        self,
        scorer: FaithfulnessScorer,
        first: int,
        verify: bool,
        look: dict[str, Any],
        redact: bool,
    ) -> None:
        self.scorer, self.verify, self._first, self._look = scorer, verify, first, look
        self.redact = redact
        self.counts = dict.fromkeys(KINDS, 0)

    def cite(self, record: Record, result: FaithfulnessResult) -> Cited:
        """The record's answer with markers."""
        from nli_faith.citations import cite as run

        numbers = range(self._first, self._first + len(record.contexts))
        cited = run(result, record, scorer=self.scorer if self.verify else None, numbers=numbers,
                    **self._look)  # fmt: skip
        for kind, n in cited.check.counts().items():
            self.counts[kind] += n
        return cited

    def shown(self) -> str:
        """The counts in one line."""
        return ", ".join(f"{kind} {n}" for kind, n in self.counts.items())

    def text(self, text: str) -> str:
        """A text as it may be shown."""
        from nli_faith.redaction import redact

        return redact(text) if self.redact else text

    def row(self, cited: Cited, result: FaithfulnessResult) -> dict[str, Any]:
        """A line of OUT; under ``--redact`` only ids keep what is private."""
        from nli_faith.redaction import redact_row

        mask: Callable[[dict[str, Any]], Any] = redact_row if self.redact else dict
        found = {"id": result.id, "status": result.status.value, **cited.to_dict()}
        return {**mask(found), "result": mask(result.to_dict())}


def _one(text: str, chunks: list[str], question: str | None, job: _Job, as_json: bool) -> int:
    from nli_faith.datamodels import Record
    from nli_faith.io import dumps

    record = Record("0", text, tuple(c for c in chunks if c.strip()), question)
    result = job.scorer.score(record)
    cited = job.cite(record, result)
    if as_json:
        click.echo(dumps(job.row(cited, result)))
        return 0
    click.echo(job.text(cited.text))
    if result.error or result.status.value != "scored":
        click.echo(f"nli-faith: not scored: {result.error or result.status}", err=True)
        return 0
    click.echo(f"nli-faith: markers of the answer: {job.shown()}", err=True)
    for marker in cited.check.markers:
        claim = " ".join(job.text(result.claims[marker.claim].text).split())
        click.echo(f"  {marker.verdict}: {marker.marker.text} ({marker.number}): {claim}", err=True)
    return 0


def _records(path: str, output: str, overwrite: bool, reading: dict[str, Any], job: _Job) -> int:
    from nli_faith.io import ResultWriter, parse_mapping, read_records

    rejected: list[Reject] = []
    rows = read_records(
        path, mapping=parse_mapping(reading["mapping"]), format=reading["fmt"],
        encoding=reading["encoding"], on_reject=rejected.append,
    )  # fmt: skip
    waiting: list[Record] = []

    def noted() -> Iterator[Record]:
        for record in rows:
            waiting.append(record)
            yield record

    answers = 0
    with ResultWriter(output, overwrite=overwrite, format="jsonl") as writer:
        for result in job.scorer.score_records(noted()):
            writer.write(job.row(job.cite(waiting.pop(0), result), result))
            answers += 1
    click.echo(f"nli-faith: {answers} answers; their own markers: {job.shown()}", err=True)
    for reject in rejected[:20]:
        shown = masked_reject(reject) if job.redact else reject
        click.echo(f"nli-faith: rejected: {shown.error()}", err=True)
    return EXIT_REJECTED if rejected else 0
