"""How figures of a table are written for a reader: as tables are printed, never in powers of ten."""

from __future__ import annotations

from ..result import format_fact


def format_amount(value: float | tuple[float, float]) -> str:
    """A figure, or the two ends of an interval: thousands separated, two decimals from 1 on, four digits below.

    >>> (
    ...     format_amount(21099.05),
    ...     format_amount(1234567.0),
    ...     format_amount(-0.012345),
    ...     format_amount((85.0, 1100.5)),
    ...     format_amount(float("inf")),
    ... )
    ('21,099.05', '1,234,567', '-0.01235', '85 to 1,100.5', 'inf')
    """
    if isinstance(value, tuple):
        return f"{format_amount(value[0])} to {format_amount(value[1])}"
    number = float(value)
    if number.is_integer() or not 1 <= abs(number) < 1e15:
        return format_fact(number)
    return f"{number:,.2f}".rstrip("0").rstrip(".")
