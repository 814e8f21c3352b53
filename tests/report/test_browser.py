"""The report in a real Chromium: seen, clicked, typed into, printed. Run with ``pytest -m slow``."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from nli_faith.report import build_report
from tests import browser
from tests.browser import DESKTOP, PHONE, Pages, axe_source, expect, overflow, serious_faults

from .make import CONTEXTS, claim, record, refusal, result, write
from .test_report import HOSTILE

pytestmark = pytest.mark.slow
IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
LIMIT = 150_000  # bytes of an image in the docs
LOOKS = [
    (DESKTOP, "light", "zh-CN"),
    (DESKTOP, "dark", "en"),
    (PHONE, "light", "en"),
    (PHONE, "dark", "zh-CN"),
]
SHOWN = {"report-overview-desktop-dark-en", "report-overview-phone-dark-zh",
         "report-record-desktop-light-zh", "report-record-phone-light-en"}  # fmt: skip
NAMES = ["desktop-light-zh", "desktop-dark-en", "phone-light-en", "phone-dark-zh"]


@pytest.fixture(scope="module")
def chromium():
    with browser.launched() as found:
        yield found


@pytest.fixture
def pages(chromium):
    """Opens pages; nothing may be in the console at the end."""
    found = Pages(chromium)
    yield found
    for context in chromium.contexts:
        context.close()
    assert found.complaints == []


@pytest.fixture(scope="module")
def golden(tmp_path_factory):
    """A report on the golden set, scored by the bundled model."""
    import subprocess
    import sys

    path = tmp_path_factory.mktemp("golden") / "golden.html"
    subprocess.run([sys.executable, "-m", "nli_faith", "demo", "--golden", "--report", str(path), "--lang", "auto"],
                   check=True, capture_output=True)  # fmt: skip
    return path.as_uri()


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """5,000 records."""
    folder = tmp_path_factory.mktemp("many")
    kinds = [
        ("supported",),
        ("supported", "contradicted"),
        ("unsupported",),
        ("supported", "unsupported"),
    ]
    found = [result(f"rec-{i}", kinds[i % 4], meta={"version": f"v{i % 3}"}) for i in range(5000)]
    rows = [record(r, question=f"第{i}个问题？") for i, r in enumerate(found)]
    build_report(
        write(folder / "s.jsonl", found),
        folder / "r.html",
        records=write(folder / "r.jsonl", rows),
        lang="en",
    )
    return (folder / "r.html").as_uri()


def found_is(page, begin: str) -> None:
    """Wait until the list tells so."""
    expect(page.locator("#found")).to_have_text(re.compile("^" + begin))


def shoot(page, name: str) -> None:
    """A screenshot for the docs, where NLI_FAITH_SCREENSHOTS asks for them."""
    if os.environ.get("NLI_FAITH_SCREENSHOTS") and name in SHOWN:
        IMAGES.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=IMAGES / f"{name}.png")
        assert (IMAGES / f"{name}.png").stat().st_size < LIMIT


@pytest.mark.parametrize(("size", "scheme", "locale"), LOOKS, ids=NAMES)
def test_overview_and_record_fit_and_are_accessible(pages, golden, size, scheme, locale):
    page = pages.open(golden, size, scheme, locale)
    name = NAMES[LOOKS.index((size, scheme, locale))]
    assert page.locator("h1").inner_text() == (
        "忠实度报告" if locale == "zh-CN" else "Faithfulness report"
    )
    assert overflow(page) == 0
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 27)"
    assert dark == (scheme == "dark")
    shoot(page, f"report-overview-{name}")
    page.locator(".worst a").first.click()
    page.locator(".claim.contradicted, .claim.unsupported").first.click()
    assert page.locator("mark.ev").count() >= 1
    assert overflow(page) == 0
    page.evaluate("window.scrollTo(0, 0)")
    shoot(page, f"report-record-{name}")


@pytest.mark.parametrize(("size", "scheme", "locale"), LOOKS, ids=NAMES)
def test_axe_finds_no_serious_fault(pages, golden, size, scheme, locale):
    axe = axe_source()
    page = pages.open(golden, size, scheme, locale)
    assert serious_faults(page, axe) == []
    page.locator(".worst a").first.click()
    page.locator(".claim").first.click()
    assert serious_faults(page, axe) == []


def test_record_shows_evidence_in_its_place(pages, tmp_path):
    found = result("a")
    build_report(write(tmp_path / "s.jsonl", [found]), tmp_path / "r.html",
                 records=write(tmp_path / "r.jsonl", [record(found)]), lang="zh")  # fmt: skip
    page = pages.open((tmp_path / "r.html").as_uri() + "#record=a")
    claims = page.locator(".answer .claim")
    assert claims.count() == 2
    claims.nth(0).hover()
    assert page.locator("#context-1 mark.ev.supported").inner_text() == "电池保修一年。"
    claims.nth(1).click()
    assert page.evaluate("location.hash") == "#record=a&claim=2"
    assert "".join(page.locator("#context-2 mark.ev.contradicted").all_inner_texts()) == CONTEXTS[1]
    # The clashing figures, on both sides.
    assert page.locator("#context-2 mark.clash").inner_text() == "500元"
    assert page.locator("#claim-2 .claim-text mark.clash").inner_text() == "800元"
    # Told apart by more than colour.
    styles = [claims.nth(i).evaluate("e => getComputedStyle(e).borderBottomStyle") for i in (0, 1)]
    assert styles == ["solid", "double"]
    assert claims.nth(1).inner_text().startswith("✗")
    # The pinned claim is back when the mouse has left another one.
    claims.nth(0).hover()
    page.mouse.move(5, 5)
    assert page.locator("#context-2 mark.ev").count() >= 1
    assert page.locator("#context-1 mark.ev").count() == 0


def test_keyboard_alone(pages, many):
    page = pages.open(many)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "skip"
    page.keyboard.press("/")
    page.keyboard.type("rec-17")
    found_is(page, "111 of")
    assert page.evaluate("document.activeElement.id") == "q"
    assert page.evaluate("document.activeElement.value") == "rec-17"
    page.keyboard.press("Escape")
    page.locator(".list a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".record")
    assert page.evaluate("document.activeElement.id") == "heading"
    first = page.locator("#heading").inner_text()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#heading")).not_to_have_text(first)
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#heading")).to_have_text(first)
    page.keyboard.press("j")
    assert page.locator(".claim-card.active").get_attribute("id") == "claim-1"
    page.locator(".answer .claim").first.focus()
    page.keyboard.press("Enter")
    assert page.locator(".answer .claim").first.get_attribute("aria-pressed") == "true"
    page.keyboard.press("Escape")
    page.wait_for_selector(".list")
    assert page.locator("#q").input_value() == "rec-17"  # the list is as it was left


def test_five_thousand_records_in_pages(pages, many):
    page = pages.open(many)
    assert page.locator(".list tbody tr").count() == 50
    page.locator("#page-last").click()
    assert page.locator(".list tbody tr").count() == 50
    assert "page 100 of 100" in page.locator(".pager").inner_text()
    page.select_option("#label", "contradicted")
    assert page.locator("#found").inner_text().startswith("1,250 of 5,000")
    page.select_option("#label", "")
    page.select_option("#flag", "quantity_mismatch")
    assert page.locator("#found").inner_text().startswith("1,250 of 5,000")
    page.locator("#clear").click()
    page.fill("#q", "第4321个")
    found_is(page, "1 of")
    assert page.locator(".list a").inner_text() == "rec-4321"
    page.locator("#clear").click()
    page.locator(".groups button").first.click()
    assert page.locator("#found").inner_text().startswith(("1,666 of", "1,667 of"))
    page.locator("#clear").click()
    page.locator(".column").last.click()  # the stacked chart has no buttons
    page.locator("button.column:not([disabled])").last.click()
    assert page.locator("#found").inner_text().startswith("1,250 of 5,000")


def test_link_opens_one_record(pages, many):
    page = pages.open(many + "#record=rec-4321&claim=1")
    assert page.locator("#heading").inner_text() == "rec-4321"
    assert page.locator("#claim-1.active").count() == 1
    assert page.locator("#link").get_attribute("href") == "#record=rec-4321"
    page.goto(many + "#record=gone")
    page.reload()
    assert "no such record" in page.locator("#heading").inner_text()


def test_language_and_theme_can_be_changed(pages, many):
    page = pages.open(many)
    page.locator("#lang").click()
    assert page.locator("h1").inner_text() == "忠实度报告"
    assert page.evaluate("document.documentElement.lang") == "zh-CN"
    assert page.evaluate("document.activeElement.id") == "lang"
    page.locator("#theme").click()
    page.locator("#theme").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.locator("h1").inner_text() == "忠实度报告"


def test_prints_light_and_without_controls(pages, golden):
    page = pages.open(golden, scheme="dark")
    page.locator(".worst a").first.click()
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    for hidden in (".bar", ".record-nav"):
        assert not page.locator(hidden).is_visible()
    assert page.locator(".context").first.is_visible()
    assert (
        page.evaluate("getComputedStyle(document.querySelector('.contexts')).maxHeight") == "none"
    )
    assert len(page.pdf()) > 10_000


def test_hostile_text_is_shown_and_never_run(pages, tmp_path):
    found, rows = [], []
    for i, text in enumerate(HOSTILE):
        base = result(f"{i}{text}", ("supported",), meta={text: text})
        said = claim(text, 0, "unsupported", flags=(f"quantity_missing:{text}", f"{text}:x"))
        found.append(
            type(base)(
                **{**{f: getattr(base, f) for f in base.__dataclass_fields__}, "claims": (said,)}
            )
        )
        rows.append({"id": base.id, "question": text, "answer": text, "contexts": [text]})
    found.append(refusal())
    build_report(write(tmp_path / "s.jsonl", found), tmp_path / "r.html", records=write(tmp_path / "r.jsonl", rows),
                 title=HOSTILE[0], by=(HOSTILE[1],), lang="en")  # fmt: skip
    page = pages.open((tmp_path / "r.html").as_uri())
    assert page.locator(".list tbody tr").count() == len(HOSTILE) + 1
    for i in range(len(HOSTILE)):
        page.locator(".list a").nth(i).click()
        page.wait_for_selector(".record")
        assert page.locator(".claim-card").count() == 1
        page.reload()  # the address alone finds it again, lone surrogates or not
        assert page.locator(".claim-card").count() == 1
        assert page.locator(".answer").inner_text()
        page.locator("#back").click()
        page.wait_for_selector(".list")
    assert page.evaluate("window.pwned") is None
    assert page.locator("img, main script, iframe").count() == 0
    # What cannot be seen is made visible, and cannot turn around the text behind it.
    page.fill("#q", "右到左")
    found_is(page, "1 of")
    page.locator(".list a").first.click()
    page.wait_for_selector(".record")
    assert "U+202E" in page.locator(".answer").inner_text()
    assert "\u202e" not in page.locator("main").inner_text()
