"""The review page's server: one machine, one queue, the standard library."""

from __future__ import annotations

import contextlib
import errno
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from nli_faith.errors import ConfigError, NliFaithError, OutputError
from nli_faith.io import dumps, loads
from nli_faith.io.jsontext import JsonTextError
from nli_faith.review.access import HEADERS, Access
from nli_faith.review.app import ReviewApp
from nli_faith.review.export import reviewed_rows

HOST = "127.0.0.1"
PORT = 8377
"""Tried first: a page that waits for a server that broke down finds it again here."""
MAX_BODY = 64 * 1024
_TIMEOUT_SECONDS = 30.0
_JSON = "application/json; charset=utf-8"


class ReviewServer:
    """Serves a review on the loopback interface.

    Args:
        app: What is served.
        port: The port; one that is free when 0; `PORT` or, if taken, a free one when None.
        token: The secret of this run; random when None.

    Raises:
        OutputError: The port is taken or not allowed.
    """

    def __init__(self, app: ReviewApp, *, port: int | None = None,
                 token: str | None = None) -> None:  # fmt: skip
        self.app = app
        self._http = _listen(port)
        self._http.review = self
        self.port = int(self._http.server_address[1])
        self.access = Access(self.port, token)

    @property
    def url(self) -> str:
        """The link to open; it holds the secret."""
        return f"http://{HOST}:{self.port}/?token={self.access.token}"

    def serve(self) -> None:
        """Serve until `stop` or an interrupt."""
        with contextlib.suppress(KeyboardInterrupt):
            self._http.serve_forever(poll_interval=0.2)
        self._http.server_close()

    def stop(self) -> None:
        """End `serve`, from another thread."""
        self._http.shutdown()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    review: ReviewServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that went away is no error."""


def _listen(port: int | None) -> _Server:
    try:
        return _Server((HOST, PORT if port is None else port), _Handler)
    except OSError as error:
        if port is None and error.errno in (errno.EADDRINUSE, errno.EACCES):
            return _listen(0)
        raise OutputError(f"port {port}: cannot be served: {error.strerror or error}") from error
    except OverflowError as error:
        raise ConfigError(f"port {port} is none of 0 to 65535") from error


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    server_version = "nli-faith"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = _TIMEOUT_SECONDS

    def do_GET(self) -> None:
        """A page, or data for it."""
        query = self._checked("GET")
        if query is None:
            return
        path, app = urlsplit(self.path).path, self.server.review.app
        if path == "/" and "token" in query:
            # From here on the cookie carries it: it is neither in the history nor in a screenshot.
            cookie = self.server.review.access.set_cookie()
            self._answer(303, b"", "text/plain", {"Location": "/", "Set-Cookie": cookie})
        elif path == "/":
            self._answer(200, app.page(), "text/html; charset=utf-8")
        elif path == "/favicon.ico":
            self._answer(204, b"", "image/x-icon")
        else:
            self._api(path, query)

    def do_POST(self) -> None:
        """A verdict."""
        query = self._checked("POST")
        if query is None:
            return
        body = self._body()
        if body is None:
            return
        if urlsplit(self.path).path != "/api/verdict":
            self._json(404, {"error": "no such address"})
            return
        try:
            data = loads(body)
            if not isinstance(data, dict):
                raise ConfigError("an object is expected")
            self._json(*self.server.review.app.save(data))
        except (JsonTextError, UnicodeDecodeError, ConfigError) as error:
            self._json(400, {"error": str(error)})
        except OutputError as error:
            self._json(500, {"error": str(error)})

    def _api(self, path: str, query: dict[str, str]) -> None:
        app, who = self.server.review.app, query.get("reviewer", "")
        try:
            if path == "/api/state":
                self._json(200, app.state(who))
            elif path == "/api/changes":
                self._json(200, app.changes(who, _number(query, "since")))
            elif path == "/api/item":
                self._json(200, app.item(_number(query, "place"), who))
            elif path == "/api/agreement":
                self._json(200, app.agreement())
            elif path == "/api/export":
                rows = reviewed_rows(app.queue, app.store, who or None)
                data = b"".join(dumps(row, newline=True) for row in rows)
                name = 'attachment; filename="reviewed.jsonl"'
                self._answer(200, data, "application/x-ndjson", {"Content-Disposition": name})
            else:
                self._json(404, {"error": "no such address"})
        except NliFaithError as error:
            self._json(400, {"error": str(error)})

    def _checked(self, method: str) -> dict[str, str] | None:
        """The query of a request that may pass; others are answered here."""
        query = {k: v[-1] for k, v in parse_qs(urlsplit(self.path).query).items()}
        why = self.server.review.access.refusal(method, self.headers, query.get("token", ""))  # type: ignore[arg-type]
        if why is None:
            return query
        self.close_connection = True
        self._json(403, {"error": why})
        return None

    def _body(self) -> bytes | None:
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or "Transfer-Encoding" in self.headers:
            self.close_connection = True
            self._json(411, {"error": "Content-Length is needed"})
            return None
        if int(length) > MAX_BODY:
            self.close_connection = True
            self._json(413, {"error": f"more than {MAX_BODY} bytes"})
            return None
        if self.headers.get("Content-Type", "").split(";")[0].strip() != "application/json":
            self.close_connection = True
            self._json(415, {"error": "application/json is expected"})
            return None
        return self.rfile.read(int(length))

    def _json(self, status: int, value: Any) -> None:
        self._answer(status, dumps(value), _JSON)

    def _answer(
        self, status: int, body: bytes, kind: str, more: dict[str, str] | None = None
    ) -> None:
        self.send_response(status)
        for name, value in {**HEADERS, **(more or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged: addresses hold names, and the first one the secret."""


def _number(query: dict[str, str], name: str) -> int:
    value = query.get(name, "0")
    if not value.isascii() or not value.isdigit() or len(value) > 15:
        raise ConfigError(f"{name} must be a whole number, not {value!r:.40}")
    return int(value)
