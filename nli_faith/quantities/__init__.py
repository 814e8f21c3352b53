"""Quantities: parsing, comparison and the check of a claim's quantities against its context."""

from __future__ import annotations

from .check import QuantityCheck, QuantityFinding, check_quantities
from .compare import relation
from .index import QuantityContext
from .model import Quantity
from .parse import parse_quantities
from .relation import Relation

__all__ = [
    "Quantity",
    "QuantityCheck",
    "QuantityContext",
    "QuantityFinding",
    "Relation",
    "check_quantities",
    "parse_quantities",
    "relation",
]
