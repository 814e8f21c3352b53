"""A share of the records, the same ones every time."""

from nli_faith.sampling.sampler import (
    Sampler,
    SampleReport,
    record_dict,
    sample_records,
    share_of,
)

__all__ = ["SampleReport", "Sampler", "record_dict", "sample_records", "share_of"]
