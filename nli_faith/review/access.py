"""Who may talk to the server: this browser, through the link that the terminal printed.

A page on the internet can make a browser send requests to 127.0.0.1, and can give 127.0.0.1 a name
of its own (DNS rebinding). So every request must name this server as its host, must not come from
another site, and must carry the token of this run.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie

HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""Sent with every answer."""


class Access:
    """Checks requests.

    Args:
        port: The server's port.
        token: The secret of this run; a random one of 256 bits when None.
    """

    def __init__(self, port: int, token: str | None = None) -> None:
        self.port = port
        self.token = token or secrets.token_urlsafe(32)
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self._origins = {f"http://{host}" for host in self._hosts}
        # Cookies are shared by all ports of a host: two servers must not take each other's.
        self.cookie = f"nli_faith_review_{port}"

    def refusal(self, method: str, headers: Mapping[str, str], query_token: str) -> str | None:
        """Why a request is refused; None when it may pass.

        Args:
            method: ``GET`` or ``POST``.
            headers: The request's, looked up without regard to case.
            query_token: The token in its address, if any.
        """
        if headers.get("Host", "") not in self._hosts:
            return "this server answers to 127.0.0.1 alone"
        origin = headers.get("Origin")
        if origin is None and method == "POST":
            return "a request that writes must say where it comes from (Origin)"
        if origin is not None and origin not in self._origins:
            return "requests from other sites are refused"
        if headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            return "requests from other sites are refused"
        if not self.knows(query_token) and not self.knows(self._from_cookie(headers)):
            return "the link is not that of the running review: open the one in the terminal"
        return None

    def knows(self, token: str) -> bool:
        """Whether a token is this run's, in time that does not depend on where it differs."""
        return hmac.compare_digest(token.encode("utf-8", "replace"), self.token.encode())

    def set_cookie(self) -> str:
        """The header that keeps the token in the browser and out of the address bar."""
        return f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Strict"

    def _from_cookie(self, headers: Mapping[str, str]) -> str:
        try:
            found = SimpleCookie(headers.get("Cookie", "")).get(self.cookie)
        except CookieError:
            return ""
        return found.value if found else ""
