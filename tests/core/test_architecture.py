"""What may import what, what loads on import, and which names are public."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import nli_faith

PACKAGE = Path(nli_faith.__file__).parent
HEAVY = {
    "torch",
    "transformers",
    "onnxruntime",
    "pandas",
    "pyarrow",
    "tokenizers",
    "jieba",
    "opencc",
}

FOUNDATION = {"errors", "datamodels", "labels", "_version"}
# What each room may import besides the foundation and itself. Data flows one way: a stage knows
# no other stage; `preparation`, `inference` and `scorer` put the stages together.
ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "datamodels": set(),
    "labels": set(),
    "_version": set(),
    "examples": set(),
    "text": set(),
    "quantities": set(),
    "io": set(),
    "prefilter": set(),
    "manifest": {"combiner"},
    "model_hub": {"manifest"},
    "verdicts": set(),
    "results": {"verdicts"},
    "cache": set(),
    "combiner": set(),
    "statistics": set(),
    "config": {"combiner", "results"},
    "pairing": {"prefilter"},
    "backends": {"combiner", "manifest", "model_hub", "text"},
    "export": {"backends", "manifest"},
    "aggregation": {"combiner", "pairing", "verdicts"},
    "early_exit": {"aggregation", "combiner", "pairing"},
    "judging": {"aggregation", "combiner", "preparation", "results", "rounds", "verdicts"},
    "wording": set(),
    "stream": {"io"},
    "quick": {"results", "scorer"},
    "pipelines": {"io", "results", "scorer"},
    "workers": {"backends", "cache", "inference", "results", "scorer", "stream"},
    "cascade": {"config", "results", "verdicts"},
    "checks": {
        "aggregation", "combiner", "config", "pairing", "preparation", "quantities",
        "wording",
    },
    "summary": {"results", "verdicts"},
    "preparation": {"config", "pairing", "prefilter", "quantities", "text"},
    "inference": {"backends", "cache", "pairing"},
    "training": {"backends", "config", "pairing", "prefilter", "preparation", "text"},
    "metrics": {"io", "lexicon", "preparation", "profiles", "quantities", "results", "rounds", "scorer", "text", "verdicts"},
    "bootstrap": set(),
    "measures": {"io"},
    "label_words": set(),
    "redaction": set(),
    "profiles": {"io", "results"},
    "calibration": {"io", "label_words", "profiles", "results", "scorer", "verdicts"},
    "triage": {"io", "label_words", "profiles", "redaction", "results", "verdicts"},
    "guard": {"config", "quick", "results", "scorer", "text", "verdicts"},
    "citations": {"results", "scorer", "text", "verdicts"},
    "integrations": {"citations", "config", "guard", "io", "quick", "results", "scorer", "verdicts"},
    "gate": {"bootstrap", "io", "measures", "verdicts"},
    "diagnosis": {"measures"},
    "sampling": {"io", "measures"},
    "report": {"bootstrap", "io", "measures", "redaction", "results", "summary", "triage", "verdicts"},
    "review": {"io", "redaction", "report", "results", "triage"},
    "runs": {"bootstrap", "io", "measures", "redaction"},
    "evaluation": {
        "bootstrap", "io", "measures", "metrics", "quantities", "redaction", "results", "text",
        "verdicts",
    },
    "service": {"config", "guard", "inference", "io", "results", "scorer", "verdicts"},
    "rounds": {"inference", "pairing", "preparation"},
    "lexicon": {"text"},
    "rephrasing": {"io", "lexicon", "quantities", "text"},
    "scorer": {
        "aggregation", "backends", "cache", "cascade", "checks", "config", "early_exit", "inference",
        "judging",         "preparation", "profiles", "results", "rounds", "stream",
    },
}  # fmt: skip
TOP = {"cli", "__init__", "__main__"}


def room(path: Path) -> str:
    parts = path.relative_to(PACKAGE).parts
    return parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> set[str]:
    """Rooms of this package that a module imports, anywhere in it."""
    package = ("nli_faith", *path.relative_to(PACKAGE).parent.parts)
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [a.name for a in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            stem = ".".join([*base, *([node.module] if node.module else [])])
            names = [stem] if stem != "nli_faith" else [f"{stem}.{a.name}" for a in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "nli_faith" and len(parts) > 1:
                found.add(parts[1])
    return found


MODULES = sorted(p for p in PACKAGE.rglob("*.py") if room(p) not in TOP)


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_one_way(path):
    home = room(path)
    assert home in ALLOWED, f"new room {home!r}: say in ALLOWED what it may import"
    extra = imported_rooms(path) - FOUNDATION - {home, "__version__"} - ALLOWED[home]
    assert not extra, f"{home} must not import {sorted(extra)}"


def test_nothing_imports_the_top():
    for path in MODULES:
        assert not imported_rooms(path) & (TOP - {"__init__"}), path


def loaded_after(code: str) -> set[str]:
    script = f"{code}\nimport sys, json; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return {name.split(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


def test_import_is_light():
    assert not loaded_after("import nli_faith") & (HEAVY | {"numpy", "rich"})


def test_command_line_is_light_until_it_works():
    assert not loaded_after("import nli_faith.cli") & HEAVY


def test_scoring_never_loads_torch():
    code = "from nli_faith import score; score('保修两年。', ['保修两年。'])"
    assert not loaded_after(code) & {"torch", "transformers", "pandas", "pyarrow", "onnx"}


def test_public_names_are_pinned():
    assert set(nli_faith.__all__) == {
        "Block", "ClaimResult", "Evidence", "FaithfulnessResult", "FaithfulnessScorer", "Label",
        "NliFaithError", "PairCache", "Quantity", "Record", "RunStats", "RunSummary",
        "ScorerConfig", "ScorerInfo", "Segment", "SegmentKind", "SentenceSplitter", "Status",
        "Thresholds", "__version__", "parse_quantities", "read_records", "score",
    }  # fmt: skip
    for name in nli_faith.__all__:
        assert getattr(nli_faith, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        _ = nli_faith.nonsense
