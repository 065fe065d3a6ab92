"""The parameters of a probabilistic linkage, checked and made values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ...errors import TacitError, typed
from ...frozen import FrozenDict

ESTIMATES = ("em", "fixed", "single", "known")
ENGINES = ("tacit", "splink")


def checked(given: Any) -> dict[str, Any]:
    """The fields of a :class:`~tacit.attack.Probabilistic` that it replaces by plain tuples and frozen dictionaries; an error for what is none."""
    if given.estimate not in ESTIMATES:
        raise TacitError(f"estimate={typed(given.estimate)} is unknown", fix="'em', 'fixed', 'single' or 'known'")
    if given.engine not in ENGINES:
        raise TacitError(f"engine={typed(given.engine)} is unknown", fix="'tacit' or 'splink'")
    if not isinstance(given.frequencies, bool):
        raise TacitError(f"frequencies={typed(given.frequencies)} is neither true nor false", fix="frequencies=True")
    known = _known(given.known)
    if (given.estimate == "known") != bool(known):
        raise TacitError(
            f"estimate={typed(given.estimate)} does not go with {len(known)} known pairs",
            fix="estimate='known' and known=[(row of the file, row of the release), …] belong together",
        )
    for name in ("prior", "false_links", "missed_links"):
        _share(name, getattr(given, name))
    if (given.false_links is None) != (given.missed_links is None):
        raise TacitError("one of two error bounds is given", fix="give both false_links and missed_links, or none")
    return {
        "known": known,
        "near": _reaches("near", given.near, most=1.0),
        "partial": _partial(given.partial),
        "block": (given.block,) if isinstance(given.block, str) else tuple(given.block),
    }


def _share(name: str, value: object) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if value is not None and not (number and 0 < float(value) < 1):  # type: ignore[arg-type]
        raise TacitError(f"{name}={typed(value)} is no share between 0 and 1", fix=f"e.g. {name}=0.01")


def _known(pairs: object) -> tuple[tuple[int, int], ...]:
    rows = np.asarray(pairs if isinstance(pairs, np.ndarray) else list(pairs))  # type: ignore[call-overload]
    if rows.size == 0:
        return ()
    if rows.ndim != 2 or rows.shape[1] != 2 or rows.dtype.kind not in "iu" or rows.min() < 0:
        raise TacitError(
            "the known pairs are no pairs of row numbers",
            fix="known=[(row of the file, row of the release), …], from 0 on",
        )
    return tuple((int(mine), int(theirs)) for mine, theirs in rows)


def _reaches(name: str, given: object, *, most: float = np.inf) -> tuple[float, ...]:
    range_of = "numbers above 0" if most == np.inf else f"numbers above 0 and below {most:g}"
    wrong = TacitError(f"{name} takes {range_of}", fix=f"e.g. {name}=[0.01, 0.05]")
    listed: list[Any] = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    for one in listed:
        if isinstance(one, bool) or not isinstance(one, int | float) or not 0 < one < most:
            raise wrong
    return tuple(float(one) if isinstance(one, float) else int(one) for one in listed)


def _partial(given: object) -> FrozenDict[str, tuple[float, ...]]:
    if not isinstance(given, Mapping):
        raise TacitError(f"partial={typed(given)} names no columns", fix="e.g. partial={'age': [2], 'zip': [3]}")
    return FrozenDict({str(column): _reaches(f"partial of {column}", steps) for column, steps in given.items()})
