"""A gate's report for machines (JUnit XML) and for people (Markdown)."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

from nli_faith.gate.checks import Check, GateReport

# Characters that XML 1.0 cannot hold in any form, escaped or not.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(report: GateReport) -> bytes:
    """The checks as JUnit test cases: UTF-8 with an XML declaration.

    Args:
        report: The report.
    """
    failed = sum(not check.passed for check in report.checks)
    counts = {"tests": str(len(report.checks)), "failures": str(failed), "errors": "0"}
    root = ElementTree.Element("testsuites", {"name": "nli-faith", **counts})
    suite = ElementTree.SubElement(root, "testsuite", {"name": "nli-faith gate", **counts})
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in (
        ("source", report.source), ("baseline", report.baseline or ""), ("rows", str(report.rows)),
    ):  # fmt: skip
        ElementTree.SubElement(properties, "property", {"name": name, "value": _clean(value)})
    for check in report.checks:
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": "nli-faith.gate", "name": _clean(check.name)}
        )
        if not check.passed:
            failure = ElementTree.SubElement(
                case, "failure", {"type": "gate", "message": _clean(check.message)}
            )
            failure.text = _clean(_figures(check))
        else:
            ElementTree.SubElement(case, "system-out").text = _clean(check.message)
    if report.notes:
        ElementTree.SubElement(suite, "system-out").text = _clean("\n".join(report.notes))
    ElementTree.indent(root)
    xml: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return xml + b"\n"


def markdown(report: GateReport) -> str:
    """The checks as a Markdown table, as GitHub and GitLab show it.

    Args:
        report: The report.
    """
    verdict = "✅ passed" if report.passed else "❌ failed"
    against = f" against `{_cell(report.baseline)}`" if report.baseline else ""
    lines = [
        f"### nli-faith gate: {verdict}",
        "",
        f"`{_cell(report.source)}`, {report.rows} rows{against}",
        "",
        "| | check | value | bound | limit | n | |",
        "|---|---|---:|---:|---:|---:|---|",
    ]
    for check in report.checks:
        cells = (
            "✅" if check.passed else "❌", check.name, _shown(check.value), _shown(check.bound),
            _shown(check.limit), str(check.n), check.message,
        )  # fmt: skip
        lines.append("| " + " | ".join(_cell(cell) for cell in cells) + " |")
    if report.notes:
        lines += ["", *(f"- {_cell(note)}" for note in report.notes)]
    return "\n".join(lines) + "\n"


def _shown(value: float) -> str:
    if math.isnan(value):
        return "–"
    # Counts are ints, which know no is_integer before Python 3.12.
    whole = value > 1 and float(value).is_integer()
    return f"{value:.0f}" if whole else f"{value:.4f}"


def _figures(check: Check) -> str:
    return (
        f"value {_shown(check.value)}, bound {_shown(check.bound)}, "
        f"limit {_shown(check.limit)}, n {check.n}"
    )


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)


def _cell(text: str) -> str:
    """Text that cannot end a table cell, nor be read as HTML."""
    text = " ".join(text.split()).replace("|", "\\|").replace("`", "'")
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
