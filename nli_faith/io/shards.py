"""One part of an input, for array jobs: ``3/16`` is the third of sixteen."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from nli_faith.errors import ConfigError

_SPEC = re.compile(r"(\d+)/(\d+)")


@dataclass(frozen=True, slots=True)
class Shard:
    """Part ``index`` of ``count``, chosen by a hash of the id.

    The same id is in the same part wherever its row stands, and all parts together are the whole.

    Attributes:
        index: From 1 to ``count``.
        count: Number of parts.
    """

    index: int
    count: int

    def __post_init__(self) -> None:
        if not 1 <= self.index <= self.count:
            raise ConfigError(
                f"a shard is I/N with 1 <= I <= N, such as 3/16, not {self.index}/{self.count}"
            )

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read ``3/16``.

        Raises:
            ConfigError: It is no shard.
        """
        match = _SPEC.fullmatch(text.strip())
        if match is None:
            raise ConfigError(f"a shard is I/N, such as 3/16, not {text!r}")
        return cls(int(match[1]), int(match[2]))

    def holds(self, key: str) -> bool:
        """Whether a row belongs to this part.

        Args:
            key: Its id; of an unreadable row, its place.
        """
        digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return int.from_bytes(digest, "big") % self.count == self.index - 1
