"""Runs the application: one process, signals, and a shutdown that finishes what it holds."""

from __future__ import annotations

import logging
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from nli_faith.errors import BackendError, ConfigError, MissingExtraError
from nli_faith.scorer import FaithfulnessScorer
from nli_faith.service.app import create_app
from nli_faith.service.keys import KeyRing
from nli_faith.service.logs import event
from nli_faith.service.metrics import EXTRA
from nli_faith.service.settings import ServiceSettings

_BACKLOG = 2048


def run_server(
    scorer: FaithfulnessScorer, settings: ServiceSettings, keys: KeyRing | None = None
) -> None:
    """Serve until SIGTERM or SIGINT, then finish the requests in flight and return.

    Args:
        scorer: The scorer.
        settings: Address, limits and manners.
        keys: The keys that open it; none when None.

    Raises:
        MissingExtraError: uvicorn, Starlette or prometheus-client is not installed.
        ConfigError: The address cannot be listened on, or needs a key.
        BackendError: The model failed on its first record.
    """
    try:
        import uvicorn
    except ImportError as error:
        raise MissingExtraError("uvicorn", EXTRA) from error

    app = create_app(scorer, settings, keys)
    listening = _listen(settings)
    # uvicorn's access log holds query strings, and its error log tracebacks with messages.
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        ws="none",
        lifespan="on",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=max(1, round(settings.grace_s)),
    )
    server = uvicorn.Server(config)
    host, port = listening.getsockname()[:2]
    event("listening", host=host, port=port, keys=bool(keys))
    with _quiet_signals(), listening:
        server.run(sockets=[listening])
    if not server.started:
        raise BackendError("the service could not start: the model failed on its first record")


def _listen(settings: ServiceSettings) -> socket.socket:
    """Bind before anything is said, so that a taken port is a plain error."""
    try:
        family, kind, proto, _, address = socket.getaddrinfo(
            settings.host or None, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, proto)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        # From here on the kernel holds connections until the model is warm; none is refused.
        listening.listen(_BACKLOG)
    except OSError as error:
        raise ConfigError(
            f"cannot listen on {settings.host}:{settings.port}: {error.strerror or error}"
        ) from error
    return listening


@contextmanager
def _quiet_signals() -> Iterator[None]:
    """Uvicorn raises the signal again once it is down; a finished shutdown exits with 0."""

    def ignore(_signal: int, _frame: Any) -> None:
        return None

    before = {s: signal.signal(s, ignore) for s in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
