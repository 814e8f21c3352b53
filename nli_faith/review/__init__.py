"""A local page on which people confirm or correct verdicts, kept in SQLite as they are given."""

from nli_faith.review.export import ExportSummary, export_verdicts
from nli_faith.review.queue import ReviewQueue, load_queue
from nli_faith.review.raters import Overview, overview
from nli_faith.review.server import ReviewServer
from nli_faith.review.store import Verdict, VerdictStore

__all__ = [
    "ExportSummary",
    "Overview",
    "ReviewQueue",
    "ReviewServer",
    "Verdict",
    "VerdictStore",
    "export_verdicts",
    "load_queue",
    "overview",
]
