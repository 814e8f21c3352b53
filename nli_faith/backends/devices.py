"""Where a model runs: ``auto``, ``cpu``, ``cuda``, ``cuda:1``, ``tensorrt``, ``mps``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import ConfigError

_SPEC = re.compile(r"(?P<kind>auto|cpu|mps|(?:cuda|tensorrt)(?::(?P<index>\d+))?)")


@dataclass(frozen=True, slots=True)
class Device:
    """One device.

    Attributes:
        kind: ``auto``, ``cpu``, ``cuda``, ``tensorrt`` or ``mps``.
        index: Number of the GPU.
    """

    kind: str
    index: int = 0

    def __str__(self) -> str:
        return f"{self.kind}:{self.index}" if self.kind in ("cuda", "tensorrt") else self.kind


def parse_device(text: str) -> Device:
    """Read one device.

    Raises:
        ConfigError: It is none.
    """
    match = _SPEC.fullmatch(str(text).strip().lower())
    if match is None:
        raise ConfigError(f"device must be auto, cpu, mps, cuda, cuda:N or tensorrt, not {text!r}")
    return Device(match["kind"].split(":")[0], int(match["index"] or 0))


def choose(wanted: Device, available: Sequence[str], library: str) -> Device:
    """The device to use.

    Args:
        wanted: What the user asked for; ``auto`` takes a GPU where there is one.
        available: Kinds that the library can use here, best first.
        library: Its name, for the message.

    Raises:
        ConfigError: It is not there; those that are, are listed.
    """
    if wanted.kind == "auto":
        return Device(available[0] if available[0] != "tensorrt" else "cuda")
    if wanted.kind not in available:
        raise ConfigError(
            f"device {str(wanted)!r} is not available to {library} here; there is: "
            f"{', '.join(available)}"
        )
    return wanted


def split_devices(text: str) -> list[str]:
    """``cuda:0,1`` or ``cuda:0,cuda:1`` as one device each; anything else as it is.

    Raises:
        ConfigError: An entry is no device, or one is named twice.
    """
    kind, out = "", []
    for part in str(text).split(","):
        name = part.strip()
        if name.isdigit() and kind:
            name = f"{kind}:{name}"
        device = parse_device(name)
        kind = device.kind
        out.append(str(device) if ":" in name or kind != "cuda" else name)
    if len(set(out)) != len(out):
        raise ConfigError(f"a device is named twice in {text!r}")
    return out
