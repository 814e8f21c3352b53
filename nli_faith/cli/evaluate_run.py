"""What ``nli-faith evaluate`` does with its files: reads, measures, writes, counts; or lints."""

from __future__ import annotations

import datetime
import itertools
import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nli_faith.cli.evaluate_view import render_lint
from nli_faith.cli.privacy import masked_reject
from nli_faith.cli.progress import ProgressBar, count_rows
from nli_faith.cli.render import console
from nli_faith.errors import OutputExistsError, OutputPathError

if TYPE_CHECKING:
    from nli_faith.datamodels import Record
    from nli_faith.evaluation import Aggregator, Evaluator, LintReport
    from nli_faith.io import Reject, RejectsWriter

EXIT_LINT = 1
EXIT_REJECTED = 3


@dataclass(frozen=True)
class Files:
    """What a run reads and writes."""

    source: str
    output: str | None
    summary: str | None
    rejects: str | None
    overwrite: bool

    def check(self) -> None:
        """Refuse to write over the input, two outputs into one file, or over an old summary.

        Raises:
            OutputPathError: Two of them are the same file.
            OutputExistsError: The summary exists and ``overwrite`` is not given.
        """
        from nli_faith.io import manifest_path

        named = {"input": self.source, "output": self.output, "summary": self.summary,
                 "rejects": self.rejects}  # fmt: skip
        if self.output and self.output != "-":
            named["manifest"] = str(manifest_path(self.output))
        seen: dict[str, str] = {}
        for role, path in named.items():
            if not path or path == "-":
                continue
            real = os.path.realpath(path)
            if real in seen:
                raise OutputPathError(f"{path}: is both the {seen[real]} and the {role} file")
            seen[real] = role
        if self.overwrite or not self.summary or self.summary == "-":
            return
        if os.path.exists(self.summary) and os.path.getsize(self.summary):
            raise OutputExistsError(
                f"{self.summary}: exists already: pass --overwrite to replace it, or name another "
                "file"
            )

    def write_summary(self, table: dict[str, Any]) -> None:
        """The summary, if one is wanted; ``-`` prints it."""
        from nli_faith.io import dumps, write_manifest

        if self.summary == "-":
            sys.stdout.buffer.write(dumps(table, pretty=True))
            sys.stdout.flush()
        elif self.summary:
            write_manifest(Path(self.summary), table)


class Run:
    """One call of ``evaluate``: reads, measures, writes, counts."""

    def __init__(
        self, evaluator: Evaluator, files: Files, by: str | None, seed: int, resamples: int,
        *, redact: bool = False,
    ) -> None:  # fmt: skip
        from nli_faith.evaluation import Aggregator

        self.evaluator = evaluator
        self.files = files
        self.totals: Aggregator = Aggregator(by, seed=seed, resamples=resamples, redact=redact)
        self.redact = redact
        self.rejected = 0
        self._rejects: RejectsWriter | None = None
        self._held: list[Reject] = []
        self._started = datetime.datetime.now(datetime.timezone.utc)
        self._clock = time.perf_counter()

    def go(self, reading: dict[str, Any], *, progress: bool) -> None:
        """Evaluate every record."""
        from nli_faith.evaluation import EvaluationWriter
        from nli_faith.io import RejectsWriter, read_records

        with ExitStack() as stack:
            records = read_records(self.files.source, on_reject=self._reject, **reading)
            # An input that cannot be read says so here, before any output is touched.
            first = list(itertools.islice(records, 1))
            writer = None
            if self.files.output:
                writer = stack.enter_context(
                    EvaluationWriter(
                        self.files.output,
                        self.evaluator.names,
                        overwrite=self.files.overwrite,
                        redact=self.redact,
                    )
                )
            if self.files.rejects:
                self._rejects = stack.enter_context(RejectsWriter(self.files.rejects))
                for reject in self._held:
                    self._rejects.write(reject)
            stream: Iterator[Record] = itertools.chain(first, records)
            evaluations = self.totals.add_all(self.evaluator.evaluate(stream))
            if progress:
                bar = stack.enter_context(ProgressBar(count_rows(self.files.source)))
                evaluations = bar.track(evaluations, lambda _: 1)
            for evaluation in evaluations:
                if writer is not None:
                    writer.write(evaluation)

    def report(self, manifest: dict[str, Any]) -> None:
        """Write the summary and the manifest."""
        from nli_faith.io import manifest_path, write_manifest

        table = {"source": self.files.source, "rejected": self.rejected, **self.totals.to_dict()}
        self.files.write_summary({**table, **manifest})
        output = self.files.output
        if output and output != "-":
            write_manifest(
                manifest_path(output),
                {
                    "source": self.files.source,
                    "output": output,
                    "started": self._started.isoformat(timespec="seconds"),
                    "seconds": round(time.perf_counter() - self._clock, 3),
                    **manifest,
                    "summary": table,
                },
            )

    def _reject(self, reject: Reject) -> None:
        self.rejected += 1
        reject = masked_reject(reject) if self.redact else reject
        if self._rejects is not None:
            self._rejects.write(reject)
        elif self.files.rejects:
            self._held.append(reject)  # those before the first good row; the file is not open yet
        else:
            click.echo(f"nli-faith: rejected: {reject.error()}", err=True)


def lint(files: Files, reading: dict[str, Any], show: bool, lang: str) -> int:
    """``--reference-lint``.

    Args:
        files: What is read and written.
        reading: Options of `read_golden`.
        show: Print the findings.
        lang: Of the frame around them.

    Returns:
        The exit code: 1 for errors, 3 for unreadable rows, else 0.
    """
    from nli_faith.evaluation import lint_references, read_golden
    from nli_faith.io import RejectsWriter, ResultWriter

    with ExitStack() as stack:
        rejects = RejectsWriter(files.rejects)
        stack.enter_context(rejects)

        def rejected(reject: Reject) -> None:
            rejects.write(reject)
            if not files.rejects:
                click.echo(f"nli-faith: rejected: {reject.error()}", err=True)

        records = read_golden(files.source, on_reject=rejected, **reading)
        report: LintReport = replace(lint_references(records), rejected=rejects.count)
        if files.output:
            writer = stack.enter_context(ResultWriter(files.output, overwrite=files.overwrite))
            for finding in report.findings:
                writer.write(finding.to_dict())
    files.write_summary({"source": files.source, **report.to_dict()})
    if show:
        target = sys.stderr if files.output == "-" else sys.stdout
        console(target).print(render_lint(report, lang))
    return EXIT_LINT if report.errors else EXIT_REJECTED if report.rejected else 0
