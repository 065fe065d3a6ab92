"""Record keys: a random number per record that stays with it, so that the same cell gets the same noise in every table."""

from __future__ import annotations

import numpy as np

from ...errors import TacitError, whole
from ...seed import child, drawn

__all__ = ["GRAIN", "cell_keys", "record_keys"]

GRAIN = 2.0**-30
"""Keys are multiples of this, so that sums of up to eight million of them are exact and do not depend on their order."""


def record_keys(records: int, *, seed: int | bytes) -> np.ndarray:
    """Uniform keys in [0, 1), one per record, the same for the same seed and row. They stay inside the office (G-06).

    Keep them with the records, or keep the file and the seed: new keys for an old file let an outsider average the noise away.

    >>> keys = record_keys(3, seed=1)
    >>> bool((keys == record_keys(5, seed=1)[:3]).all()), bool(((keys >= 0) & (keys < 1)).all())
    (True, True)
    """
    whole("records", records, least=0)
    found = drawn(child(seed, "record keys"), 0, records, lambda rng, count: rng.random(count))
    return np.asarray(np.floor(found / GRAIN) * GRAIN)


def cell_keys(sums: np.ndarray) -> np.ndarray:
    """The keys of cells from the sums of their records' keys: the part after the point, again uniform in [0, 1) (G-06).

    >>> cell_keys(np.array([0.75, 0.75 + 0.5])).tolist()
    [0.75, 0.25]
    """
    given = np.asarray(sums, dtype=np.float64)
    if not np.isfinite(given).all() or (given < 0).any():
        raise TacitError("a record key is missing or below 0", fix="give every record a key in [0, 1)")
    return np.asarray(given % 1.0)
