"""Rotation of the records: other records with exactly the same means and covariances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..errors import TacitError, check_columns, format_value
from ..frozen import FrozenDict
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ..release.masked import Masked
from ..release.trace import Finding, Trace
from ..seed import child_seed, make_generator
from ._bounds import Bounds, at_bounds, check_bounds, checked_bounds
from ._checks import refuse_empty
from ._noise.in_memory import group_rows
from ._noise.parts import check_overflow, parts_of, replace_columns
from ._numbers import checked_numeric
from ._totals import check_totals, checked_totals, with_totals
from .parameters import column_names, drop_metadata, is_number, seed_of, strata_names

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed
    from ._noise.parts import Part


BLOCK = 32
"""Records that are mixed with one another; at full strength 1/32 of a record's own value is left in it."""
BATCH = 1024
"""Blocks that are rotated at once: their matrices take 8 MB."""
FEWEST_ROWS = 3
"""Two records can only stay or change places."""


@describe(
    tags=Tags(about="identity and attribute", kind="method"),
    effects=MethodEffects("changes", ("columns", "totals"), model="rotation"),
    family="noise",
    example={"columns": ["income", "visits"], "strength": 0.2},
    use="Means and covariances among the masked columns must come out exactly, as for a regression to be repeated.",
    avoid="Shapes of distributions, whole numbers, zeros or relations with columns that are not masked matter.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class Rotate:
    r"""Mix the records by random rotations that keep means and covariances exactly.

    Random orthogonal matrix masking: :math:`X' = T X` with an orthogonal :math:`T` of which the vector of ones is a fixed
    point, :math:`T T' = I` and :math:`T 1 = 1`, so that means and :math:`X'X` are those of the data, and with them
    regressions among the masked columns. A full T would take n² numbers; here the records are put into random blocks of
    32 (up to 63), and each block has a T of its own, which keeps the same sums. ``strength`` s in (0, 1] says how far from
    the identity: T comes from the QR factors of :math:`(1 - s) I + s G`, G of independent normal numbers of variance
    1/(b − 1) in a block of b; at 1 it is uniform over all such rotations, and a record shares hardly anything with the
    one that it was made from.

    Within ``strata`` means and covariances are kept in each stratum. Records with a missing value are left as they are,
    and so is a stratum with fewer than three complete records; the outcome counts both. Linear relations between the
    columns stay. Whole numbers and dates come back rounded and ``bounds`` cut off: means and covariances are then kept
    but for that. A column that is equal within every household is rotated between households, apart from the others.

    Time O(n · (32² + 32 · columns)), memory O(n · columns); the columns are taken into memory.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"pay": [1.0, 2.0, 4.0, 5.0]}), confidential="pay")
    >>> new = r.protect(Rotate(columns="pay", strength=1), seed=7).to_native()["pay"]
    >>> round(new.mean(), 12), round(new.var(), 12) == round(r.to_native()["pay"].var(), 12)
    (3.0, True)

    References
    ----------
    Ting, Fienberg and Trottini (2008), Random orthogonal matrix masking methodology for microdata release, International
    Journal of Information and Computer Security 2, 86–105.
    """

    columns: str | Sequence[str]
    strength: float
    strata: str | Sequence[str] | None = None
    bounds: Bounds = field(default_factory=FrozenDict)
    totals: Mapping[str, Sequence[str]] = field(default_factory=FrozenDict)

    def __post_init__(self) -> None:
        columns = column_names(self.columns)
        object.__setattr__(self, "columns", columns)
        if not is_number(self.strength) or not 0 < self.strength <= 1:
            raise TacitError(
                f"cannot be rotated with strength={format_value(self.strength)}",
                code="unsuitable_column",
                column=columns[0],
                fix="give a number in (0, 1], e.g. strength=0.3; 1 leaves nothing of a record in its place",
            )
        object.__setattr__(self, "strata", strata_names(self.strata, columns) or None)
        object.__setattr__(self, "bounds", checked_bounds(self.bounds, columns))
        object.__setattr__(self, "totals", checked_totals(self.totals, columns))

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release with rotated records; the outcome counts the records that were left out."""
        key = seed_of(self, seed)
        columns = check_columns(self.columns, release.columns)
        check_columns(self.strata, release.columns)
        refuse_empty(release)
        checked_numeric(release, columns)
        check_totals(release, self.totals)
        check_bounds(release, self.bounds)
        made: dict[str, np.ndarray] = {}
        left_out = np.zeros(release.size, dtype=bool)
        parts = parts_of(release, columns, check_columns(self.strata), key)
        for part in parts:
            values, moved = self._rotate_rows(
                part, np.column_stack(check_overflow(part.columns, part.values(release))), progress
            )
            made |= {name: part.to_rows(one) for name, one in zip(part.columns, values.T, strict=True)}
            left_out |= ~part.to_rows(moved)
        found = {
            "block": Finding(BLOCK, publishable=True),
            "left_out": Finding(int(left_out.sum()), publishable=True, counts=True),
        }
        masked = drop_metadata(replace_columns(release, made, self.bounds), columns, hierarchies=False)
        return Masked(with_totals(masked, self.totals), (Trace.of(self, **found, **at_bounds(masked, self.bounds)),))

    def _rotate_rows(self, part: Part, values: np.ndarray, progress: Progress | None) -> tuple[np.ndarray, np.ndarray]:
        """The rotated rows, and which rows were."""
        rng = make_generator(child_seed(part.seed, "rotate"))
        complete = ~np.isnan(values).any(axis=1)
        moved = np.zeros(len(values), dtype=bool)
        for rows in group_rows(part.group, len(values)):
            inside = np.arange(len(values))[rows][complete[rows]]
            if len(inside) < FEWEST_ROWS:
                continue
            moved[inside] = True
            for blocks in _row_blocks(rng.permutation(inside)):
                report_progress(progress, "rotate", 0.5)
                values[blocks] = _rotate_blocks(values[blocks], self.strength, rng)
        if not moved.any():
            raise TacitError(
                f"fewer than {FEWEST_ROWS} records have values in all of {', '.join(part.columns)}",
                code="too_few_records",
                fix="use fewer columns, or no strata",
            )
        return values, moved


def _row_blocks(rows: np.ndarray) -> Iterator[np.ndarray]:
    """The rows in blocks of 32, a batch of blocks at a time; the last block has up to 63."""
    whole = max(len(rows) // BLOCK - 1, 0)
    table = rows[: whole * BLOCK].reshape(whole, BLOCK)
    yield from (table[start : start + BATCH] for start in range(0, whole, BATCH))
    yield rows[whole * BLOCK :][None]


def _rotate_blocks(values: np.ndarray, strength: float, rng: np.random.Generator) -> np.ndarray:
    """Blocks of records, each multiplied by a random rotation that fixes the vector of ones.

    A reflection takes the vector of ones to the first axis; the others are rotated, and the reflection takes it back.
    """
    blocks, size, _ = values.shape
    noise = rng.standard_normal((blocks, size - 1, size - 1))
    noise *= strength / np.sqrt(size - 1)
    noise[:, np.arange(size - 1), np.arange(size - 1)] += 1 - strength
    turn, upper = np.linalg.qr(noise)
    turn *= np.where(np.diagonal(upper, axis1=1, axis2=2) < 0, -1.0, 1.0)[:, None, :]
    axis = np.full(size, 1 / np.sqrt(size))
    axis[0] -= 1
    axis /= np.linalg.norm(axis)

    def reflected(given: np.ndarray) -> np.ndarray:
        made: np.ndarray = given - 2 * axis[:, None] * np.einsum("i,bij->bj", axis, given)[:, None, :]
        return made

    middle = values.mean(axis=1, keepdims=True)
    flat = reflected(values - middle)
    flat[:, 1:] = turn @ flat[:, 1:]
    flat[:, 0] = 0.0
    turned: np.ndarray = reflected(flat) + middle
    return turned
