"""Around every request: its id, who may come in, one log line, and no exception gets out."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any

from nli_faith.io import dumps
from nli_faith.service.logs import event, failure
from nli_faith.service.problems import Problem

if TYPE_CHECKING:
    from nli_faith.service.app import Service

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]

ROUTES = frozenset(
    {"/v1/score", "/v1/guard", "/v1/explain", "/healthz", "/readyz", "/metrics", "/openapi.json"}
)
# Probes carry no secret, and the description is the same for everyone.
OPEN = frozenset({"/healthz", "/readyz", "/openapi.json"})
_SAFE_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


class Gate:
    """ASGI middleware around the routes; the application that a server runs.

    Attributes:
        service: What the routes share.
    """

    def __init__(self, app: ASGIApp, service: Service) -> None:
        """Wrap the routes.

        Args:
            app: The routes.
            service: What they share.
        """
        self.app, self.service = app, service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or the application's lifespan."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        visit = _Visit(scope, send)
        try:
            self._check(visit)
            await self.app(scope, receive, visit.send)
            await visit.finish()
        except Problem as problem:
            await visit.refuse(problem)
        except Exception as error:
            failure("error", error, request_id=visit.id, route=visit.route)
            text = "the request failed; the log has the id"
            await visit.refuse(Problem(500, "internal", text))
        finally:
            self._note(visit)

    def _check(self, visit: _Visit) -> None:
        settings, keys = self.service.settings, self.service.keys
        if not settings.host_allowed(visit.headers.get("host", ""), keys):
            self.service.metrics.refused.labels("host").inc()
            raise Problem(
                403, "host", "a keyless service on loopback answers to localhost alone "
                "(--allow-host NAME adds a name, --api-key-file a key)",
            )  # fmt: skip
        if visit.path not in OPEN and not keys.opens(visit.headers):
            self.service.metrics.refused.labels("key").inc()
            raise Problem(
                401, "key", "send a valid key as Authorization: Bearer KEY, or as X-API-Key",
                headers={"WWW-Authenticate": "Bearer"},
            )  # fmt: skip

    def _note(self, visit: _Visit) -> None:
        seconds = time.perf_counter() - visit.began
        self.service.metrics.answered(visit.route, visit.status, seconds)
        # The path of an unknown route is the client's own text, and a query may be too.
        event("request", request_id=visit.id, method=visit.method, route=visit.route,
              status=visit.status, ms=round(seconds * 1000, 1), code=visit.code)  # fmt: skip


class _Visit:
    """One request on its way through."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self.began = time.perf_counter()
        self.path: str = scope["path"]
        self.route = self.path if self.path in ROUTES else "other"
        method = scope["method"]
        known = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
        self.method = method if method in known else "other"
        self.headers: dict[str, str] = {}
        for name, value in scope["headers"]:
            # Of a header given twice the first counts; keys must not be joined or overridden.
            self.headers.setdefault(name.decode("latin-1").lower(), value.decode("latin-1"))
        given = self.headers.get("x-request-id", "")
        self.id = given if _SAFE_ID.fullmatch(given) else uuid.uuid4().hex[:16]
        self.status = 0
        self.code: str | None = None
        self._send = send
        self._withheld: Message | None = None

    async def send(self, message: Message) -> None:
        """Pass a message on with the id; of routing errors only the status is taken."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            if self.status in (404, 405):
                self._withheld = message  # answered in our own shape by `finish`
                return
            message = {**message, "headers": [*message["headers"], *self._own_headers()]}
        elif self._withheld is not None:
            return
        await self._send(message)

    async def finish(self) -> None:
        """Answer a path or a method that the routes do not know."""
        if self._withheld is None:
            return
        headers = {
            k.decode().title(): v.decode() for k, v in self._withheld["headers"] if k == b"allow"
        }
        if self.status == 404:
            problem = Problem(404, "no_such_path", "no such path; see /openapi.json")
        else:
            problem = Problem(405, "method", f"{self.route} takes another method", headers=headers)
        self.status = 0
        await self.refuse(problem)

    async def refuse(self, problem: Problem) -> None:
        """Answer with an error; too late where an answer has begun."""
        self.code = problem.code
        if self.status:
            return
        self.status = problem.status
        body = dumps(problem.body(self.id))
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            *((k.lower().encode(), v.encode()) for k, v in problem.headers.items()),
            *self._own_headers(),
        ]
        if problem.status in (408, 413):
            headers.append((b"connection", b"close"))  # the rest of the body is not read
        await self._send(
            {"type": "http.response.start", "status": problem.status, "headers": headers}
        )
        empty = self.method == "HEAD"
        await self._send({"type": "http.response.body", "body": b"" if empty else body})

    def _own_headers(self) -> list[tuple[bytes, bytes]]:
        return [(b"x-request-id", self.id.encode()), (b"cache-control", b"no-store")]
