"""A scored file as one self-contained HTML page: figures, filters, every claim and its evidence."""

from nli_faith.report.build import ReportSummary, build_report

__all__ = ["ReportSummary", "build_report"]
