"""A pytest plugin: no test may so much as try to reach the network.

An audit hook sees every attempt, also from C code and other threads, and whatever a library
makes of the error; it cannot be taken back. Unix sockets stay, for event loops.
"""

from __future__ import annotations

import sys

import pytest

ATTEMPTS: list[str] = []
_LOOKUPS = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}
_SENDS = {"socket.connect", "socket.sendto", "socket.sendmsg"}


def _watch(event: str, args: tuple) -> None:
    if event in _LOOKUPS:
        _refuse(f"{event} {args[0]!r}")
    elif event in _SENDS:
        address = args[1] if len(args) > 1 else None
        if isinstance(address, tuple):
            _refuse(f"{event} {address!r}")


def _refuse(what: str) -> None:
    ATTEMPTS.append(what)
    raise OSError(f"no network in this test: {what}")


sys.addaudithook(_watch)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if ATTEMPTS:
        session.exitstatus = 99


def pytest_unconfigure(config: pytest.Config) -> None:
    print(f"network attempts: {len(ATTEMPTS)} {ATTEMPTS[:5]}")
