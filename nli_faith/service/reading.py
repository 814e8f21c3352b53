"""Reads a request's body within its limits, and notices a client that leaves."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from nli_faith.service.problems import Problem, over_limit
from nli_faith.service.settings import ServiceSettings

if TYPE_CHECKING:
    from starlette.requests import Request


def check_json(request: Request) -> None:
    """Take JSON alone: what a web page of another origin may post without asking is none.

    Args:
        request: The request.

    Raises:
        Problem: 415.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and not (
        kind.startswith("application/") and kind.endswith("+json")
    ):
        raise Problem(415, "not_json", "Content-Type must be application/json")
    if request.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise Problem(415, "encoded_body", "Content-Encoding is not supported: send plain JSON")


async def read_body(request: Request, settings: ServiceSettings) -> bytes:
    """The body, never more of it than allowed in memory.

    Args:
        request: The request.
        settings: The limits.

    Raises:
        Problem: 413 over ``max_body_bytes``, 408 after ``body_timeout_s``, 499 where the client
            left.
    """
    from starlette.requests import ClientDisconnect

    stated = request.headers.get("content-length", "")
    if stated.isdecimal() and int(stated) > settings.max_body_bytes:
        raise _too_large(settings, int(stated))
    try:
        return await asyncio.wait_for(_collect(request, settings), settings.body_timeout_s)
    except (TimeoutError, asyncio.TimeoutError):
        limit = settings.body_timeout_s
        raise Problem(
            408, "body_timeout", f"the body did not arrive within body_timeout_s = {limit:g} s",
            limit={"name": "body_timeout_s", "value": limit, "given": None},
        ) from None  # fmt: skip
    except ClientDisconnect:
        raise Problem(499, "client_gone", "the client closed the connection") from None


async def _collect(request: Request, settings: ServiceSettings) -> bytes:
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > settings.max_body_bytes:
            raise _too_large(settings, None)
    return bytes(data)


def _too_large(settings: ServiceSettings, given: int | None) -> Problem:
    return over_limit(413, "max_body_bytes", settings.max_body_bytes, given, "bytes in the body")


async def until_gone(request: Request) -> None:
    """Return when the client closes the connection.

    Args:
        request: A request whose body has been read.
    """
    while (await request.receive())["type"] != "http.disconnect":
        pass
