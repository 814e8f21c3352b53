"""API keys: where they come from, and how one is compared."""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from nli_faith.errors import ConfigError, InputError

ENV_KEY = "NLI_FAITH_API_KEY"
MIN_LENGTH = 16
_SCHEME = "bearer "


class KeyRing:
    """The keys that open the service; empty where none is needed.

    Only hashes are kept, so that a key is never in a traceback or a dump. Comparing takes the
    same time wherever keys differ, and all are compared whichever fits.
    """

    def __init__(self, keys: Iterable[str] = ()) -> None:
        """Take the keys.

        Args:
            keys: Printable ASCII, each of at least 16 characters.

        Raises:
            ConfigError: A key is too short, or holds a space or a character that no header can
                carry. The message tells its place, never the key.
        """
        digests = []
        for n, key in enumerate(keys, start=1):
            if len(key) < MIN_LENGTH:
                raise ConfigError(
                    f"API key {n} has {len(key)} characters; it needs {MIN_LENGTH}: "
                    'python -c "import secrets; print(secrets.token_urlsafe(32))" makes one'
                )
            if not all("!" <= c <= "~" for c in key):
                raise ConfigError(f"API key {n} holds a space or a character beyond ASCII")
            digests.append(_digest(key.encode()))
        self._digests = tuple(digests)

    def __bool__(self) -> bool:
        return bool(self._digests)

    def opens(self, headers: Mapping[str, str]) -> bool:
        """Whether a request may pass.

        Args:
            headers: Its headers; ``Authorization: Bearer KEY`` and ``X-API-Key: KEY`` count.
        """
        if not self._digests:
            return True
        given = headers.get("x-api-key", "")
        authorization = headers.get("authorization", "")
        if authorization[: len(_SCHEME)].lower() == _SCHEME:
            given = authorization[len(_SCHEME) :].strip()
        digest = _digest(given.encode("utf-8", "surrogateescape"))
        fits = [hmac.compare_digest(digest, known) for known in self._digests]
        return any(fits)


def load_keys(path: str | None, environ: Mapping[str, str] | None = None) -> KeyRing:
    """Keys of a file, or of the environment where there is no file.

    Args:
        path: One key a line, so that an old and a new one can both be valid for a while; blank
            lines and lines with ``#`` first are skipped.
        environ: The environment; the process's when None.

    Raises:
        InputError: The file cannot be read, or holds no key.
        ConfigError: A key is not usable.
    """
    if path is None:
        key = (os.environ if environ is None else environ).get(ENV_KEY, "").strip()
        return KeyRing([key] if key else [])
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot read API keys: {error}") from error
    keys = [s for line in text.splitlines() if (s := line.strip()) and not s.startswith("#")]
    if not keys:
        # Serving without a key because its file is empty would be the worst reading of it.
        raise InputError(f"{path}: holds no API key")
    return KeyRing(keys)


def _digest(key: bytes) -> bytes:
    return hashlib.sha256(key).digest()
