"""Bundled example records."""

from __future__ import annotations

from importlib import resources

DEMO = "demo_zh.jsonl"


def demo_bytes() -> bytes:
    """The demo records as UTF-8 JSON lines."""
    return resources.files(__name__).joinpath(DEMO).read_bytes()
