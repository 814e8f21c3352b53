"""A scored file as one self-contained HTML page: figures, filters, every claim and its evidence."""

from nli_faith.report.build import ReportSummary, build_report
from nli_faith.report.page import assemble, data_block
from nli_faith.report.payload import record_payload
from nli_faith.report.places import fits, is_masked, mask_record

__all__ = [
    "ReportSummary",
    "assemble",
    "build_report",
    "data_block",
    "fits",
    "is_masked",
    "mask_record",
    "record_payload",
]
