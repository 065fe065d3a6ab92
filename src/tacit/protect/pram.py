"""Post-randomisation: categories exchanged for others by a known matrix of probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..errors import TacitError, check_columns, check_int, format_value
from ..frozen import FrozenDict
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ..release.masked import Masked
from ..release.trace import FEWEST, Finding, Trace
from ..seed import child_seed
from ._numbers import masked_dtypes
from ._pram_matrix import transition
from ._pram_matrix.categories import Categories, category_text, count_categories
from ._pram_matrix.row_kernel import STRATA, make_row_kernel
from ._row_by_row import row_by_row
from .parameters import column_names, is_number, per_column, seed_of, strata_names, value_for

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


Rows = Mapping[str, Mapping[str, float]]

TOLERANCE = 1e-9
"""So far may a row that was typed be from one."""

EXAMPLE = "e.g. matrix={'sex': {'F': {'F': 0.9, 'M': 0.1}, 'M': {'F': 0.1, 'M': 0.9}}}"


def checked_matrices(given: object, columns: Sequence[str]) -> FrozenDict[str, Rows]:
    """A matrix for every column: entries are probabilities, and every row sums to one."""
    if not isinstance(given, Mapping):
        raise TacitError(
            f"matrix={format_value(given)} is not given by column",
            code="missing_parameter",
            parameter="matrix",
            fix=EXAMPLE,
        )
    for column in columns:
        if column not in given:
            raise TacitError(
                "has no matrix",
                code="missing_parameter",
                column=column,
                fix=f"by column, then from → to: {EXAMPLE}; or use stay=",
            )
    for column in given:
        if column not in columns:
            raise TacitError(
                "has a matrix and is not among the columns",
                code="column_not_chosen",
                column=str(column),
                fix="name it there",
            )
    return FrozenDict({column: _checked_rows(column, given[column]) for column in columns})


def _checked_rows(column: str, given: object) -> Rows:
    if not isinstance(given, Mapping) or not given:
        raise TacitError("has a matrix without rows", code="missing_parameter", column=column, fix=EXAMPLE)
    found: dict[str, FrozenDict[str, float]] = {}
    for category, row in given.items():
        if not isinstance(row, Mapping) or not all(is_number(entry) for entry in row.values()):
            raise TacitError(
                f"has a row {category!r} that is no mapping to numbers", code="wrong_type", column=column, fix=EXAMPLE
            )
        wrong = next((to for to, entry in row.items() if entry < 0), None)
        if wrong is not None:
            raise TacitError(
                f"goes from {category!r} to {wrong!r} with the probability {row[wrong]!r}",
                code="out_of_range",
                column=column,
                fix="probabilities are not negative",
            )
        total = sum(row.values())
        if abs(total - 1) > TOLERANCE:
            raise TacitError(
                f"has a row {category!r} that sums to {total:.10g}",
                code="unsuitable_column",
                column=column,
                fix="make every row sum to 1",
            )
        found[category_text(category)] = FrozenDict({category_text(to): float(entry) for to, entry in row.items()})
    return FrozenDict(found)


def matrix_for(categories: Categories, rows: Rows) -> np.ndarray:
    """The matrix in the order of the categories; refuses what one of the two has and the other lacks.

    Categories that the user typed are shown; those that only the data have are counted.
    """
    known = {name: place for place, name in enumerate(categories.as_texts)}
    strange = next((name for row in ({**rows}, *rows.values()) for name in row if name not in known), None)
    if strange is not None:
        raise TacitError(
            f"has no value {strange!r}, which the matrix names",
            code="missing_values",
            column=categories.column,
            fix="write categories as they stand in the file, and leave out those that do not occur",
        )
    lacking = sum(name not in rows for name in known)
    if lacking:
        raise TacitError(
            f"has {lacking} categories without a row in the matrix",
            code="missing_parameter",
            column=categories.column,
            fix="give each category a row; {'X': {'X': 1}} leaves it as it is",
        )
    found = np.zeros((len(known), len(known)))
    for name, row in rows.items():
        for to, entry in row.items():
            found[known[name], known[to]] = entry
    found /= found.sum(axis=1, keepdims=True)
    return found


DIGITS = 6
"""Of the entries of a matrix in the trace."""

TAKES = {"given": ("stay", "matrix"), "invariant": ("stay", "matrix"), "risk": ("posterior",)}
"""Form → the parameters that say how much is changed; exactly one of them is given."""


@describe(
    tags=Tags(about="identity and attribute", kind="method"),
    effects=MethodEffects("changes", ("columns",), model="pram"),
    family="noise",
    suits={"ordinal": 3, "nominal": 1},
    example={"columns": ["sex", "occupation"], "stay": 0.8, "form": "invariant"},
    use="Categories must be uncertain for an intruder, and analysts can be told with which probabilities.",
    avoid="Relations between columns matter more than single counts: they are attenuated; swap or generalise instead.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class Pram:
    r"""Exchange categories for others at random, by a matrix of probabilities that may be published.

    A value k becomes l with probability :math:`r_{kl}`, each record and each column on its own; missing stays missing,
    and no category is made that the column does not have. Columns are text, Booleans or whole-number codes. What the
    matrix is depends on ``form``:

    ``"given"``
        ``matrix`` as typed, ``{"sex": {"F": {"F": 0.9, "M": 0.1}, "M": {"F": 0.1, "M": 0.9}}}``; or ``stay``: every
        value stays with this probability, the rest is spread ``"evenly"`` over the other categories or by
        ``"frequency"``.
    ``"invariant"``
        :math:`\pi' R = \pi'`, the expected counts are those of the original, so that tables of one column need no
        correction. With ``stay`` a value is drawn anew from the column with a fixed probability, such that the rarest
        category stays with probability ``stay`` and the others with more. With ``matrix`` P it is made invariant by the
        two-stage method, :math:`R = PQ` with Q the way back by Bayes' rule.
    ``"risk"``
        Invariant, and only what is rare changes much: a category with fewer than ``rare`` records trades places with
        common ones until the chance that a released value of it is true is ``posterior``.

    Matrices that depend on frequencies are estimated in every stratum (equal values in the ``strata`` columns), and
    values then stay among the categories of their stratum. The trace has the matrices, rounded to 6 digits and publishable
    when every category has ten records in its stratum, so that counts :math:`\lambda` of the masked column can be
    corrected: :math:`\hat\pi = (R')^{-1}\lambda`. Probabilities hold to 2⁻³³. Columns that are equal within every
    household change by household. Joint counts of two columns are attenuated in either case: do not use it where
    relations between categories must hold (use swapping within strata of them).

    Row by row on every engine, the same values on each: O(n) time and one aggregate, O(categories²) memory.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"sex": ["F", "M"] * 50}), quasi="sex")
    >>> m = r.protect(Pram(columns="sex", stay=0.8, form="invariant"), seed=7)
    >>> int((m.to_native()["sex"] != r.to_native()["sex"]).sum()), m.trace[0].outcome["matrix"].value["sex"][0]["matrix"]["F"]
    (20, {'F': 0.8, 'M': 0.2})

    References
    ----------
    Gouweleeuw, Kooiman, Willenborg and de Wolf (1998), Post randomisation for statistical disclosure control: theory and
    implementation, Journal of Official Statistics 14, 463–478.
    """

    columns: str | Sequence[str]
    stay: float | Mapping[str, float] | None = None
    matrix: Mapping[str, Rows] | None = None
    posterior: float | Mapping[str, float] | None = None
    rare: int | None = None
    form: Literal["given", "invariant", "risk"] = "given"
    spread: Literal["evenly", "frequency"] = "evenly"
    strata: str | Sequence[str] | None = None

    def __post_init__(self) -> None:
        columns = column_names(self.columns)
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "strata", strata_names(self.strata or None, columns) or None)
        self._check_form(columns)
        for name in ("stay", "posterior"):
            if getattr(self, name) is not None:
                fix = f"give a probability from 0 to below 1, e.g. {name}=0.8"
                fits = per_column(name, getattr(self, name), columns, lambda value: 0 <= value < 1, fix)
                object.__setattr__(self, name, fits)
        if self.matrix is not None:
            object.__setattr__(self, "matrix", checked_matrices(self.matrix, columns))

    def _check_form(self, columns: Sequence[str]) -> None:
        if self.form not in tuple(TAKES) or self.spread not in ("evenly", "frequency"):
            raise TacitError(
                f"cannot be changed by form={format_value(self.form)}, spread={format_value(self.spread)}",
                code="unsuitable_column",
                column=columns[0],
                fix="form is 'given', 'invariant' or 'risk', spread is 'evenly' or 'frequency'",
            )
        said = [name for name in ("stay", "matrix", "posterior") if getattr(self, name) is not None]
        if len(said) != 1 or said[0] not in TAKES[self.form]:
            raise TacitError(
                f"is changed by form={self.form!r} with {' and '.join(said) or 'no probability'}",
                code="unsuitable_column",
                column=columns[0],
                fix=f"give {' or '.join(TAKES[self.form])}, one of them"
                if len(TAKES[self.form]) > 1
                else "give posterior",
            )
        if (self.form == "risk") != (self.rare is not None):
            raise TacitError(
                "has a form 'risk' without rare, or rare without it",
                code="missing_parameter",
                column=columns[0],
                fix="e.g. form='risk', rare=10",
            )
        if self.rare is not None:
            check_int("rare", self.rare, least=2)
        if self.spread == "frequency" and (self.form, said) != ("given", ["stay"]):
            raise TacitError(
                "spread='frequency' goes with form='given' and stay alone",
                code="invalid_parameter",
                parameter="spread",
                column=columns[0],
                fix="leave spread out: other forms have their own law",
            )
        if self.strata and self.form == "given" and self.matrix is not None:
            raise TacitError(
                "has a matrix, which is the same in all strata",
                code="unsuitable_column",
                column=columns[0],
                fix="leave out the strata",
            )

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release with exchanged categories; the outcome has the matrices and the expected shares of changes."""
        own = seed_of(self, seed)
        columns = check_columns(self.columns, release.columns)
        strata = {name: release.types[name] for name in check_columns(self.strata, release.columns)}
        for name, kind in strata.items():
            if kind not in STRATA:
                raise TacitError(
                    f"holds {kind} and makes strata",
                    code="wrong_kind",
                    column=name,
                    fix="recode it to categories first",
                )
        make, findings, change, safe = {}, {}, {}, True
        for place, column in enumerate(columns):
            report_progress(progress, "pram", place / (len(columns) + 1))
            found = count_categories(release, column, tuple(strata))
            matrices = self._stratum_matrices(found)
            make[column] = make_row_kernel(found, matrices, strata, child_seed(own, column))
            findings[column] = _matrices_as_json(found, matrices, tuple(strata))
            change[column] = _expected_change(found, matrices)
            safe &= not ((found.counts > 0) & (found.counts < FEWEST)).any()
        report_progress(progress, "pram", len(columns) / (len(columns) + 1))
        changed = row_by_row(release, make, masked_dtypes(release, columns), tuple(strata))
        report_progress(progress, "pram", 1.0)
        outcome = {"matrix": Finding(findings, publishable=safe), "change": Finding(change, publishable=True)}
        return Masked(changed, (Trace.of(self, **outcome),))

    def _stratum_matrices(self, found: Categories) -> np.ndarray:
        """One matrix for every stratum; categories that a stratum lacks stay as they are."""
        count = len(found.values)
        if not count:
            raise TacitError(
                "has no values", code="missing_values", column=found.column, fix="leave it out of the columns"
            )
        typed_in = None if self.matrix is None else matrix_for(found, self.matrix[found.column])
        if count == 1 and typed_in is None:
            raise TacitError(
                "has one category, which can become no other",
                code="no_variation",
                column=found.column,
                fix="leave it out of the columns",
            )
        if typed_in is not None and self.form == "given":
            return typed_in[None]
        matrices = np.tile(np.eye(count), (len(found.strata), 1, 1))
        for stratum, counts in enumerate(found.counts):
            here = np.flatnonzero(counts)
            if len(here) > 1:
                rows = None if typed_in is None else typed_in[here]
                matrices[stratum][np.ix_(here, here)] = self._transition_matrix(found.column, counts[here], rows)
        return matrices

    def _transition_matrix(self, column: str, counts: np.ndarray, rows: np.ndarray | None) -> np.ndarray:
        """The matrix of a stratum, from the counts of its categories and their rows of the matrix that was typed."""
        shares = counts / counts.sum()
        if self.form == "risk":
            assert self.rare is not None
            found = transition.risk_matrix(shares, counts < self.rare, value_for(self.posterior, column))
            if found is None:
                raise TacitError(
                    f"has too few records in categories with {self.rare} or more to trade with, in a stratum or in all",
                    code="too_few_records",
                    column=column,
                    fix="lower rare, raise posterior, use fewer strata, or merge categories first (recode with rare)",
                )
            return found
        if rows is not None:
            return transition.two_stage(shares, rows)
        stay = value_for(self.stay, column)
        if self.form == "invariant":
            return transition.invariant_matrix(shares, stay)
        return (transition.uniform_matrix if self.spread == "evenly" else transition.in_proportion)(shares, stay)


def _expected_change(found: Categories, matrices: np.ndarray) -> float:
    """The expected share of records that get another category."""
    leave = 1 - np.einsum("skk->sk", matrices)
    return round(float((found.counts * leave).sum() / found.counts.sum()), 4)


def _matrices_as_json(found: Categories, matrices: np.ndarray, strata: Sequence[str]) -> list[dict[str, Any]]:
    """The matrices as a trace holds them: of each stratum who it is, and the rows of its categories."""
    listed = []
    for place, matrix in enumerate(matrices):
        here = [(int(one), found.as_texts[one]) for one in np.flatnonzero(found.counts[place])]
        rows = {source: {to: round(float(matrix[k, j]), DIGITS) for j, to in here} for k, source in here}
        cell = (
            {name: _as_json_value(value) for name, value in zip(strata, found.strata[place], strict=True)}
            if strata
            else {}
        )
        listed.append({"stratum": cell, "matrix": rows})
    return listed


def _as_json_value(value: Any) -> Any:
    return value if value is None or isinstance(value, str | int | bool) else str(value)
