"""A real Chromium for tests of pages, where there is one; they say why they are skipped elsewhere."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium_path() -> str | None:
    return os.environ.get("NLI_FAITH_CHROMIUM") or next(
        filter(None, map(shutil.which, _NAMES)), None
    )


def axe_source() -> str:
    """The text of axe-core's axe.min.js; skips where it is not named."""
    path = os.environ.get("NLI_FAITH_AXE")
    if not path or not Path(path).is_file():
        pytest.skip(
            "axe-core is not here: npm install axe-core, and name its axe.min.js in NLI_FAITH_AXE"
        )
    return Path(path).read_text(encoding="utf-8")


def expect(locator: Any) -> Any:
    """Playwright's waiting assertions (its ``wait_for_function`` needs eval, which pages forbid)."""
    from playwright.sync_api import expect as expected

    return expected(locator)


@contextlib.contextmanager
def launched() -> Iterator[Any]:
    """A browser."""
    api = pytest.importorskip(
        "playwright.sync_api", reason="needs playwright: pip install '.[browser]'"
    )
    path = chromium_path()
    if path is None:
        pytest.skip("needs Chromium: apt-get install chromium, or name one in NLI_FAITH_CHROMIUM")
    with api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


class Pages:
    """Opens pages and collects what the console says."""

    def __init__(self, browser: Any) -> None:
        self.browser = browser
        self.complaints: list[str] = []

    def context(self, size=DESKTOP, scheme="light", locale="zh-CN", **more) -> Any:
        return self.browser.new_context(viewport=size, color_scheme=scheme, locale=locale, **more)

    def open(self, url: str, size=DESKTOP, scheme="light", locale="zh-CN", context=None) -> Any:
        page = (context or self.context(size, scheme, locale)).new_page()
        page.set_default_timeout(30_000)
        page.on(
            "console",
            lambda m: self.complaints.append(m.text) if m.type in ("error", "warning") else None,
        )
        page.on("pageerror", lambda e: self.complaints.append(str(e)))
        page.goto(url)
        return page


def serious_faults(page: Any, axe: str) -> list[str]:
    """What axe finds that is serious or critical: rule and elements."""
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    assert found["passes"], "axe did not run"
    return [
        f"{v['id']}: {[n['html'][:120] for n in v['nodes'][:3]]}"
        for v in found["violations"]
        if v["impact"] in ("serious", "critical")
    ]


def overflow(page: Any) -> int:
    """How far the page is wider than the screen, in pixels."""
    return page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
