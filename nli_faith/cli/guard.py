"""``nli-faith guard``: what may be shown of an answer."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from nli_faith.cli.inputs import answer_options, read_chunks, read_text
from nli_faith.cli.options import scoring_options
from nli_faith.cli.privacy import masked_reject, redact_option

if TYPE_CHECKING:
    from nli_faith.guard import Guarded, GuardPolicy
    from nli_faith.io import Reject
    from nli_faith.scorer import FaithfulnessScorer

EXIT_WITHHELD = 1
EXIT_REJECTED = 3


@click.command()
@click.argument("records", required=False)
@answer_options
@click.option(
    "--max-removed",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="Up to this share of the claims is taken out; beyond it the answer is withheld.",
)
@click.option(
    "--max-contradicted",
    type=click.IntRange(0),
    metavar="N",
    help="More contradicted claims than this withhold the answer too.",
)
@click.option(
    "--only-contradicted", is_flag=True, help="Take out contradicted claims, leave unsupported."
)
@click.option(
    "--beyond",
    type=click.Choice(["refuse", "human"]),
    default="refuse",
    show_default=True,
    help="What happens beyond the limits.",
)
@click.option("--refuse-text", help="Shown instead of a refused answer.")
@click.option("--human-text", help="Shown where a person has to answer.")
@click.option("--stream", is_flag=True, help="Read the answer from stdin, show it as it passes.")
@click.option("--map", "mapping", multiple=True, metavar="FIELD=COLUMN", help="As for score.")
@click.option("--output", "-o", default="-", metavar="OUT", help="For RECORDS: JSON lines.")
@click.option("--overwrite", is_flag=True, help="Replace OUT.")
@click.option("--json", "as_json", is_flag=True, help="Text, action, removed claims as JSON.")
@redact_option
@scoring_options
def guard(records: str | None, answer: str | None, answer_file: str | None,
          contexts: tuple[str, ...], context_files: tuple[str, ...], question: str | None,
          max_removed: float, max_contradicted: int | None, only_contradicted: bool, beyond: str,
          refuse_text: str | None, human_text: str | None, stream: bool, mapping: tuple[str, ...],
          output: str, overwrite: bool, as_json: bool, redact: bool, model: str,
          threads: int | None, **options: Any) -> None:  # fmt: skip
    """Show what may be shown of an answer: unsupported sentences go, or the answer is withheld.

    The text goes to stdout, what was removed and why to stderr. RECORDS is a file of records, or
    - for stdin; it gives one JSON line a record. Without it the answer comes from the options.

    \b
    Examples:
      nli-faith guard -a "保修两年。门店上门取件。" -c "整机保修两年。"
      nli-faith guard --answer-file answer.md --context-file policy.md --beyond human
      cat answer.md | nli-faith guard --answer-file - --context-file policy.md --max-removed 0.3
      my-llm | nli-faith guard --stream --context-file policy.md
      nli-faith guard records.jsonl -o guarded.jsonl

    \b
    Exit codes: 0 shown, whole or in part · 1 one answer withheld · 2 usage ·
    3 some rows of RECORDS rejected
    """
    from nli_faith.datamodels import Label
    from nli_faith.guard import Action, GuardPolicy
    from nli_faith.scorer import FaithfulnessScorer

    if sum((records is not None, answer is not None, answer_file is not None, stream)) != 1:
        raise click.UsageError("give one of RECORDS, --answer, --answer-file and --stream")
    if redact and stream:
        # What has been shown cannot be masked when the rest of a number comes.
        raise click.UsageError("--redact does not go with --stream")
    remove = {Label.CONTRADICTED} if only_contradicted else {Label.CONTRADICTED, Label.UNSUPPORTED}
    policy = GuardPolicy(
        remove=remove, max_removed=max_removed, max_contradicted=max_contradicted,
        beyond=Action(beyond), refuse_text=refuse_text, human_text=human_text,
    )  # fmt: skip
    scorer = FaithfulnessScorer.from_pretrained(model, threads=threads, **options)
    if records is not None:
        _records(records, output, overwrite, mapping, policy, scorer, redact)
        return
    chunks = read_chunks(contexts, context_files)
    if stream:
        _stream(chunks, question, policy, scorer)
        return
    text = read_text(answer, None if answer_file in (None, "-") else answer_file)
    _one(text, chunks, question, policy, scorer, as_json, redact)


def _one(text: str, chunks: list[str], question: str | None, policy: GuardPolicy,
         scorer: FaithfulnessScorer, as_json: bool, redact: bool) -> None:  # fmt: skip
    from nli_faith.guard import guard as run
    from nli_faith.io import dumps
    from nli_faith.redaction import redact_value

    guarded = run(text, chunks, question=question, policy=policy, scorer=scorer)
    mask: Callable[[Any], Any] = redact_value if redact else lambda value: value
    if as_json:
        click.echo(dumps(mask(guarded.to_dict())))
    else:
        click.echo(mask(guarded.text))
        _explain(guarded, mask)
    sys.exit(_code(guarded.action.value))


def _explain(guarded: Guarded, mask: Callable[[Any], Any]) -> None:
    if guarded.reason:
        click.echo(f"nli-faith: {guarded.action}: {mask(guarded.reason)}", err=True)
    for claim in guarded.removed:
        click.echo(f"  {claim.label}: {' '.join(mask(claim.text).split())}", err=True)


def _code(action: str) -> int:
    return EXIT_WITHHELD if action in ("refuse", "human") else 0


def _stream(
    chunks: list[str], question: str | None, policy: GuardPolicy, scorer: FaithfulnessScorer
) -> None:
    from nli_faith.guard import StreamGuard

    stream = StreamGuard(chunks, question, policy, scorer)
    for chunk in _stdin():
        click.echo(stream.feed(chunk), nl=False)
    click.echo(stream.finish())
    for claim in stream.removed:
        click.echo(f"  {claim.label}: {' '.join(claim.text.split())}", err=True)
    sys.exit(_code(stream.action.value))


def _stdin() -> Iterator[str]:
    """Text from stdin as it comes, characters never cut in two."""
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8-sig")(errors="replace")
    read = getattr(sys.stdin.buffer, "read1", sys.stdin.buffer.read)
    while data := read(65536):
        yield decoder.decode(data)
    yield decoder.decode(b"", final=True)


def _records(path: str, output: str, overwrite: bool, mapping: tuple[str, ...],
             policy: GuardPolicy, scorer: FaithfulnessScorer, redact: bool) -> None:  # fmt: skip
    from nli_faith.guard import guard_records
    from nli_faith.io import ResultWriter, parse_mapping, read_records
    from nli_faith.redaction import redact_row

    rejected: list[Reject] = []
    rows = read_records(path, mapping=parse_mapping(mapping), on_reject=rejected.append)
    counts: dict[str, int] = {}
    with ResultWriter(output, overwrite=overwrite, format="jsonl") as writer:
        for guarded in guard_records(rows, policy=policy, scorer=scorer):
            row = guarded.to_dict()
            writer.write(redact_row(row) if redact else row)
            counts[guarded.action.value] = counts.get(guarded.action.value, 0) + 1
    counted = ", ".join(f"{action} {n}" for action, n in sorted(counts.items()))
    click.echo(f"nli-faith: {sum(counts.values())} answers: {counted or 'none'}", err=True)
    for reject in rejected[:20]:
        shown = masked_reject(reject) if redact else reject
        click.echo(f"nli-faith: rejected: {shown.error()}", err=True)
    sys.exit(EXIT_REJECTED if rejected else 0)
