"""Cell-key perturbation: counts with noise that depends on the records of the cell alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl

from ...errors import TacitError, check_columns, check_int
from ...release.release import Release
from ...seed import child_seed, draw_rows
from ..build.records import tabulate
from ..table import Table
from ..type_checks import require_type
from .checks import perturbation_facts
from .perturbed import Perturbed
from .ptable import PTable

KEY = "record key"
"""The figure under which the sums of keys stand beside the counts, inside the office."""

GRAIN = 2.0**-30
"""Keys are multiples of this, so that sums of up to eight million of them are exact and do not depend on their order."""


def perturb_counts(
    release: Release | Any,
    *,
    by: str | Iterable[str],
    ptable: PTable,
    seed: int | bytes | None = None,
    key: str | None = None,
    hierarchies: Mapping[str, Any] | None = None,
) -> Perturbed:
    r"""Count the records by some dimensions and add to each count the noise that its cell key picks from ``ptable``.

    .. math:: k_c = \Bigl(\sum_{i \in c} k_i\Bigr) \bmod 1, \qquad r_c = n_c + v(n_c, k_c)

    where :math:`k_i` is the key of record i and v the change in whose summed chances :math:`k_c` falls. A cell with the same records
    has the same noise in every table, so nothing is gained by asking twice; differences of two tables have noise too.
    Zeros stay zeros. Sums do not hold: every cell, totals included, has noise of its own. Counts are of records, not weighted.

    The keys come from the column ``key`` (in [0, 1)) or from ``seed`` and the row number; give one of the two, the same for
    every table of a file. Time O(n log n + cells).

    >>> from tacit.tables.perturb.ptable_design import design_ptable
    >>> people = pl.DataFrame({"town": ["A"] * 30 + ["B"] * 4, "sex": ["f", "m"] * 17})
    >>> noise = design_ptable(largest=3, variance=1.5)
    >>> one = perturb_counts(people, by="town", ptable=noise, seed=7)
    >>> two = perturb_counts(people, by=["town", "sex"], ptable=noise, seed=7)
    >>> bool(one.values[one.table.cell(town="B")] == two.values[two.table.cell(town="B")])
    True

    References
    ----------
    Fraser, Wooton (2005), A proposed method for confidentialising tabular output to protect against differencing.
    Marley, Leaver (2011), A method for confidentialising user-defined tables: statistical properties and a risk-utility
    analysis, ISI World Statistics Congress.
    """
    source = release if isinstance(release, Release) else Release(release)
    asked = check_columns(by, source.columns)
    require_type(PTable, ptable)
    if (seed is None) == (key is None):
        raise TacitError(
            "record keys come from a seed or from a column", code="seed", fix="give seed=… or key=…, not both"
        )
    keyed = with_keys(source, seed=seed) if seed is not None else _with_key_column(source, _read_keys(source, str(key)))
    return with_noise(tabulate(keyed, by=asked, hierarchies=hierarchies, more=(KEY,)), ptable)


def with_keys(release: Release, *, seed: int | bytes) -> Release:
    """The records with a column ``KEY`` of record keys, which :func:`tacit.tables.tabulate` sums under ``more``."""
    return _with_key_column(release, record_keys(release.size, seed=seed))


def _with_key_column(release: Release, keys: np.ndarray) -> Release:
    if KEY in release.columns:
        raise TacitError(
            "has the name of the record keys", code="unsuitable_column", column=KEY, fix="give the column another name"
        )
    frame = pl.DataFrame({name: release.series(name) for name in release.columns})
    return Release(frame.with_columns(pl.Series(KEY, keys)))


def with_noise(table: Table, ptable: PTable) -> Perturbed:
    """A table of counts, with its sums of record keys under ``more``, and the noise that they pick. O(cells)."""
    if not table.is_frequency or KEY not in table.more:
        raise TacitError(
            "the table has no counts with record keys",
            code="invalid_table",
            fix="count with_keys(release, seed=…), more=KEY",
        )
    if table.contributors is None or (table.contributors != table.values).any():
        raise TacitError(
            "weighted counts have no cell keys", code="invalid_table", fix="count records, without weight and holding"
        )
    noise = ptable.noise(table.values, cell_keys(table.more[KEY]))
    values = table.values + noise
    facts = perturbation_facts(table, values)
    notes = () if facts["additive"] else ("sums do not hold: each cell has noise of its own",)
    return Perturbed(
        original=table,
        values=values,
        method="cell-key perturbation",
        parameters={"largest change": ptable.largest, "variance": float(ptable.variances()[-1])},
        facts=facts,
        notes=notes,
    )


def _read_keys(source: Release, key: str) -> np.ndarray:
    check_columns(key, source.columns)
    keys = source.floats(key)
    wrong = np.flatnonzero(~((keys >= 0) & (keys < 1)))
    if len(wrong):
        raise TacitError(
            f"row {int(wrong[0]) + 1} is no number in [0, 1)",
            code="wrong_kind",
            column=key,
            fix="give every record a key",
        )
    return np.asarray(np.floor(keys / GRAIN) * GRAIN)


def record_keys(records: int, *, seed: int | bytes) -> np.ndarray:
    """Uniform keys in [0, 1), one per record, the same for the same seed and row. They stay inside the office.

    Keep them with the records, or keep the file and the seed: new keys for an old file let an outsider average the noise away.

    >>> keys = record_keys(3, seed=1)
    >>> bool((keys == record_keys(5, seed=1)[:3]).all()), bool(((keys >= 0) & (keys < 1)).all())
    (True, True)
    """
    check_int("records", records, least=0)
    found = draw_rows(child_seed(seed, "record keys"), 0, records, lambda rng, count: rng.random(count))
    return np.asarray(np.floor(found / GRAIN) * GRAIN)


def cell_keys(sums: np.ndarray) -> np.ndarray:
    """The keys of cells from the sums of their records' keys: the part after the point, again uniform in [0, 1).

    >>> cell_keys(np.array([0.75, 0.75 + 0.5])).tolist()
    [0.75, 0.25]
    """
    given = np.asarray(sums, dtype=np.float64)
    if not np.isfinite(given).all() or (given < 0).any():
        raise TacitError(
            "a record key is missing or below 0", code="missing_values", fix="give every record a key in [0, 1)"
        )
    return np.asarray(given % 1.0)
