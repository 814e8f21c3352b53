"""Which names of the package are public, and on which page of the reference they stand."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Room:
    """A module of the page.

    Attributes:
        module: Dotted name.
        names: What is shown of it; its ``__all__`` when empty, and without one every public
            definition.
        rest: Public names of the module that are left out on purpose.
    """

    module: str
    names: tuple[str, ...] = ()
    rest: tuple[str, ...] = ()


@dataclass(frozen=True)
class Page:
    """A page under docs/reference, with its modules in the order in which a reader needs them."""

    file: str
    title: str
    rooms: tuple[Room, ...]


PAGES = (
    Page(
        "python.md",
        "scoring, guard, citations",
        (
            Room("nli_faith", rest=("__version__",)),
            Room("nli_faith.errors"),
            Room("nli_faith.labels", ("NLILabel", "resolve_label_order")),
            Room("nli_faith.cascade", ("Band",)),
            Room("nli_faith.profiles", ("Profile", "load_profile", "save_profile")),
            Room("nli_faith.guard"),
            Room("nli_faith.citations"),
        ),
    ),
    Page(
        "python-measures.md",
        "measures, calibration, triage, gates, runs",
        (
            Room("nli_faith.metrics.registry", ("METRICS", "ALIASES", "canonical", "resolve")),
            Room("nli_faith.metrics.base", ("Metric", "MetricValue", "MetricStatus")),
            Room("nli_faith.metrics.engine", ("EntailmentEngine", "ScorerEngine")),
            Room("nli_faith.metrics.faithfulness", ("Faithfulness",)),
            Room("nli_faith.metrics.context", ("ContextRecall", "ContextPrecision")),
            Room("nli_faith.metrics.correctness", ("AnswerCorrectness",)),
            Room("nli_faith.metrics.coverage", ("Coverage", "Completeness")),
            Room("nli_faith.metrics.numeric", ("NumericAccuracy", "NumericExact")),
            Room("nli_faith.metrics.relevancy", ("AnswerRelevancy",)),
            Room("nli_faith.metrics.readability", ("Readability", "Conciseness")),
            Room(
                "nli_faith.metrics.retrieval",
                ("RecallAtK", "PrecisionAtK", "MRR", "HitRate", "NDCG"),
            ),
            Room("nli_faith.metrics.robustness", ("Robustness",)),
            Room("nli_faith.metrics.similarity", ("AnswerSimilarity",)),
            Room("nli_faith.metrics.composite", ("Composite",)),
            Room("nli_faith.metrics.veto", ("Veto",)),
            Room("nli_faith.evaluation"),
            Room("nli_faith.diagnosis"),
            Room("nli_faith.calibration"),
            Room("nli_faith.triage"),
            Room("nli_faith.gate"),
            Room("nli_faith.sampling"),
            Room("nli_faith.runs"),
            Room("nli_faith.rephrasing"),
        ),
    ),
    Page(
        "python-tools.md",
        "report, review, service, pipelines, adapters",
        (
            Room("nli_faith.report", ("build_report", "ReportSummary")),
            Room("nli_faith.review"),
            Room("nli_faith.redaction"),
            Room("nli_faith.service"),
            Room("nli_faith.workers", ("WorkerPool", "threads_for")),
            Room("nli_faith.pipelines.frames", ("score_frame",)),
            Room("nli_faith.pipelines.arrow", ("score_table", "score_batches", "output_schema")),
            Room("nli_faith.pipelines.huggingface", ("BatchScorer", "output_features")),
            Room("nli_faith.pipelines.ray", ("RayScorer",)),
            Room("nli_faith.pipelines.spark", ("arrow_mapper", "pandas_mapper", "output_schema")),
            Room("nli_faith.integrations"),
            Room("nli_faith.integrations.pytest_plugin", ("NliFaith",)),
            Room("nli_faith.integrations.ragas", ("NliFaithfulness",)),
            Room("nli_faith.integrations.deepeval", ("NliFaithfulnessMetric",)),
            Room(
                "nli_faith.integrations.langchain", ("FaithfulnessGuard", "FaithfulnessEvaluator")
            ),
            Room(
                "nli_faith.integrations.llama_index",
                ("NliFaithfulnessEvaluator", "EvidencePostprocessor"),
            ),
            Room("nli_faith.integrations.otel"),
        ),
    ),
    Page(
        "python-stages.md",
        "records, text, quantities, backends",
        (
            Room("nli_faith.io"),
            Room("nli_faith.text"),
            Room("nli_faith.quantities"),
            Room("nli_faith.lexicon"),
            Room(
                "nli_faith.backends", ("load_backend", "EntailmentBackend", "SelfTest", "BACKENDS")
            ),
        ),
    ),
)
# Packages that users do not import; a new package must stand here or on a page.
INTERNAL = frozenset({"cli", "examples", "export", "training"})
