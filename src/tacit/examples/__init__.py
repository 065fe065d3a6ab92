"""Example data made by us: a clinic register and a business survey of any size, and the small worked tables of the catalogue."""

from __future__ import annotations

from collections.abc import Callable

from . import disclosed, worked
from .clinic import clinic
from .companies import companies
from .example import Example

__all__ = ["ALL", "Example", "clinic", "companies"]

ALL: dict[str, Callable[..., Example]] = {
    "clinic": clinic,
    "companies": companies,
    "postcodes": worked.postcodes,
    "ages": worked.ages,
    "birth_years": worked.birth_years,
    "sensitive": worked.sensitive,
    "parties": worked.parties,
    "salaries": worked.salaries,
    "cancers": worked.cancers,
    "patients": worked.patients,
    "positives": worked.positives,
    "outcomes": worked.outcomes,
    "skewness": worked.skewness,
    "hospital_a": disclosed.hospital_a,
    "hospital_b": disclosed.hospital_b,
    "ovarian": disclosed.ovarian,
}
