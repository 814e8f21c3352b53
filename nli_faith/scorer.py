"""The faithfulness scorer: records in, verdicts with evidence out."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from nli_faith._version import __version__
from nli_faith.aggregation import TextVerdict
from nli_faith.backends import load_backend
from nli_faith.backends.base import EntailmentBackend
from nli_faith.cache import PairCache
from nli_faith.cascade import Band, Span, cascade_info, doubtful, merged
from nli_faith.checks import check_text
from nli_faith.config import ScorerConfig
from nli_faith.datamodels import Record, Status, Thresholds
from nli_faith.early_exit import settled_gain
from nli_faith.errors import ConfigError, RecordError
from nli_faith.inference import PairScorer, RunStats, TokenStore
from nli_faith.judging import Checks, Judge
from nli_faith.preparation import Prepared, Preparer
from nli_faith.profiles import Profile
from nli_faith.results import FaithfulnessResult, ScorerInfo
from nli_faith.rounds import Settled, score_rounds
from nli_faith.stream import RecordLike, as_record, chunked, record_chars


class FaithfulnessScorer:
    """Scores RAG answers against their contexts.

    Thread-safe: one scorer may serve many threads. Deterministic: a record's result does not
    depend on the records beside it, on their order, or on batch and chunk sizes.
    """

    def __init__(
        self,
        backend: EntailmentBackend,
        *,
        thresholds: Thresholds,
        config: ScorerConfig | None = None,
        cache: PairCache | None = None,
        then: FaithfulnessScorer | None = None,
        band: Band | None = None,
    ) -> None:
        """Wrap an entailment backend.

        Args:
            backend: The entailment model.
            thresholds: Its calibrated thresholds; the config may override them.
            config: Options; the defaults when None.
            cache: Pair probabilities of earlier runs.
            then: A stronger scorer for the claims that this one is unsure of. It cuts answers
                as this one does.
            band: What unsure means; 0.2 to 0.8 by default.

        Raises:
            ConfigError: The two scorers cut answers differently, or ``then`` has a ``then``.
        """
        self.config = config or ScorerConfig()
        self.backend = backend
        self.thresholds = self.config.thresholds(thresholds)
        self.combiner = backend.combiners.get(self.config.mode) if self.config.combine else None
        self.then, self.band = then, band or Band()
        self.info = ScorerInfo(
            model=backend.name,
            model_sha256=backend.sha256,
            config_hash=self.config.hash(self.thresholds, self.combiner, backend.variant),
            version=__version__,
            note=backend.note,
        )
        if then is not None:
            self.info = cascade_info(self.info, self.config, then.info, then.config, self.band)
        self._preparer = Preparer(self.config)
        self._pairs = PairScorer(backend, batch_tokens=self.config.batch_tokens, cache=cache)

    @classmethod
    def from_pretrained(
        cls,
        model: str | Path = "bundled",
        *,
        config: ScorerConfig | None = None,
        threads: int | None = None,
        backend: str = "auto",
        device: str = "cpu",
        precision: str = "auto",
        class_map: Mapping[object, object] | None = None,
        cache: PairCache | None = None,
        profile: Profile | None = None,
        then: FaithfulnessScorer | str | Path | None = None,
        band: Band | None = None,
        **options: Any,
    ) -> FaithfulnessScorer:
        """Load a model and set up a scorer.

        Args:
            model: ``"bundled"``, a directory with an exported model, or a hub id that is in
                the local cache. Nothing is downloaded.
            config: Options of the pipeline.
            threads: Threads of the model; all cores when None.
            backend: ``onnx``, ``torch``, or ``auto``: ONNX where there is a model.onnx.
            device: Where it runs: ``cpu``, ``auto``, ``cuda``, ``cuda:N``, ``tensorrt``, ``mps``.
            precision: ``fp32``, ``bf16`` or ``fp16``, for torch alone.
            class_map: The model's columns to ``entailment``, ``neutral``, ``contradiction``, for
                a model that does not name them; see `nli_faith.labels.resolve_label_order`.
            cache: Pair probabilities of earlier runs.
            profile: Thresholds calibrated for this model (`nli_faith.profiles`); results name
                it. An explicit threshold still wins.
            then: A second, stronger model for the claims whose support lies in ``band``, as a
                name, a directory or a scorer; a name or directory is loaded like ``model``.
            band: Supports that the first model is not trusted with; 0.2 to 0.8 by default.
            **options: Fields of `ScorerConfig` that override ``config``.

        Raises:
            ModelNotFoundError: There is no such model here.
            ModelFormatError: Its files are incomplete or broken.
            ConfigError: An option is unknown or out of range, the profile is of another model,
                or the model comes without calibrated thresholds and none are given.
        """
        if config is not None and not isinstance(config, ScorerConfig):
            raise ConfigError(f"config must be a ScorerConfig, not {config!r:.60}")
        if cache is not None and not isinstance(cache, PairCache):
            raise ConfigError(f"cache must be a PairCache, not {cache!r:.60}")
        unknown = sorted(set(options) - {f.name for f in fields(ScorerConfig)})
        if unknown:
            raise ConfigError(f"unknown option {', '.join(map(repr, unknown))}")
        config = replace(config or ScorerConfig(), **options)
        loaded = load_backend(
            model, backend=backend, device=device, precision=precision, threads=threads,
            label_map=class_map,
        )  # fmt: skip
        if profile is None:
            thresholds = _default_thresholds(loaded, config)
        else:
            profile.check_model(loaded.name, loaded.sha256)
            thresholds = profile.thresholds()
        if isinstance(then, (str, Path)):
            # Thresholds set by hand are those of the first model, unless the second has none.
            then = cls.from_pretrained(
                then, config=config, threads=threads, backend=backend, device=device,
                precision=precision, class_map=class_map if then != "bundled" else None,
                cache=cache,
            )  # fmt: skip
        return cls(loaded, thresholds=thresholds, config=config, cache=cache, then=then, band=band)

    def score(self, record: RecordLike) -> FaithfulnessResult:
        """Score one record.

        Args:
            record: A `Record`, or a mapping with the field names of Ragas, DeepEval or plain
                RAG logs.

        Raises:
            RecordError: The mapping lacks a field, or one has a wrong type.
        """
        return self._score_chunk([as_record(record, default_id="0")], RunStats())[0]

    def score_records(
        self, records: Iterable[RecordLike], *, stats: RunStats | None = None
    ) -> Iterator[FaithfulnessResult]:
        """Score a stream of records, in order, in bounded memory.

        A record that cannot be read or prepared gives a result with status ``error``; the
        others are scored all the same.

        Args:
            records: Records or mappings, of any number.
            stats: Counted up on the way, if given.

        Yields:
            One result a record.
        """
        for results in self.score_chunks(records, stats=stats):
            yield from results

    def score_chunks(
        self, records: Iterable[RecordLike], *, stats: RunStats | None = None
    ) -> Iterator[list[FaithfulnessResult]]:
        """As `score_records`, a list of results for each chunk that is scored together.

        When ``records`` raises, what it gave before is scored first, then the error goes on.

        Args:
            records: Records or mappings, of any number.
            stats: Counted up on the way, if given.

        Yields:
            The results of a chunk, in order.
        """
        stats = stats if stats is not None else RunStats()
        chunks = chunked(
            (self._as_record(item, n) for n, item in enumerate(records)),
            most=self.config.chunk_records,
            chars=self.config.chunk_chars,
            size=_chars,
        )
        for chunk in chunks:
            yield self._score_chunk(chunk, stats)

    def _as_record(self, item: object, n: int) -> Record | FaithfulnessResult:
        name = item.get("id") if isinstance(item, Mapping) else None
        try:
            return as_record(item, default_id=str(n))
        except RecordError as error:
            return self._judge().failed(str(n if name is None else name), error)

    def _score_chunk(
        self, chunk: Sequence[Record | FaithfulnessResult], stats: RunStats
    ) -> list[FaithfulnessResult]:
        results = self._first_look(chunk, stats)
        return results if self.then is None else self._second_look(chunk, results, stats)

    def _second_look(
        self,
        chunk: Sequence[Record | FaithfulnessResult],
        results: list[FaithfulnessResult],
        stats: RunStats,
    ) -> list[FaithfulnessResult]:
        """Asks the second model about the claims that the first one is unsure of."""
        then = self.then
        assert then is not None
        spans = [doubtful(result, self.band) for result in results]
        asked = [i for i, found in enumerate(spans) if found]
        stats.second = stats.second or RunStats()
        second = then._first_look(
            [chunk[i] for i in asked], stats.second, [spans[i] for i in asked]
        )
        out = [replace(r, pairs_second=0) for r in results]
        for i, result in zip(asked, second, strict=True):
            out[i] = merged(out[i], result, model=then.backend.name, thresholds=then.thresholds)
        return out

    def _first_look(
        self,
        chunk: Sequence[Record | FaithfulnessResult],
        stats: RunStats,
        only: Sequence[set[Span]] | None = None,
    ) -> list[FaithfulnessResult]:
        """Scores records; of each, with ``only``, the claims at the given spans."""
        clock = time.perf_counter()
        items = [self._split(x) if isinstance(x, Record) else x for x in chunk]
        for item, spans in zip(items, only or (), strict=only is not None):
            if isinstance(item, Prepared):
                item.claims = [c for c in item.claims if (c.start, c.end) in spans]
        clock = stats.lap("split", clock)

        tokens = TokenStore(self.backend)
        tokens.add(text for p in items if isinstance(p, Prepared) for text in p.texts())
        clock = stats.lap("tokenise", clock)

        checks: dict[int, TextVerdict] = {}
        items = [self._plan(x, tokens, checks) if isinstance(x, Prepared) else x for x in items]
        clock = stats.lap("plan", clock)

        ready = [x for x in items if isinstance(x, Prepared)]
        scored = iter(score_rounds(ready, self._pairs, tokens, stats, self._settled(checks)))
        clock = stats.lap("model", clock)

        judge = self._judge()
        results = [
            judge.result(x, next(scored), checks) if isinstance(x, Prepared) else x for x in items
        ]
        stats.lap("judge", clock)
        return results

    def _judge(self) -> Judge:
        # Made anew, since `scripts/fit_combiner.py` exchanges the combiner.
        return Judge(self.thresholds, self.combiner, self.config.aggregation, self.info)

    def _settled(self, checks: Checks) -> Settled | None:
        # In fast mode there is one pair a claim, and nothing to leave out.
        if not self.config.early_exit or self.config.mode == "fast":
            return None
        return lambda plan, probs: settled_gain(
            plan, probs, self.thresholds, checks[id(plan)], self.combiner
        )

    def _split(self, record: Record) -> Prepared | FaithfulnessResult:
        # One poisoned row must not end a run over millions: whatever it raises is its result.
        try:
            return self._preparer.split(record)
        except Exception as error:
            return self._judge().failed(record.id, error, record)

    def _plan(
        self, prepared: Prepared, tokens: TokenStore, checks: dict[int, TextVerdict]
    ) -> Prepared | FaithfulnessResult:
        if prepared.status in (Status.SCORED, Status.NO_CONTEXT):
            try:
                self._preparer.plan(prepared, tokens.count)
                if prepared.status is Status.SCORED:
                    checks.update(
                        (id(p), check_text(prepared, p, self.config)) for p in prepared.plans
                    )
            except Exception as error:
                return self._judge().failed(prepared.record.id, error, prepared.record)
        return prepared


def _chars(item: Record | FaithfulnessResult) -> int:
    """What counts towards a chunk; a record that could not be read counts nothing."""
    return record_chars(item) if isinstance(item, Record) else 0


def _default_thresholds(backend: EntailmentBackend, config: ScorerConfig) -> Thresholds:
    """The model's calibrated thresholds; the user's where it has none."""
    if backend.thresholds is not None:
        return backend.thresholds
    if config.support_threshold is None or config.contradiction_threshold is None:
        raise ConfigError(
            f"model {backend.name!r} comes without calibrated thresholds: pass "
            "support_threshold and contradiction_threshold (on the command line --threshold "
            "and --contradiction-threshold)"
        )
    return Thresholds(config.support_threshold, config.contradiction_threshold)
