"""The application: routes, admission, and how one request becomes one answer."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from nli_faith.datamodels import Record
from nli_faith.errors import MissingExtraError
from nli_faith.io import dumps
from nli_faith.results import FaithfulnessResult
from nli_faith.scorer import FaithfulnessScorer
from nli_faith.service import answers
from nli_faith.service.batching import MicroBatcher
from nli_faith.service.bodies import Request as Parsed
from nli_faith.service.bodies import parse
from nli_faith.service.gate import Gate
from nli_faith.service.keys import KeyRing
from nli_faith.service.logs import event
from nli_faith.service.metrics import EXTRA, ServiceMetrics
from nli_faith.service.openapi import EXAMPLE_RECORD, describe
from nli_faith.service.problems import Problem
from nli_faith.service.reading import check_json, read_body, until_gone
from nli_faith.service.settings import ServiceSettings

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Router

#: Makes the JSON of one record's answer.
Answer = Callable[[Record, FaithfulnessResult, Parsed], dict[str, Any]]


class Service:
    """What the routes share: scorer, batcher, metrics and the count of requests in flight."""

    def __init__(
        self, scorer: FaithfulnessScorer, settings: ServiceSettings, keys: KeyRing
    ) -> None:
        """Put the parts together; nothing runs yet.

        Args:
            scorer: The scorer.
            settings: Limits and manners.
            keys: The keys that open it.

        Raises:
            MissingExtraError: prometheus-client is not installed.
        """
        self.scorer, self.settings, self.keys = scorer, settings, keys
        self.metrics = ServiceMetrics(scorer.info)
        self.state = "starting"
        self.in_flight = 0
        self.example: dict[str, Any] | None = None
        self.batcher = MicroBatcher(
            scorer,
            wait_ms=settings.batch_wait_ms if settings.batch_records > 1 else 0,
            max_records=settings.batch_records,
            max_chars=settings.batch_chars,
            parallel=settings.parallel,
            observer=self.metrics,
        )
        self.metrics.in_flight.set_function(lambda: self.in_flight)
        self.metrics.waiting.set_function(lambda: self.batcher.waiting)

    @asynccontextmanager
    async def life(self, _app: Any) -> AsyncIterator[None]:
        """Warm up, serve, and finish what is held."""
        self.batcher.start()
        record = Record("example", EXAMPLE_RECORD["answer"], tuple(EXAMPLE_RECORD["contexts"]))
        result = await self.batcher.submit(record)
        self.example = result.to_dict()
        self.state = "ready"
        facts: dict[str, Any] = {**self.scorer.info.to_dict()}
        event("ready", **facts)
        try:
            yield
        finally:
            self.state = "stopping"
            held = self.batcher.waiting
            await self.batcher.stop()
            event("stopped", held_records=held)

    # --- admission

    def admit(self) -> None:
        """Refuse a request that is one too many.

        Raises:
            Problem: 429 with Retry-After, or 503 while starting or stopping.
        """
        if self.state != "ready":
            raise Problem(503, "not_ready", f"the service is {self.state}",
                          headers={"Retry-After": "1"})  # fmt: skip
        allowed = self.settings.max_in_flight
        if self.in_flight >= allowed:
            seconds = math.ceil(self.batcher.seconds_for(max(self.batcher.waiting, allowed // 2)))
            self.metrics.refused.labels("overloaded").inc()
            raise Problem(
                429, "overloaded",
                f"{self.in_flight} requests are held already; the limit max_in_flight is {allowed}",
                limit={"name": "max_in_flight", "value": allowed, "given": self.in_flight + 1},
                headers={"Retry-After": str(min(60, max(1, seconds)))},
            )  # fmt: skip

    def why_not_ready(self) -> str | None:
        """A word why no request should be sent here; None when all is well."""
        if self.state != "ready":
            return self.state
        if not self.batcher.alive:
            return "dead"
        # A batch may take as long as its requests may; beyond that nobody waits for it any more.
        if self.batcher.busy_for() > 2 * self.settings.timeout_s:
            return "stalled"
        return None

    # --- one request

    async def respond(self, request: Request, answer: Answer) -> Response:
        """Read, score and answer within the timeout.

        Args:
            request: The request.
            answer: Makes the JSON for one record.

        Raises:
            Problem: The request cannot be served; see the API description.
        """
        self.admit()
        self.in_flight += 1
        try:
            return await asyncio.wait_for(self._respond(request, answer), self.settings.timeout_s)
        except (TimeoutError, asyncio.TimeoutError):
            seconds = self.settings.timeout_s
            self.metrics.refused.labels("timeout").inc()
            raise Problem(
                504, "timeout", f"no result within timeout_s = {seconds:g} seconds",
                limit={"name": "timeout_s", "value": seconds, "given": None},
            ) from None  # fmt: skip
        finally:
            self.in_flight -= 1

    async def _respond(self, request: Request, answer: Answer) -> Response:
        from starlette.responses import Response

        check_json(request)
        data = await read_body(request, self.settings)
        parsed = await asyncio.to_thread(parse, data, self.settings, self.scorer.config)
        results = await self._score(request, parsed.records)

        def body() -> bytes:
            made = [answer(*pair, parsed) for pair in zip(parsed.records, results, strict=True)]
            return dumps({"results": made} if parsed.many else made[0])

        return Response(await asyncio.to_thread(body), media_type="application/json")

    async def _score(self, request: Request, records: Sequence[Record]) -> list[FaithfulnessResult]:
        """Results in order; places in the queue go back when the client does, or time is up."""
        futures = [self.batcher.submit(record) for record in records]
        scored = asyncio.gather(*futures)
        gone = asyncio.create_task(until_gone(request))
        try:
            either: list[asyncio.Future[Any]] = [scored, gone]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if not scored.done():
                self.metrics.refused.labels("client_gone").inc()
                raise Problem(499, "client_gone", "the client closed the connection")
            return list(scored.result())
        finally:
            gone.cancel()
            for future in futures:
                future.cancel()


def create_app(
    scorer: FaithfulnessScorer,
    settings: ServiceSettings | None = None,
    keys: KeyRing | None = None,
) -> Any:
    """The ASGI application, for `run_server` or any ASGI server of yours.

    One process scores with one scorer; run several behind a balancer for more machines.

    Args:
        scorer: The scorer; its options decide every verdict.
        settings: Limits and manners; the defaults when None.
        keys: The keys that open it; none when None.

    Returns:
        An ASGI application whose ``service`` attribute is the `Service`.

    Raises:
        MissingExtraError: Starlette or prometheus-client is not installed.
        ConfigError: The host is not loopback and there is no key.
    """
    settings, keys = settings or ServiceSettings(), keys or KeyRing()
    settings.check_exposure(keys)
    service = Service(scorer, settings, keys)
    return Gate(_routes(service), service)


def _routes(service: Service) -> Router:
    try:
        from starlette.responses import JSONResponse, Response
        from starlette.routing import Route, Router
    except ImportError as error:
        raise MissingExtraError("starlette", EXTRA) from error

    async def health(_request: Request) -> Response:
        alive = service.batcher.alive
        return JSONResponse({"status": "ok" if alive else "dead"}, 200 if alive else 503)

    async def ready(_request: Request) -> Response:
        why = service.why_not_ready()
        return JSONResponse({"status": why or "ready"}, 503 if why else 200)

    async def metrics(_request: Request) -> Response:
        return Response(
            service.metrics.text(), headers={"Content-Type": service.metrics.content_type}
        )

    async def openapi(_request: Request) -> Response:
        made = describe(service.settings, bool(service.keys), service.example)
        return Response(dumps(made), media_type="application/json")

    def scoring(answer: Answer) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            return await service.respond(request, answer)

        return endpoint

    guarded = answers.guarded(service.scorer.config, service.metrics)
    routes = [
        Route("/v1/score", scoring(answers.scored), methods=["POST"]),
        Route("/v1/guard", scoring(guarded), methods=["POST"]),
        Route("/v1/explain", scoring(answers.explained), methods=["POST"]),
        Route("/healthz", health),
        Route("/readyz", ready),
        Route("/metrics", metrics),
        Route("/openapi.json", openapi),
    ]
    # A bare router: the application class would answer exceptions itself, and log their messages.
    return Router(routes, redirect_slashes=False, lifespan=service.life)
