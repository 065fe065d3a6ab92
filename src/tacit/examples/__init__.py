"""Example data made by us: a clinic register and a business survey of any size, and small worked tables of the literature."""

from __future__ import annotations

from collections.abc import Callable

from . import disclosive_tables, worked_tables
from .clinic import clinic
from .companies import companies
from .example import Example

__all__ = ["ALL", "Example", "clinic", "companies"]

ALL: dict[str, Callable[..., Example]] = {
    "clinic": clinic,
    "companies": companies,
    "postcodes": worked_tables.postcodes,
    "ages": worked_tables.ages,
    "birth_years": worked_tables.birth_years,
    "sensitive": worked_tables.sensitive,
    "parties": worked_tables.parties,
    "salaries": worked_tables.salaries,
    "cancers": worked_tables.cancers,
    "patients": worked_tables.patients,
    "positives": worked_tables.positives,
    "outcomes": worked_tables.outcomes,
    "skewness": worked_tables.skewness,
    "hospital_a": disclosive_tables.hospital_a,
    "hospital_b": disclosive_tables.hospital_b,
    "ovarian": disclosive_tables.ovarian,
}
