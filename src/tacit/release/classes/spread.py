"""The numbers that tell how the values of a column spread within a class, by name."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from ...errors import TacitError, format_value, suggest_alternative

Spread: TypeAlias = Literal[
    "distinct",
    "entropy",
    "grassberger",
    "recursive",
    "others",
    "variational",
    "ordered",
    "hierarchical",
    "largest",
    "gain",
    "enhanced",
    "ratio",
]
"""The kinds of :mod:`tacit.kernels.class_spread`, which has their formulas."""

WHOLE_NUMBERS = ("distinct", "recursive", "others")
"""The kinds that count."""


def number_of(kind: Spread) -> int:
    """The kernels' number of a kind."""
    from ...kernels import class_spread

    if kind not in get_args(Spread):
        raise TacitError(
            f"the spread {format_value(kind)} is unknown",
            code="unknown_name",
            fix=suggest_alternative(str(kind), get_args(Spread)),
        )
    number: int = getattr(class_spread, kind.upper())
    return number
