"""Settings of the service, checked once, and who may reach it."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass, fields

from nli_faith.errors import ConfigError
from nli_faith.service.keys import KeyRing

MIB = 1 << 20
# A browser page of another origin can be made to resolve to 127.0.0.1 (DNS rebinding), but it
# cannot send a Host header that says so.
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]", "::1")


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """Limits and manners of the service. Every limit is named in the error it causes.

    Attributes:
        max_body_bytes: Bytes in a request body; beyond it 413.
        max_records: Records in one request; beyond it 422, as for the next two.
        max_contexts: Contexts of one record, blank ones included.
        max_claims: Claims in one answer.
        max_in_flight: Requests held at once, being read, waiting or being scored; beyond it 429.
        timeout_s: Seconds from the first byte of a request to its result; beyond it 504.
        body_timeout_s: Seconds a body may take to arrive; beyond it 408.
        grace_s: Seconds that a shutdown waits for requests in flight.
        batch_wait_ms: Milliseconds a record waits for others to share its batch; 0 never waits.
        batch_records: Records in one batch; 1 turns micro-batching off.
        batch_chars: Characters of answers and contexts in one batch (a longer record goes alone).
        parallel: Batches that are scored at once, each in a thread of its own.
        host: Address to listen on.
        port: Port to listen on; 0 for a free one.
        allow_no_key: Whether an address other than loopback is served without a key.
        allow_hosts: Further names that a Host header may hold where there is no key.
    """

    max_body_bytes: int = MIB
    max_records: int = 32
    max_contexts: int = 64
    max_claims: int = 200
    max_in_flight: int = 64
    timeout_s: float = 30.0
    body_timeout_s: float = 10.0
    grace_s: float = 35.0
    batch_wait_ms: float = 2.0
    batch_records: int = 8
    batch_chars: int = 40_000
    parallel: int = 1
    host: str = "127.0.0.1"
    port: int = 8087
    allow_no_key: bool = False
    allow_hosts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, low, high in (
            ("max_body_bytes", 1024, 1 << 30),
            ("max_records", 1, 10_000),
            ("max_contexts", 1, 100_000),
            ("max_claims", 1, 100_000),
            ("max_in_flight", 1, 100_000),
            ("batch_records", 1, 10_000),
            ("batch_chars", 1, 1 << 30),
            ("parallel", 1, 256),
            ("port", 0, 65535),
        ):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise ConfigError(f"{name} must be an integer in [{low}, {high}], not {value!r}")
        for name, floor, ceiling in (
            ("timeout_s", 0.01, 3600.0),
            ("body_timeout_s", 0.01, 3600.0),
            ("grace_s", 0.0, 3600.0),
            ("batch_wait_ms", 0.0, 1000.0),
        ):
            value = getattr(self, name)
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not number or not floor <= value <= ceiling:
                raise ConfigError(f"{name} must be in [{floor:g}, {ceiling:g}], not {value!r}")

    def check_exposure(self, keys: KeyRing) -> None:
        """Refuse to serve the network without a key, unless told to.

        Args:
            keys: The keys in force.

        Raises:
            ConfigError: The host is not loopback, there is no key, and ``allow_no_key`` is off;
                or the host cannot be resolved.
        """
        if keys or self.allow_no_key or is_loopback(self.host):
            return
        raise ConfigError(
            f"host {self.host!r} can be reached from other machines and there is no API key: give "
            "one (--api-key-file, or the variable NLI_FAITH_API_KEY), listen on 127.0.0.1, or say "
            "--allow-no-key"
        )

    def host_allowed(self, header: str, keys: KeyRing) -> bool:
        """Whether a request with this Host header is answered.

        Only a keyless service on loopback looks: there a web page could otherwise reach it
        through a name that resolves to 127.0.0.1.

        Args:
            header: The Host header, with or without a port.
            keys: The keys in force.
        """
        if keys or self.allow_no_key:
            return True
        name = header.strip().lower()
        name = name.partition("]")[0] + "]" if name.startswith("[") else name.partition(":")[0]
        return name in (*_LOCAL_HOSTS, *(h.lower() for h in self.allow_hosts))

    def limits(self) -> dict[str, float]:
        """The limits of a request by name, for the API's description."""
        names = [f.name for f in fields(self)]
        return {n: getattr(self, n) for n in names if n.startswith("max_") or n == "timeout_s"}


def is_loopback(host: str) -> bool:
    """Whether every address of a host is loopback.

    Args:
        host: A name or an address; empty means every interface.

    Raises:
        ConfigError: The name has no address.
    """
    if not host:
        return False
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"host {host!r} has no address: {error}") from error
    # A scoped IPv6 address ends in %eth0, which ipaddress before 3.13 does not always take.
    return all(ipaddress.ip_address(str(a[4][0]).partition("%")[0]).is_loopback for a in found)
