"""Families of distances that an intruder could learn, each linear in its parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from ....errors import TacitError, format_value, suggest_alternative
from .choquet import Choquet, Monotone
from .embedding import embed_parameters
from .family import Family
from .mahalanobis import Bilinear, Definite, Mahalanobis, Nonnegative
from .weighted import Arithmetic, Ordered, Signed, Weighted

__all__ = ["FAMILIES", "Family", "FamilyName", "embed_parameters", "family_of"]

FamilyName = Literal[
    "arithmetic", "mahalanobis", "weighted", "signed", "ordered",
    "bilinear", "nonnegative", "definite", "choquet", "monotone",
]  # fmt: skip

FAMILIES: dict[str, Callable[..., Family]] = {
    "arithmetic": Arithmetic,
    "mahalanobis": Mahalanobis,
    "weighted": Weighted,
    "signed": Signed,
    "ordered": Ordered,
    "bilinear": Bilinear,
    "nonnegative": Nonnegative,
    "definite": Definite,
    "choquet": Choquet,
    "monotone": Monotone,
}
"""Plan name → family; smaller families before those that contain them."""

CHOQUETS = ("choquet", "monotone")


def family_of(name: str, additive: int | None = None) -> Family:
    """The family of that name; ``additive`` for Choquet integrals alone.

    >>> family_of("choquet", additive=2).size(13)
    91
    """
    if not isinstance(name, str) or name not in FAMILIES:
        fix = (
            suggest_alternative(name, list(FAMILIES)) if isinstance(name, str) else f"use one of {', '.join(FAMILIES)}"
        )
        raise TacitError(f"family={format_value(name)} is unknown", code="unknown_name", parameter="family", fix=fix)
    if name in CHOQUETS:
        return FAMILIES[name](additive=additive)
    if additive is not None:
        raise TacitError(
            f"additive={format_value(additive)} means nothing for family={name!r}",
            code="conflicting_parameters",
            parameter="additive",
            fix="leave additive out, or take family='choquet'",
        )
    return FAMILIES[name]()
