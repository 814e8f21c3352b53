"""Prometheus metrics of one service. Labels are fixed words, never text of a request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nli_faith.errors import MissingExtraError
from nli_faith.inference import RunStats
from nli_faith.results import FaithfulnessResult, ScorerInfo

EXTRA = "serve"
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_SIZES = (1, 2, 4, 8, 16, 32, 64)


class ServiceMetrics:
    """Counts requests, records, verdicts, batches and pairs; names begin with ``nli_faith_``."""

    def __init__(self, info: ScorerInfo) -> None:
        """Make a registry of its own, so that several services may live in one process.

        Args:
            info: The scorer's identity, shown as ``nli_faith_build_info``.

        Raises:
            MissingExtraError: prometheus-client is not installed.
        """
        try:
            import prometheus_client as prom
        except ImportError as error:
            raise MissingExtraError("prometheus-client", EXTRA) from error
        self._render = prom.generate_latest
        self.content_type = prom.CONTENT_TYPE_LATEST
        self.registry = registry = prom.CollectorRegistry()
        prom.ProcessCollector(registry=registry)

        def counter(name: str, text: str, labels: Sequence[str] = ()) -> Any:
            return prom.Counter(f"nli_faith_{name}", text, labels, registry=registry)

        def histogram(name: str, text: str, buckets: Sequence[float],
                      labels: Sequence[str] = ()) -> Any:  # fmt: skip
            return prom.Histogram(
                f"nli_faith_{name}", text, labels, buckets=tuple(buckets), registry=registry
            )

        def gauge(name: str, text: str) -> Any:
            return prom.Gauge(f"nli_faith_{name}", text, registry=registry)

        self.requests = counter("requests", "Requests by route and status", ["route", "status"])
        self.request_seconds = histogram(
            "request_seconds", "Seconds from request to answer", _SECONDS, ["route"]
        )
        self.refused = counter("refused", "Requests refused, by reason", ["reason"])
        self.records = counter("records", "Records scored, by status", ["status"])
        self.claims = counter("claims", "Claims judged, by label", ["label"])
        self.guarded = counter("guarded", "Answers guarded, by action", ["action"])
        self.pairs = counter("pairs", "Pairs requested, unique, cached and run", ["kind"])
        self.in_flight = gauge("in_flight", "Requests being read, waiting or being scored")
        self.waiting = gauge("waiting_records", "Records that no batch has taken yet")
        self.batch_records = histogram("batch_records", "Records in a batch", _SIZES)
        self.batch_seconds = histogram("batch_seconds", "Seconds a batch took", _SECONDS)
        self.wait_seconds = histogram(
            "wait_seconds", "Seconds a record waited for its batch", _SECONDS
        )
        build = prom.Gauge("nli_faith_build_info", "Model, hashes and version; always 1",
                           list(info.to_dict()), registry=registry)  # fmt: skip
        build.labels(**info.to_dict()).set(1)

    def waited(self, seconds: float) -> None:
        """See `BatchObserver`."""
        self.wait_seconds.observe(seconds)

    def scored(
        self, seconds: float, stats: RunStats, results: Sequence[FaithfulnessResult]
    ) -> None:
        """See `BatchObserver`."""
        self.batch_records.observe(len(results))
        self.batch_seconds.observe(seconds)
        for kind in ("requested", "unique", "cached", "run"):
            self.pairs.labels(kind).inc(getattr(stats, f"pairs_{kind}"))
        for result in results:
            self.records.labels(result.status.value).inc()
            for label, n in result.label_counts.items():
                self.claims.labels(label).inc(n)

    def answered(self, route: str, status: int, seconds: float) -> None:
        """A request was answered.

        Args:
            route: A known path, or ``other``: never what a client made up.
            status: HTTP status.
            seconds: From request to answer.
        """
        self.requests.labels(route, str(status)).inc()
        self.request_seconds.labels(route).observe(seconds)

    def text(self) -> bytes:
        """All metrics in Prometheus' text format."""
        rendered: bytes = self._render(self.registry)
        return rendered
