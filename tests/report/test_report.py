"""What a report holds, read back from the page itself."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

from nli_faith.errors import ConfigError, InputError, OutputExistsError
from nli_faith.report import build_report
from nli_faith.report.figures import score_bin
from nli_faith.report.page import asset, words
from nli_faith.report.places import Units

from .make import CONTEXTS, claim, record, refusal, result, write

HOSTILE = [
    "</script><script>window.pwned=1</script>",
    "<!--<script>window.pwned=1",
    "<img src=x onerror=window.pwned=1>",
    "行分隔\u2028段分隔\u2029完",
    "右到左\u202e文字\u2066隔离",
    "半个\ud83d代理\udc00对",
    "]]>&lt;&amp;\"'`${window.pwned=1}",
    "表情😀后面的字",
]


class Page(HTMLParser):
    """The elements of a page and its data blocks."""

    def __init__(self, data: bytes) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict]] = []
        self.blocks: dict[str, object] = {}
        self.scripts: list[str] = []
        self.texts: dict[str, str] = {}
        self._open = ""
        self.feed(data.decode("utf-8"))

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._open = tag

    def handle_data(self, data):
        if self._open == "script":
            kind = self.tags[-1][1]
            if kind.get("type") == "application/json":
                self.blocks[kind["id"]] = json.loads(data)
            else:
                self.scripts.append(data)
        elif self._open in ("style", "title"):
            self.texts[self._open] = data

    def handle_endtag(self, tag):
        self._open = ""


@pytest.fixture
def build(tmp_path):
    """Reports on results, and gives the page, the index's records and the summary."""

    def call(results, records=None, **options):
        source = write(tmp_path / "scored.jsonl", results)
        if records is not None:
            options["records"] = write(tmp_path / "records.jsonl", records)
        summary = build_report(source, tmp_path / "r.html", overwrite=True, **options)
        page = Page((tmp_path / "r.html").read_bytes())
        page.rows = [
            r
            for i in range(len(page.blocks))
            for r in page.blocks.get(f"block-{i}", {}).get("records", [])
        ]
        page.head = page.blocks["head"]
        return page, summary

    return call


def test_figures_are_over_all_records(build):
    page, summary = build(
        [result("a"), result("b", ("supported",)), result("c", ("unsupported",)), refusal()]
    )
    figures = page.head["figures"]
    assert summary.records == 4
    assert figures["summary"]["coverage"] == 0.75
    assert figures["summary"]["mean_on_scored"] == 0.5
    assert figures["summary"]["label_counts"] == {
        "supported": 2,
        "contradicted": 1,
        "unsupported": 1,
    }
    assert figures["scores"] == [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    assert figures["flags"] == {"quantity_mismatch": 1}
    assert sum(map(sum, figures["claims"].values())) == 4
    assert figures["claims"]["supported"][18] == 2
    assert figures["mean"]["low"] < 0.5 < figures["mean"]["high"]
    assert [e["score"] for e in page.head["index"]] == [0.5, 1.0, 0.0, None]


def test_score_bins_meet_their_edges():
    assert [score_bin(s) for s in (0, 0.0999, 0.1, 0.3, 2 / 3, 0.7, 0.9999, 1.0)] == [
        0,
        0,
        1,
        3,
        6,
        7,
        9,
        10,
    ]


def test_groups_are_found_or_named(build):
    rows = [result(f"r{i}", ("supported",) if i % 2 else ("unsupported",), meta={"version": f"v{i % 2}", "user": f"u{i}"})
            for i in range(14)]  # fmt: skip
    page, _ = build(rows)
    (found,) = page.head["figures"][
        "groupings"
    ]  # a field with 14 values for 14 records groups nothing
    assert found["by"] == "version"
    assert [(g["name"], g["records"], g["mean"]) for g in found["rows"]] == [
        ("v0", 7, 0.0),
        ("v1", 7, 1.0),
    ]
    assert [e["groups"] for e in page.head["index"][:2]] == [["v0"], ["v1"]]
    page, _ = build(rows, by=("meta.user", "absent"))
    assert [g["all"] for g in page.head["figures"]["groupings"]] == [14, 1]


def test_records_bring_answer_contexts_and_offsets(build):
    found = result("a")
    page, summary = build([found], [record(found)])
    row, block = page.rows[0], page.blocks["block-0"]
    assert summary.joined == 1
    assert row["answer"] == "电池保修一年。住宿费每晚800元。"
    assert [row["answer"][s:e] for s, e, *_ in row["parts"]] == [
        "电池保修一年。",
        "住宿费每晚800元。",
    ]
    assert [block["contexts"][c] for c in row["contexts"]] == CONTEXTS
    where = row["claims"][0]["evidence"]
    assert CONTEXTS[where["context"]][where["start"] : where["end"]] == "电池保修一年。"
    assert row["question"] == page.head["index"][0]["head"] == "保修多久？"


def test_shared_contexts_are_written_once(build):
    found = [result(f"r{i}") for i in range(7)]
    page, _ = build(found, [record(r) for r in found])
    assert page.blocks["block-0"]["contexts"] == CONTEXTS


def test_without_records_the_answer_is_put_together(build):
    found = result("a", ("supported",))
    far = claim("门店提供取件。", 9, "unsupported")
    found = type(found)(
        **{
            **{f: getattr(found, f) for f in found.__dataclass_fields__},
            "claims": (*found.claims, far),
        }
    )
    page, _ = build([found])
    row = page.rows[0]
    assert row["answer"] == "电池保修一年。\n门店提供取件。"
    assert [row["answer"][s:e] for s, e, *_ in row["parts"]] == ["电池保修一年。", "门店提供取件。"]
    assert row["contexts"] is None
    assert row["rebuilt"]


def test_another_record_under_the_same_id_is_refused(build):
    found = result("a")
    for wrong in (
        {"answer": "完全是另外一回事，与此无关，也更长一些。"},
        {"contexts": ["别的材料。"]},
    ):
        page, summary = build([found], [record(found, **wrong)])
        assert (summary.joined, summary.mismatched) == (0, 1)
        assert page.rows[0]["contexts"] is None
        assert page.rows[0]["mismatch"]


def test_records_with_one_id_are_joined_in_order(build):
    one, two = result("same", ("supported",)), result("same", ("unsupported",))
    page, summary = build([one, two], [record(one, question="一"), record(two, question="二")])
    assert [r["question"] for r in page.rows] == ["一", "二"]
    assert [e["nth"] for e in page.head["index"]] == [1, 2]
    assert summary.joined == 2


def test_browser_offsets_count_astral_characters_twice():
    text = "😀保修😀年"
    at = Units(text)
    browser = text.encode("utf-16-le")
    for i in range(len(text) + 1):
        assert browser[: 2 * at(i)].decode("utf-16-le") == text[:i]
    assert at(99) == 7


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(build, text):
    found = result("x" + text, meta={text: text})
    said = claim(text, 0, "unsupported", flags=(f"quantity_missing:{text}",))
    found = type(found)(
        **{**{f: getattr(found, f) for f in found.__dataclass_fields__}, "claims": (said,)}
    )
    given = {"id": found.id, "question": text, "answer": text, "contexts": [text], "meta": {}}
    page, _ = build([found], [given], title=text, by=(text,))
    clean, _ = build([result("x")], [record(result("x"))])
    # Nothing in the page but its own elements: the same ones as of a harmless report.
    assert [t for t, _ in page.tags] == [t for t, _ in clean.tags]
    assert page.scripts == clean.scripts
    row = page.rows[0]
    read = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    assert row["answer"] == row["question"] == row["claims"][0]["text"] == read
    assert page.blocks["block-0"]["contexts"] == [read]
    assert page.head["index"][0]["id"] == "x" + read


def test_page_runs_its_own_script_alone(build):
    page, _ = build([result()])
    (policy,) = [
        a["content"] for t, a in page.tags if a.get("http-equiv") == "Content-Security-Policy"
    ]
    assert "default-src 'none'" in policy
    assert "connect-src 'none'" in policy
    assert "unsafe" not in policy
    (script,) = page.scripts
    for text in (script, page.texts["style"]):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


def test_page_needs_nothing_from_elsewhere(build):
    page, _ = build([result()])
    for tag, attributes in page.tags:
        assert not {"src", "srcset", "action", "background"} & attributes.keys(), tag
        assert attributes.get("href", "#").startswith("#"), tag
    assert not re.search(r"url\(|@import|https?://", page.texts["style"])
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|https?://", page.scripts[0]
    )


def test_scored_file_that_is_masked_masks_its_records(build):
    found = result("a", ("supported",))
    masked = claim("请拨打***********。", 7, "unsupported")
    found = type(found)(
        **{
            **{f: getattr(found, f) for f in found.__dataclass_fields__},
            "claims": (*found.claims, masked),
        }
    )
    plain = record(
        found, answer="电池保修一年。请拨打13812345678。", question="13987654321是谁的？"
    )
    page, summary = build([found], [plain])
    assert summary.joined == 1
    assert page.rows[0]["answer"] == "电池保修一年。请拨打***********。"
    assert page.rows[0]["question"] == "***********是谁的？"


def test_redact_masks_all_texts(build, tmp_path):
    found = result("a", ("supported",), meta={"tel": "13812345678"})
    build(
        [found],
        [
            record(
                found,
                question="13812345678",
                contexts=[CONTEXTS[0], CONTEXTS[1] + "热线13812345678"],
            )
        ],
        redact=True,
    )
    assert b"13812345678" not in (tmp_path / "r.html").read_bytes()


def test_the_worst_are_kept_when_not_all_can_be(build):
    rows = [result(f"good{i}", ("supported",)) for i in range(5)] + [
        refusal(),
        result("bad", ("unsupported",)),
        result("half"),
    ]
    page, summary = build(rows, keep=2)
    assert (summary.records, summary.kept) == (8, 2)
    assert [e["id"] for e in page.head["index"]] == ["bad", "half"]
    assert page.head["figures"]["summary"]["records"] == 8


def test_bad_lines_are_counted_and_told(tmp_path):
    path = write(tmp_path / "s.jsonl", [result("a"), {"id": "x"}])
    with path.open("a") as file:
        file.write("{broken\n")
    done = build_report(path, tmp_path / "r.html")
    assert (done.records, done.rejected) == (1, 2)
    assert done.problem.startswith("line 2: ")


def test_what_cannot_be_reported_is_said(tmp_path):
    path = write(tmp_path / "s.jsonl", [result("a")])
    (tmp_path / "r.html").write_text("something")
    with pytest.raises(OutputExistsError, match=r"r\.html"):
        build_report(path, tmp_path / "r.html")
    with pytest.raises(ConfigError, match="is the input"):
        build_report(path, path, overwrite=True)
    with pytest.raises(ConfigError, match="at least 1, not 0"):
        build_report(path, tmp_path / "r.html", keep=0)
    with pytest.raises(InputError):
        build_report(tmp_path / "none.jsonl", tmp_path / "x.html")
    empty = write(tmp_path / "e.jsonl", [{"id": "x"}])
    with pytest.raises(ConfigError, match="no result row"):
        build_report(empty, tmp_path / "x.html")
    assert not (tmp_path / "x.html").exists()


@pytest.mark.parametrize("package", ["nli_faith.report", "nli_faith.review"])
def test_every_word_is_there_in_both_languages(package):
    found = words(package)
    assert found["zh"].keys() == found["en"].keys()
    names = json.loads(asset(package, "scripts.json"))
    code = "".join(
        asset("nli_faith.report" if n.startswith("common") else package, n) for n in names
    )
    used = set(re.findall(r"\bt\(\"([a-z._]+)\"", code))
    assert len(used) > 20
    assert used <= found["zh"].keys()
    slots = {key: set(re.findall(r"\{(\w+)\}", text)) for key, text in found["zh"].items()}
    assert slots == {key: set(re.findall(r"\{(\w+)\}", text)) for key, text in found["en"].items()}
