"""Parameters that are lengths, means or exponents: finite numbers above 0."""

from __future__ import annotations

from math import inf

from ...errors import TacitError, format_value


def check_positive(name: str, value: object) -> None:
    """Refuse what is not a finite number above 0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < inf:
        raise TacitError(
            f"{name}={format_value(value)} is not a number above 0",
            code="wrong_kind",
            parameter=name,
            fix=f"e.g. {name}=2.5",
        )
