"""The review page in a real Chromium, by keyboard. Run with ``pytest -m slow``."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from nli_faith.review import ReviewServer, VerdictStore, load_queue
from nli_faith.review.app import ReviewApp
from tests import browser
from tests.browser import DESKTOP, PHONE, Pages, axe_source, expect, overflow, serious_faults
from tests.report.make import record, result, write
from tests.report.test_browser import IMAGES, LIMIT, LOOKS, NAMES
from tests.report.test_report import HOSTILE

pytestmark = pytest.mark.slow
SHOWN = {"review-desktop-light-zh", "review-phone-dark-zh"}
ROOT = Path(__file__).resolve().parents[2]


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


@pytest.fixture
def serve(tmp_path):
    """Serves queues from threads."""
    running = []

    def call(results=None, rows=None, **options) -> ReviewServer:
        results = results or [result("a"), result("b", ("unsupported",))]
        rows = rows or [record(r) for r in results]
        queue = load_queue(
            write(tmp_path / "q.jsonl", results), records=write(tmp_path / "r.jsonl", rows)
        )
        store = VerdictStore(tmp_path / "v.sqlite")
        options = {"reviewer": "lin", "lang": "zh", **options}
        server = ReviewServer(ReviewApp(queue, store, **options), port=0)
        thread = threading.Thread(target=server.serve, daemon=True)
        thread.start()
        running.append((server, thread, store))
        return server

    yield call
    for server, thread, store in running:
        server.stop()
        thread.join(10)
        store.close()


def said(server, reviewer="lin") -> dict[tuple[str, int], str]:
    """Verdicts by the record's id and the claim's number."""
    ids = {row.key: row.result.id for row in server.app.queue.rows}
    return {(ids[v.record], v.n): v.verdict for v in server.app.store.current(reviewer)}


def at(page, text: str) -> None:
    expect(page.locator("#claim-title")).to_have_text(text)


def test_review_by_keyboard_alone(pages, serve):
    server = serve()
    page = pages.open(server.url)
    at(page, "电池保修一年。")
    assert page.url.startswith(
        f"http://127.0.0.1:{server.port}/#"
    )  # the secret is not in the address
    page.keyboard.press("Enter")  # as the model says
    at(page, "住宿费每晚800元。")
    assert page.locator("#context-2 mark.clash").inner_text() == "500元"
    page.keyboard.press("n")
    page.keyboard.type("按 3 无关 z")  # keys are text in a field
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    at(page, "门店提供取件。")
    page.keyboard.press("4")
    expect(page.locator("#progress-text")).to_have_text("已审 3 / 3")
    expect(page.locator("#status")).to_have_text("✓ 已全部保存")
    assert said(server) == {("a", 1): "supported", ("a", 2): "contradicted", ("b", 1): "unsure"}
    assert [v.note for v in server.app.store.current() if v.n == 2] == ["按 3 无关 z"]
    page.keyboard.press("z")  # takes the last one back
    expect(page.locator("#progress-text")).to_have_text("已审 2 / 3")
    page.keyboard.press("ArrowLeft")
    at(page, "住宿费每晚800元。")
    page.keyboard.press("1")  # and corrects another
    at(page, "门店提供取件。")
    expect(page.locator("#status")).to_have_text("✓ 已全部保存")
    assert said(server) == {("a", 1): "supported", ("a", 2): "supported"}
    page.reload()
    at(page, "门店提供取件。")
    expect(page.locator("#progress-text")).to_have_text("已审 2 / 3")


def test_second_tab_sees_and_does_not_overwrite(pages, serve):
    server = serve()
    context = pages.context()
    one = pages.open(server.url, context=context)
    two = pages.open(f"http://127.0.0.1:{server.port}/", context=context)
    at(one, "电池保修一年。")
    at(two, "电池保修一年。")
    one.keyboard.press("2")
    expect(two.locator("#progress-text")).to_have_text(
        "已审 1 / 3",
    )
    expect(two.locator('[data-verdict="contradicted"]')).to_have_attribute("aria-pressed", "true")
    # Both at once: what came first stands until it is seen. The tab is kept from hearing of it.
    two.route("**/api/changes*", lambda route: route.abort())
    one.keyboard.press("ArrowLeft")
    at(one, "电池保修一年。")
    one.keyboard.press("3")
    expect(one.locator("#status")).to_have_text("✓ 已全部保存")
    two.keyboard.press("1")
    expect(two.locator("#status")).to_contain_text("材料未支持")
    assert said(server)[("a", 1)] == "unsupported"
    two.locator("#claim-title").focus()
    two.keyboard.press("1")
    expect(two.locator("#progress-text")).to_have_text("已审 1 / 3")
    two.unroute("**/api/changes*")
    expect(two.locator("#status")).to_have_text("✓ 已全部保存")
    assert said(server)[("a", 1)] == "supported"
    pages.complaints[:] = [c for c in pages.complaints if "409" not in c and "ERR_FAILED" not in c]


def test_other_reviewer_is_hidden_until_one_has_judged(pages, serve):
    server = serve()
    queue = server.app.queue
    for place, verdict in enumerate(("unsupported", "contradicted", "unsupported")):
        row, claim = queue.items[place]
        server.app.store.add(uid=f"u{place}", record=queue.rows[row].key, n=claim + 1, reviewer="wang",
                             verdict=verdict, note="因为")  # fmt: skip
    page = pages.open(server.url)
    at(page, "电池保修一年。")
    assert page.locator(".others").count() == 0
    page.keyboard.press("1")
    at(page, "住宿费每晚800元。")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".others")).to_contain_text("wang: 材料未支持 — 因为")
    page.keyboard.press("g")
    at(page, "住宿费每晚800元。")
    page.keyboard.press("Enter")
    at(page, "门店提供取件。")
    page.keyboard.press("Enter")
    expect(page.locator("#progress-text")).to_have_text("已审 3 / 3")
    expect(page.locator("#status")).to_have_text("✓ 已全部保存")
    page.locator("#agree").click()
    row = page.locator("tbody tr").first
    expect(row).to_be_visible()
    # By hand: both agree on 2 of 3. Expected by chance (1*0 + 2*3) / 9 of two, (0 + 1 + 2) / 9 of three.
    assert [c.strip() for c in row.locator("th, td").all_inner_texts()] == [
        "lin × wang",
        "3",
        "66.7%",
        "0.00",
        "66.7%",
        "0.50",
    ]
    page.keyboard.press("Escape")
    page.select_option("#filter", "disputed")
    at(page, "电池保修一年。")


def test_model_is_hidden_in_a_blind_review(pages, serve):
    page = pages.open(serve(blind=True).url)
    at(page, "电池保修一年。")
    text = page.locator("main").inner_text()
    assert "模型判定" not in text
    assert page.locator(".confirm, .meter, .flag").count() == 0
    assert page.locator("#context-1 mark.ev").inner_text() == "电池保修一年。"
    page.keyboard.press("Enter")  # there is nothing to agree with
    expect(page.locator("#progress-text")).to_have_text("已审 0 / 3")


def test_verdict_survives_a_killed_server(pages, tmp_path):
    found = [result("a"), result("b", ("unsupported",))]
    queue = write(tmp_path / "q.jsonl", found)
    call = [
        sys.executable,
        "-m",
        "nli_faith",
        "review",
        str(queue),
        "--no-browser",
        "--reviewer",
        "lin",
        "--lang",
        "zh",
    ]

    def begin(port: str) -> tuple[subprocess.Popen, str]:
        server = subprocess.Popen(
            [*call, "--port", port], stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        for line in server.stdout:
            if found := re.search(r"http://127\.0\.0\.1:(\d+)/\?token=\S+", line):
                return server, found.group()
        raise AssertionError("the server printed no link")

    server, url = begin("0")
    try:
        page = pages.open(url)
        at(page, "电池保修一年。")
        page.keyboard.press("1")
        at(page, "住宿费每晚800元。")
        expect(page.locator("#status")).to_have_text("✓ 已全部保存")
        server.send_signal(signal.SIGKILL)
        server.wait(10)
        page.keyboard.press("3")
        expect(page.locator("#status")).to_contain_text("1 个判定尚未保存")
        server, again = begin(re.search(r":(\d+)/", url).group(1))
        expect(page.locator("#status")).to_contain_text(
            "服务已重新启动",
        )
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto(again)
        at(page, "门店提供取件。")
        expect(page.locator("#progress-text")).to_have_text("已审 2 / 3")
        expect(page.locator("#status")).to_have_text("✓ 已全部保存")
        with VerdictStore(f"{queue}.review.sqlite") as store:
            assert [(v.n, v.verdict) for v in store.current()] == [
                (1, "supported"),
                (2, "unsupported"),
            ]
    finally:
        server.kill()
        server.wait(10)
        server.stdout.close()
    pages.complaints[:] = [c for c in pages.complaints if not re.search("ERR_|403", c)]


def test_hostile_text_is_shown_and_never_run(pages, serve):
    from tests.report.make import claim

    found, rows = [], []
    for i, text in enumerate(HOSTILE):
        base = result(f"{i}{text}", ("supported",))
        said_ = claim(text, 0, "unsupported", flags=(f"quantity_missing:{text}",))
        found.append(
            type(base)(
                **{**{f: getattr(base, f) for f in base.__dataclass_fields__}, "claims": (said_,)}
            )
        )
        rows.append({"id": base.id, "question": text, "answer": text, "contexts": [text]})
    server = serve(found, rows)
    page = pages.open(server.url)
    for i in range(len(HOSTILE)):
        expect(page.locator(".steps")).to_contain_text(f"{i + 1} / {len(HOSTILE)}")
        page.keyboard.press("1")
    expect(page.locator("#progress-text")).to_have_text(f"已审 {len(HOSTILE)} / {len(HOSTILE)}")
    expect(page.locator("#status")).to_have_text("✓ 已全部保存")
    assert len(server.app.store.current("lin")) == len(HOSTILE)
    assert page.evaluate("window.pwned") is None


def test_name_is_asked_for_and_checked(pages, serve):
    page = pages.open(serve(reviewer="").url)
    page.fill("#name", "王\u200b芳")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_be_visible()
    page.fill("#name", "王芳")
    page.keyboard.press("Enter")
    at(page, "电池保修一年。")
    expect(page.locator("#who")).to_have_text("审核者 王芳")
    pages.complaints[:] = [c for c in pages.complaints if "400" not in c]


@pytest.mark.parametrize(("size", "scheme", "locale"), LOOKS, ids=NAMES)
def test_page_fits_and_axe_finds_no_serious_fault(pages, serve, size, scheme, locale):
    server = serve(lang="auto")
    page = pages.open(server.url, size, scheme, locale)
    at(page, "电池保修一年。")
    page.keyboard.press("j")
    at(page, "住宿费每晚800元。")
    assert overflow(page) == 0
    name = f"review-{NAMES[LOOKS.index((size, scheme, locale))]}"
    if os.environ.get("NLI_FAITH_SCREENSHOTS") and name in SHOWN:
        page.screenshot(path=IMAGES / f"{name}.png")
        assert (IMAGES / f"{name}.png").stat().st_size < LIMIT
    assert size in (DESKTOP, PHONE)
    axe = axe_source()
    assert serious_faults(page, axe) == []
    page.locator("#agree").click()
    expect(page.locator("#close")).to_be_visible()
    assert serious_faults(page, axe) == []
    assert overflow(page) == 0
