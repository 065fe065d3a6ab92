"""Draws that hang on a value: the same person or place draws the same in every row, batch, engine and linked file."""

from __future__ import annotations

import hashlib

import numpy as np
import polars as pl

from ..seed import child_seed

BYTES = 16
"""Two numbers of 53 bits are read from a hash."""


def of_values(seed: int | bytes, values: pl.Series) -> np.ndarray:
    """Two uniform numbers in [0, 1) for each row, by a keyed hash (BLAKE2b) of its value, 7 and "7" alike; NaN for missing.

    Whoever lacks the seed cannot tell them from random ones. One hash per different value.
    """
    key = child_seed(seed, "values")
    distinct = values.unique().drop_nulls()
    hashed = b"".join(
        hashlib.blake2b(as_text(value).encode(), digest_size=BYTES, key=key).digest() for value in distinct
    )
    drawn = np.vstack([_uniforms_from_hash(hashed), np.full((1, 2), np.nan)])
    # a place for each row: joined rather than mapped, because values of some types cannot be keys of a dictionary
    places = pl.DataFrame({"value": distinct, "place": np.arange(len(distinct))})
    found = pl.DataFrame({"value": values}).join(places, on="value", how="left", maintain_order="left")["place"]
    of_row: np.ndarray = drawn[found.fill_null(len(distinct)).to_numpy()]
    return of_row


def of_points(seed: int | bytes, points: np.ndarray) -> np.ndarray:
    """Two uniform numbers in [0, 1) for each row of coordinates, by a keyed hash of them: equal points draw alike."""
    key = child_seed(seed, "points")
    exact = np.ascontiguousarray(points + 0.0, dtype="<f8")  # −0 is 0
    data, width = exact.tobytes(), exact.itemsize * exact.shape[1]
    return _uniforms_from_hash(
        b"".join(
            hashlib.blake2b(data[place : place + width], digest_size=BYTES, key=key).digest()
            for place in range(0, len(data), width)
        )
    )


def as_text(value: object) -> str:
    """A value as text, the same whether a file had it as text, as a whole number or as a number."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _uniforms_from_hash(hashed: bytes) -> np.ndarray:
    found: np.ndarray = (np.frombuffer(hashed, dtype="<u8") >> np.uint64(11)) * 2.0**-53
    return found.reshape(-1, 2)
