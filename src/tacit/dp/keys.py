"""Public keys: which place of a declared list a record's value has."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

from ..errors import TacitError

if TYPE_CHECKING:
    import numpy as np


def check_keys(keys: Any, *, least: int = 1) -> tuple[Hashable, ...]:
    """A list of public keys as a tuple, each there once."""
    if isinstance(keys, str | bytes) or not isinstance(keys, Iterable):
        raise TacitError("public keys are a list", code="invalid_parameter", fix="e.g. keys=('yes', 'no')")
    found = tuple(keys)
    if not all(isinstance(key, Hashable) and not is_missing(key) for key in found):
        raise TacitError(
            "a public key is a text, a number or another plain value",
            code="invalid_parameter",
            fix="leave missing values out",
        )
    if len(found) < least or len(set(found)) < len(found):
        raise TacitError(
            f"public keys are {least} or more different ones", code="invalid_parameter", fix="list each public key once"
        )
    return found


def column_values(data: Any) -> list[Any]:
    """The records of a column as Python values."""
    if isinstance(data, str | bytes) or not isinstance(data, Iterable) or getattr(data, "ndim", 1) != 1:
        raise TacitError(
            "the data are not a list of values", code="wrong_type", fix="give one column, e.g. frame['sex']"
        )
    return list(data.tolist() if hasattr(data, "tolist") else data)


def is_missing(value: object) -> bool:
    """Whether a record has no value: nothing, NaN, or what can be no key."""
    try:
        return value is None or value != value or not isinstance(value, Hashable)
    except ArithmeticError:  # a signalling NaN
        return True


def key_indices(data: Any, keys: tuple[Hashable, ...]) -> np.ndarray:
    """The place of every record's value in the list, −1 where it is not in it. O(n)."""
    import numpy as np

    place = {key: number for number, key in enumerate(keys)}
    found = (-1 if is_missing(value) else place.get(value, -1) for value in column_values(data))
    return np.fromiter(found, np.int64)
