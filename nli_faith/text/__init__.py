"""Text stage: cleaning, splitting, and telling claims from the rest."""

from .claims import classify, extract, is_refusal
from .normalize import Cleaned, OffsetMap, clean, fold, model_text, to_simplified
from .splitter import SentenceSplitter, split

__all__ = [
    "Cleaned",
    "OffsetMap",
    "SentenceSplitter",
    "classify",
    "clean",
    "extract",
    "fold",
    "is_refusal",
    "model_text",
    "split",
    "to_simplified",
]
