"""The numbers that tell how the values of a column spread within a class, by name."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from ...errors import TacitError, instead, typed

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
"""The kinds of :mod:`tacit.kernels.spread`, which has their formulas."""

WHOLE_NUMBERS = ("distinct", "recursive", "others")
"""The kinds that count."""


def number_of(kind: Spread) -> int:
    """The kernels' number of a kind."""
    from ...kernels import spread

    if kind not in get_args(Spread):
        raise TacitError(f"the spread {typed(kind)} is unknown", fix=instead(str(kind), get_args(Spread)))
    number: int = getattr(spread, kind.upper())
    return number
