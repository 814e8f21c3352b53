"""``nli-faith serve``: the HTTP service."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import click

from nli_faith.cli.options import profile_of, scoring_options

_LIMITS = (
    ("--max-body", "max_body_bytes", 1 << 20, "BYTES", "Bytes in a request body (413)."),
    ("--max-records", "max_records", 32, "N", "Records in one request (422)."),
    ("--max-contexts", "max_contexts", 64, "N", "Contexts of one record (422)."),
    ("--max-claims", "max_claims", 200, "N", "Claims in one answer (422)."),
    ("--max-in-flight", "max_in_flight", 64, "N", "Requests held at once (429, Retry-After)."),
    ("--batch-records", "batch_records", 8, "N", "Records in a batch; 1: no micro-batching."),
    ("--parallel", "parallel", 1, "N", "Batches scored at once; see docs/service.md."),
)
_SECONDS = (
    ("--timeout", "timeout_s", 30.0, "S", "Seconds a request may take (504)."),
    ("--body-timeout", "body_timeout_s", 10.0, "S", "Seconds a body may take to come (408)."),
    ("--grace", "grace_s", 35.0, "S", "Seconds a shutdown waits for requests in flight."),
    ("--batch-wait-ms", "batch_wait_ms", 2.0, "MS", "Longest wait for others to join a batch."),
)


def _service_options(command: Any) -> Any:
    for flags, kind in ((_SECONDS, float), (_LIMITS, int)):
        for flag, name, default, unit, text in reversed(flags):
            command = click.option(
                flag, name, type=kind, default=default, show_default=True, metavar=unit, help=text
            )(command)
    return command


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8087, show_default=True,
              help="Port; 0 for a free one, which the log tells.")  # fmt: skip
@click.option("--api-key-file", metavar="PATH",
              help="Keys, one a line; else the variable NLI_FAITH_API_KEY.")  # fmt: skip
@click.option("--allow-no-key", is_flag=True,
              help="Serve beyond loopback without a key, and any Host header.")  # fmt: skip
@click.option("--allow-host", "allow_hosts", multiple=True, metavar="NAME",
              help="A further Host header that a keyless service answers; repeat it.")  # fmt: skip
@_service_options
@click.option("--log-level", type=click.Choice(["debug", "info", "warning", "error"]),
              default="info", show_default=True, help="JSON lines on stderr.")  # fmt: skip
@click.option("--cache", "cache_path", metavar="PATH", help="Keep pair probabilities (SQLite).")
@click.option("--profile", "profile_path", metavar="FILE",
              help="Thresholds that `nli-faith calibrate` wrote for this model.")  # fmt: skip
@scoring_options
def serve(host: str, port: int, api_key_file: str | None, allow_no_key: bool,
          allow_hosts: tuple[str, ...], log_level: str, cache_path: str | None,
          profile_path: str | None, model: str, threads: int | None,
          **options: Any) -> None:  # fmt: skip
    """Serve POST /v1/score, /v1/guard and /v1/explain over HTTP.

    Also GET /healthz, /readyz, /metrics (Prometheus) and /openapi.json. Texts of requests are
    never logged. Beyond loopback a key is needed.

    \b
    Examples:
      nli-faith serve
      nli-faith serve --host 0.0.0.0 --api-key-file keys.txt --mode fast
      curl -s localhost:8087/v1/score -H 'Content-Type: application/json' \\
        -d '{"answer": "保修三年。", "contexts": ["整机保修两年。"]}'

    \b
    Exit codes: 0 stopped by SIGTERM or Ctrl-C, requests in flight finished · 2 usage, model or
    address unusable · 4 the model failed
    """
    from nli_faith.cache import PairCache
    from nli_faith.scorer import FaithfulnessScorer
    from nli_faith.service import ServiceSettings, load_keys, run_server
    from nli_faith.service.logs import configure

    names = {name for _, name, *_ in (*_LIMITS, *_SECONDS)}
    settings = ServiceSettings(
        host=host, port=port, allow_no_key=allow_no_key, allow_hosts=allow_hosts,
        **{name: options.pop(name) for name in names},
    )  # fmt: skip
    keys = load_keys(api_key_file)
    settings.check_exposure(keys)  # before the model is loaded
    configure(log_level)
    with ExitStack() as stack:
        cache = stack.enter_context(PairCache(cache_path)) if cache_path else None
        profile = profile_of(profile_path, options)
        scorer = FaithfulnessScorer.from_pretrained(
            model, threads=threads, cache=cache, profile=profile, **options
        )
        run_server(scorer, settings, keys)
