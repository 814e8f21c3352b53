"""A scored file in, a folder with three queues out."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nli_faith.errors import ConfigError
from nli_faith.io.jsontext import dumps
from nli_faith.profiles import Profile
from nli_faith.redaction import redact_row, redact_value
from nli_faith.results import FaithfulnessResult
from nli_faith.triage.files import Line, OutputFiles, results
from nli_faith.triage.prompts import (
    VERDICT_TOKENS,
    PromptLang,
    Template,
    batch_requests,
    default_template,
    language_of,
    request_tokens,
)
from nli_faith.triage.rules import Band, Decision, TriageRules, decide
from nli_faith.triage.sheet import csv_row, header, sheet_rows

REQUESTS = "judge_requests"
SUMMARY = "summary.json"
REJECTS = "rejects.jsonl"
DEFAULT_JUDGE = "gpt-4o-mini"
UNREDACTED = ("id", "status", "scorer", "thresholds", "aggregation")
"""Fields of a row that hold no text of users."""
MAX_REQUESTS = 50_000
"""Requests in one batch file, the limit of OpenAI's batch API."""
MAX_BYTES = 190_000_000
"""Bytes of one batch file; the limit is 200 MB."""


@dataclass(slots=True)
class TriageSummary:
    """What a triage did and what it saves.

    The comparison is with a judge that reads every record with claims, all its claims in the
    same prompt with the same evidence. Tokens are estimates: see `prompts.estimate_tokens`, and
    `VERDICT_TOKENS` for each verdict.

    Attributes:
        bands: Records by band.
        reasons: Claims by reason, those of doubtful claims and of records without a score.
        claims: Claims seen.
        doubtful: Claims that somebody has to look at.
        judged_claims: Claims in the judge's requests.
        calls: Requests to the judge.
        tokens: Their tokens, prompt and answer.
        all_calls: Requests, were everything judged.
        all_tokens: Their tokens.
        rejected: Lines that could not be used.
        request_files: The batch files.
    """

    bands: dict[str, int] = field(default_factory=lambda: {b.value: 0 for b in Band})
    reasons: dict[str, int] = field(default_factory=dict)
    claims: int = 0
    doubtful: int = 0
    judged_claims: int = 0
    calls: int = 0
    tokens: int = 0
    all_calls: int = 0
    all_tokens: int = 0
    rejected: int = 0
    request_files: list[str] = field(default_factory=list)

    @property
    def records(self) -> int:
        """Records sorted into bands."""
        return sum(self.bands.values())

    @property
    def calls_saved(self) -> int:
        """Requests that are not made."""
        return self.all_calls - self.calls

    @property
    def tokens_saved(self) -> int:
        """Tokens that are not spent, an estimate."""
        return self.all_tokens - self.tokens

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "records": self.records,
            "bands": dict(self.bands),
            "reasons": dict(sorted(self.reasons.items())),
            "claims": self.claims,
            "doubtful_claims": self.doubtful,
            "judge": {
                "claims": self.judged_claims,
                "calls": self.calls,
                "tokens_estimated": self.tokens,
                "files": list(self.request_files),
            },
            "judging_everything": {
                "calls": self.all_calls,
                "tokens_estimated": self.all_tokens,
            },
            "saved": {"calls": self.calls_saved, "tokens_estimated": self.tokens_saved},
            "rejected": self.rejected,
        }


def record_key(number: int, row: Mapping[str, Any]) -> str:
    """The key by which verdicts find their record: its place, and a hash of what was judged.

    Safe in spreadsheets, which mangle ids such as 007 or 1e5, and unique where ids are not.

    Args:
        number: 1-based line in the scored file.
        row: The result row.
    """
    text = "\x1f".join([str(row["id"]), *(str(c.get("text")) for c in row["claims"])])
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"r{number:07d}-{digest}"


def triage(
    scored: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    rules: TriageRules | None = None,
    template: Template | None = None,
    judge_model: str = DEFAULT_JUDGE,
    questions: Mapping[str, str] | None = None,
    profile: Profile | None = None,
    sheet_lang: PromptLang = "zh",
    redact: bool = False,
    overwrite: bool = False,
) -> TriageSummary:
    """Sort the records of a scored file into accept, judge and human.

    Writes ``{accept,judge,human}.jsonl`` (the scored rows, each with a ``triage`` object),
    ``{accept,judge,human}.csv`` (a row for each doubtful claim, with columns for a person's
    verdict), ``judge_requests.jsonl`` (OpenAI batch requests; further files beyond 50,000) and
    ``summary.json``; ``rejects.jsonl`` where lines could not be used.

    Args:
        scored: What ``score`` wrote (JSON lines).
        out: A folder; made if need be.
        rules: Parameters; the defaults when None.
        template: The judge's prompt; the package's, in the language of each record, when None.
        judge_model: Name of the judge, for the requests.
        questions: Record id -> question, for prompts and sheets: scored rows keep none.
        profile: Judge the claims anew by a calibration profile first.
        sheet_lang: Language of the sheets' titles.
        redact: Mask what is private (see `nli_faith.redaction`) in every text that is written;
            ids are kept.
        overwrite: Replace files that are there.

    Raises:
        InputError: The scored file cannot be read.
        ConfigError: It holds no result row.
        ModelIntegrityError: The profile is of another model.
        OutputError: A file is there already, or cannot be written.
    """
    folder = Path(out)
    names = [folder / f"{band}{kind}" for band in Band for kind in (".jsonl", ".csv")]
    names += [folder / f"{REQUESTS}.jsonl", folder / SUMMARY]
    run = _Run(rules or TriageRules(), template, judge_model, questions or {}, profile, redact)
    with OutputFiles(names, overwrite=overwrite) as files:
        for band in Band:
            files.open(folder / f"{band}.jsonl")
            files.write(folder / f"{band}.csv", header(sheet_lang))
        files.open(folder / f"{REQUESTS}.jsonl")
        for line in results(scored):
            run.take(line, files, folder)
        if not run.summary.records:
            why = f": {run.problem}" if run.problem else ""
            raise ConfigError(f"{os.fspath(scored)}: holds no result row of `score`{why}")
        files.write(folder / SUMMARY, dumps(run.summary.to_dict(), pretty=True))
    _remove_stale(folder, run.summary)
    return run.summary


def _remove_stale(folder: Path, summary: TriageSummary) -> None:
    """Files of an earlier triage in this folder that this one did not need."""
    stale = [p for p in folder.glob(f"{REQUESTS}.*.jsonl") if p.name not in summary.request_files]
    if not summary.rejected:
        stale.append(folder / REJECTS)
    for path in stale:
        with contextlib.suppress(OSError):
            path.unlink()


class _Run:
    """One triage on its way."""

    def __init__(self, rules: TriageRules, template: Template | None, judge: str,
                 questions: Mapping[str, str], profile: Profile | None,
                 redact: bool) -> None:  # fmt: skip
        self.rules = rules
        self.template = template
        self.judge = judge
        self.questions = questions
        self.profile = profile
        self.redact = redact
        self.summary = TriageSummary()
        self.problem: str | None = None
        self._bytes = 0
        self._requests = 0

    def take(self, line: Line, files: OutputFiles, folder: Path) -> None:
        """Sort one line in."""
        try:
            result = FaithfulnessResult.from_dict(line.row) if line.row is not None else None
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            result, line = None, line._replace(problem=f"is no result row: {error!r:.80}")
        if result is None or line.row is None:
            self._reject(line, files, folder)
            return
        row = line.row
        if self.profile is not None:
            result = self.profile.apply(result)
            row = {**row, **result.to_dict()}
        decision = decide(result, self.rules)
        key = record_key(line.number, row)
        question = self.questions.get(result.id)
        if self.redact:
            row = redact_row(row, keep=UNREDACTED)
            result = FaithfulnessResult.from_dict(row)
            question = question and redact_value(question)
        self._count(decision)
        band = decision.band
        files.write_row(folder / f"{band}.jsonl", {**row, "triage": _triage_dict(key, decision)})
        for cells in sheet_rows(key, result, decision, question):
            files.write(folder / f"{band}.csv", csv_row(cells))
        if result.claims and decision.claims:
            self._requests_of(key, result, decision, question, files, folder)

    def _reject(self, line: Line, files: OutputFiles, folder: Path) -> None:
        self.problem = self.problem or f"line {line.number}: {line.problem}"
        self.summary.rejected += 1
        raw = line.raw.decode("utf-8", "backslashreplace")
        raw = redact_value(raw) if self.redact else raw
        files.write_row(folder / REJECTS, {"line": line.number, "reason": line.problem, "raw": raw})

    def _count(self, decision: Decision) -> None:
        s = self.summary
        s.bands[decision.band.value] += 1
        s.claims += len(decision.claims)
        s.doubtful += len(decision.doubtful)
        found = [c.reason for c in decision.doubtful] if decision.claims else decision.reasons
        for reason in found:
            s.reasons[reason] = s.reasons.get(reason, 0) + 1

    def _requests_of(self, key: str, result: FaithfulnessResult, decision: Decision,
                     question: str | None, files: OutputFiles, folder: Path) -> None:  # fmt: skip
        template = self.template or default_template(language_of(result.claims))
        numbered = list(enumerate(result.claims, 1))
        everything = batch_requests(key, numbered, question, template, self.judge)
        self.summary.all_calls += len(everything)
        self.summary.all_tokens += _cost(everything, len(numbered))
        if decision.band is not Band.JUDGE:
            return
        doubtful = [(c.index + 1, result.claims[c.index]) for c in decision.doubtful]
        requests = batch_requests(key, doubtful, question, template, self.judge)
        self.summary.judged_claims += len(doubtful)
        self.summary.calls += len(requests)
        self.summary.tokens += _cost(requests, len(doubtful))
        for request in requests:
            data = dumps(request, newline=True)
            files.write(self._request_file(len(data), folder), data)

    def _request_file(self, size: int, folder: Path) -> Path:
        names = self.summary.request_files
        full = self._requests >= MAX_REQUESTS or self._bytes + size > MAX_BYTES
        if not names or full:
            part = f".{len(names) + 1}" if names else ""
            names.append(f"{REQUESTS}{part}.jsonl")
            self._requests = self._bytes = 0
        self._requests += 1
        self._bytes += size
        return folder / names[-1]


def _cost(requests: list[dict[str, Any]], claims: int) -> int:
    return sum(map(request_tokens, requests)) + claims * VERDICT_TOKENS


def _triage_dict(key: str, decision: Decision) -> dict[str, Any]:
    return {
        "key": key,
        "band": decision.band.value,
        "reasons": list(decision.reasons),
        "claims": [
            {"claim": c.index, "band": c.band.value, "reason": c.reason} for c in decision.doubtful
        ],
    }
