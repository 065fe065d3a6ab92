"""The release: an immutable table whose columns have roles. Everything else takes one and gives one back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

import narwhals as nw
import numpy as np
import polars as pl

from ..errors import TacitError, check_columns, format_value
from .classes.arrays import ArrayClasses
from .classes.lazy import LazyClasses
from .classes.matches import Matches
from .codes import Codes
from .description import Description, Missing, checked_description
from .engines.convert import from_frame
from .engines.table import ROW, Capabilities, RowKernel, Table, Type, few_rows
from .files.header import PRIVATE
from .hierarchy import Hierarchy
from .hierarchy.recipe import make_tally
from .kinds import BY_TYPE, FEW, Kind
from .roles import CONFIDENTIAL, QUASI, Role

if TYPE_CHECKING:
    from ..progress import Progress
    from ..seed import Seed


Names: TypeAlias = str | Iterable[str] | None
Classes: TypeAlias = ArrayClasses | LazyClasses
LARGEST_WEIGHT = 1e18
"""Nobody stands for more people than that: beyond it a weight is infinite."""
SUPPRESSED = PRIVATE + "suppressed:"
MaskedT = TypeVar("MaskedT", covariant=True)


@contextmanager
def _translate_errors(what: str, fix: str) -> Iterator[None]:
    """The errors of an engine in our words: theirs quote cells."""
    try:
        yield
    except TacitError:
        raise
    except Exception as problem:
        raise TacitError(f"{what} ({type(problem).__name__})", code="invalid_data", fix=fix) from None


class Applicable(Protocol[MaskedT]):
    """Whatever can be applied to a release: a masking method, which gives a Masked."""

    def apply(self, release: Release, *, seed: Seed | None, progress: Progress | None) -> MaskedT:
        """What came of it."""


class Release:
    """A table with roles, kinds, hierarchies and one policy for missing keys.

    ``frame`` is a pandas, Polars, PyArrow, DuckDB or PySpark frame; it is never changed. ``missing`` says what a
    missing quasi-identifier means: ``"own"``, a category of its own, or ``"any"``, it matches every value. There is no
    default: it is asked for as soon as a key has missing values.

    >>> import polars as pl
    >>> r = Release(pl.DataFrame({"zip": ["N1", "N1", "N2"], "ill": ["flu", "flu", "acne"]}), quasi="zip", confidential="ill")
    >>> r
    Release of 3 rows on polars: quasi zip · confidential ill
    >>> r.classes().sizes.tolist()
    [2, 1]
    """

    __slots__ = ("_classes", "_codes", "_description", "_distinct", "_table")

    def __init__(
        self,
        frame: Any,
        *,
        quasi: Names = None,
        confidential: Names = None,
        identifier: Names = None,
        weight: str | None = None,
        household: str | None = None,
        unrestricted: Names = None,
        kinds: Mapping[str, str] | None = None,
        hierarchies: Mapping[str, Any] | None = None,
        labels: Mapping[str, str] | None = None,
        value_labels: Mapping[str, Mapping[Any, str]] | None = None,
        missing: str | None = None,
    ) -> None:
        table: Table = frame if isinstance(getattr(frame, "capabilities", None), Capabilities) else from_frame(frame)
        given: dict[Role, Names] = {"identifier": identifier, "quasi": quasi, "confidential": confidential}
        description = checked_description(
            table.types,
            make_tally(table.scan()),
            roles={**given, "weight": weight, "household": household, "unrestricted": unrestricted},
            kinds=kinds,
            hierarchies=hierarchies,
            labels=labels,
            value_labels=value_labels,
            missing=missing,
        )
        self._set_state(table, description)
        self._check_weights()

    def with_roles(
        self,
        roles: Mapping[Role, Names],
        *,
        kinds: Mapping[str, str] | None = None,
        hierarchies: Mapping[str, Any] | None = None,
        missing: str | None = None,
    ) -> Release:
        """The same table under other roles, kinds and hierarchies, checked as when a release is made.

        Labels stay, and codes and classes that were computed already are kept: they depend on the table alone.
        """
        checked = checked_description(
            self.types, make_tally(self.scan()), roles=roles, kinds=kinds, hierarchies=hierarchies, missing=missing
        )
        new = self.with_metadata(
            roles=checked.roles, kinds=checked.kinds, hierarchies=checked.hierarchies, missing=checked.missing
        )
        new._check_weights()
        return new

    def _check_weights(self) -> None:
        """Weights count people: every record has a positive one."""
        weight = self.weight
        if weight is None:
            return
        given = nw.col(weight).cast(nw.Float64)
        bad = self.scan(numbered=True).filter(given.is_null() | (given <= 0) | (given > LARGEST_WEIGHT))
        count, first = few_rows(bad.select(nw.len(), nw.col(ROW).min()))[0]
        if count:
            raise TacitError(
                f"is the weight and is missing, infinite or not positive in {int(count)} rows, the first of them row {int(first) + 1}",
                code="not_finite",
                column=weight,
                fix="weights count people: remove these records or correct their weights",
            )

    def _set_state(self, table: Table, description: Description) -> None:
        self._table, self._description = table, description
        self._codes: dict[str, Codes] = {}
        self._classes: dict[tuple[str, ...], Classes | Matches] = {}
        self._distinct: dict[str, int] = {}

    def _with_table(self, table: Table, description: Description) -> Release:
        new = object.__new__(Release)
        new._set_state(table, description)
        return new

    @property
    def size(self) -> int:
        """Number of records."""
        return self._table.size

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns, in the order of the table."""
        return tuple(self._table.types)

    @property
    def types(self) -> Mapping[str, Type]:
        """Column → integer, number, text, date, datetime or boolean."""
        return self._table.types

    @property
    def roles(self) -> Mapping[str, Role]:
        """Column → role."""
        return self._description.roles

    @property
    def engine(self) -> str:
        """The name of the engine that holds the data, e.g. polars; for people: code asks for :attr:`capabilities`."""
        return self._table.capabilities.engine

    @property
    def capabilities(self) -> Capabilities:
        """What the engine that holds the data can do."""
        return self._table.capabilities

    @property
    def identifiers(self) -> tuple[str, ...]:
        """Columns that name a person."""
        return self._with_role("identifier")

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi-identifiers, those among them that are confidential, too."""
        return self._with_role(*QUASI)

    @property
    def confidential(self) -> tuple[str, ...]:
        """The confidential columns, those among them that are quasi-identifiers, too."""
        return self._with_role(*CONFIDENTIAL)

    @property
    def weight(self) -> str | None:
        """The column of sampling weights, if any."""
        return next(iter(self._with_role("weight")), None)

    @property
    def household(self) -> str | None:
        """The column of household ids, if any."""
        return next(iter(self._with_role("household")), None)

    @property
    def unrestricted(self) -> tuple[str, ...]:
        """Columns that somebody decided to release as they are."""
        return self._with_role("unrestricted")

    @property
    def undecided(self) -> tuple[str, ...]:
        """Columns of which nobody said what they are: role ``other``."""
        return self._with_role("other")

    @property
    def hierarchies(self) -> Mapping[str, Hierarchy]:
        """Column → hierarchy."""
        return self._description.hierarchies

    @property
    def levels(self) -> Mapping[str, int]:
        """Column → hierarchy level at which its values stand; columns that are as they were are left out."""
        return self._description.levels

    @property
    def mixed(self) -> tuple[str, ...]:
        """Columns that were recoded locally: their values are labels of different levels, intervals or sets."""
        return self._description.mixed

    @property
    def labels(self) -> Mapping[str, str]:
        """Column → what it is called in words."""
        return self._description.labels

    @property
    def value_labels(self) -> Mapping[str, Mapping[Any, str]]:
        """Column → code → what it means, as statistical packages keep it."""
        return self._description.value_labels

    @property
    def missing_codes(self) -> Mapping[str, tuple[Any, ...]]:
        """Column → the codes that meant missing in the file, as statistical packages declare them."""
        return self._description.missing_codes

    @property
    def missing(self) -> Missing | None:
        """The policy for missing keys: own, any, or not chosen yet."""
        return self._description.missing

    @property
    def population(self) -> Release | None:
        """The people that the records were drawn from, if a file of them was given (``described(population=…)``)."""
        given: Release | None = self._description.population
        return given

    @property
    def shuffled(self) -> bool:
        """Whether the rows stand in random order."""
        return self._description.shuffled

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """Column → kind: as declared, else by type; whole numbers with few values are left out (see :meth:`kind`)."""
        return {name: kind for name in self.columns if (kind := self._known_kind(name)) is not None}

    @property
    def declared_kinds(self) -> Mapping[str, Kind]:
        """The kinds that the user declared."""
        return self._description.kinds

    def kind(self, column: str) -> Kind:
        """The kind of a column; asks the user when whole numbers could be amounts or codes."""
        check_columns(column, self.columns)
        kind = self._known_kind(column)
        if kind is None:
            raise TacitError(
                f"holds whole numbers with at most {FEW} different values: an amount or a code?",
                code="ambiguous_kind",
                column=column,
                fix=f"say kinds={{{column!r}: 'continuous'}}, 'ordinal' or 'nominal'",
            )
        return kind

    def _known_kind(self, column: str) -> Kind | None:
        declared = self._description.kinds.get(column)
        if declared is not None or self.types[column] != "integer":
            return declared or BY_TYPE[self.types[column]]
        return None if self.distinct(column) <= FEW else "continuous"

    def distinct(self, column: str) -> int:
        """How many different values a column has, missing left out."""
        check_columns(column, self.columns)
        if self.capabilities.in_memory:
            return len(self.codes(column).dictionary)
        if column not in self._distinct:
            values = self.scan().select(column).filter(~nw.col(column).is_null()).unique()
            self._distinct[column] = int(few_rows(values.select(nw.len()))[0][0])
        return self._distinct[column]

    def count_unique_rows(self, columns: Names) -> int:
        """How many records are alone with their values in these columns; a missing one is a value like the others."""
        return self._table.count_unique_rows(check_columns(columns, self.columns))

    @property
    def suppressed(self) -> Mapping[str, int]:
        """Column → how many of its cells were suppressed."""
        marks = [name for name in self.scan().collect_schema().names() if name.startswith(SUPPRESSED)]
        if not marks:
            return {}
        counts = few_rows(self.scan().select(*(nw.col(mark).cast(nw.Int64).sum() for mark in marks)))[0]
        return {mark.removeprefix(SUPPRESSED): int(count or 0) for mark, count in zip(marks, counts, strict=True)}

    def scan(self, *, numbered: bool = False) -> nw.LazyFrame[Any]:
        """All columns as a lazy Narwhals frame on the engine that holds them."""
        return self._table.scan(numbered=numbered)

    def to_native(self) -> Any:
        """The table as the kind of frame that it was made from."""
        return self._table.to_native()

    def series(self, column: str) -> pl.Series:
        """A column in memory, missing values included."""
        check_columns(column, self.columns)
        return self._table.series(column)

    def valid(self, column: str) -> np.ndarray:
        """Which records have a value in the column."""
        return self.series(column).is_not_null().to_numpy()

    def values(self, column: str) -> np.ndarray:
        """A column as an array; refuses missing values, because an array cannot show them."""
        series = self.series(column)
        if series.null_count():
            row = int(series.is_null().arg_max() or 0)
            raise TacitError(
                f"has {series.null_count()} missing values, the first in row {row + 1}",
                code="missing_values",
                column=column,
                fix="fill them, suppress the records, or use valid() and series()",
            )
        return series.to_numpy()

    def floats(self, column: str) -> np.ndarray:
        """A column of numbers as floats, missing as NaN."""
        return self.series(column).cast(pl.Float64).fill_null(float("nan")).to_numpy()

    def codes(self, column: str) -> Codes:
        """A column as integer codes, computed once; missing has a code of its own."""
        if column not in self._codes:
            check_columns(column, self.columns)
            self._codes[column] = self._table.codes(column)
        return self._codes[column]

    def weights(self) -> np.ndarray:
        """The sampling weights, 1 for all when there are none."""
        if self.weight is None:
            return np.ones(self.size)
        return self.values(self.weight).astype(float, copy=False)

    def classes(self, columns: Names = None) -> Classes:
        """The exact equivalence classes on the quasi-identifiers or on other columns, computed once."""
        return self._exact_classes(self._key_columns(columns), known_only=False)

    def _exact_classes(self, keys: tuple[str, ...], *, known_only: bool) -> Classes:
        kept = ("known only" if known_only else "all", *keys)
        if kept not in self._classes:
            if self.capabilities.in_memory:
                codes = [self.codes(key) for key in keys]
                self._classes[kept] = ArrayClasses(codes, self.size, self.codes, known_only=known_only)
            else:
                self._classes[kept] = LazyClasses(self._table, keys, known_only=known_only)
        return self._classes[kept]  # type: ignore[return-value]

    def matches(self, columns: Names = None) -> Classes | Matches:
        """The match sets under the release's policy for missing keys; the exact classes when no key is missing."""
        keys = self._key_columns(columns)
        if self.missing == "own":
            return self._exact_classes(keys, known_only=False)
        lacking = self._key_with_missing(keys)
        if lacking is None:
            return self._exact_classes(keys, known_only=True)
        if self.missing is None:
            raise TacitError(
                "is a quasi-identifier with missing values, and nobody said what they mean",
                code="missing_undefined",
                column=lacking,
                fix="say missing='own' (a category of its own) or missing='any' (matches any value); in a plan under [data], on the command line --missing own",
            )
        key = ("any", *keys)
        if key not in self._classes:
            self._classes[key] = Matches([self.codes(name) for name in keys], self.size, self.codes)
        return self._classes[key]

    def matches_beside(self, column: str) -> Classes | Matches:
        """The match sets by which what is learnt of a confidential column is judged: on all quasi-identifiers but itself.

        Of a column that is a quasi-identifier, too, every class has one value, which says nothing: whoever knows the
        value learns nothing, and whoever does not has the other quasi-identifiers to go by.
        """
        return self.matches([key for key in self.quasi if key != column] if column in self.quasi else None)

    def _key_columns(self, columns: Names) -> tuple[str, ...]:
        keys = self.quasi if columns is None else check_columns(columns, self.columns)
        if columns is None and not keys:
            raise TacitError(
                "the release has no quasi-identifier",
                code="no_quasi_identifier",
                fix="say which columns an intruder may know, e.g. quasi=['zip', 'birth'] (--quasi zip,birth)",
            )
        if self.size == 0:
            raise TacitError(
                "the release has no rows", code="too_few_records", fix="check the file or the filter that made it"
            )
        return keys

    def _key_with_missing(self, keys: Sequence[str]) -> str | None:
        """The first key with missing values."""
        if self.capabilities.in_memory or not keys:
            return next((key for key in keys if self.codes(key).has_missing), None)
        counts = few_rows(self.scan().select(*(nw.col(key).is_null().cast(nw.Int64).sum() for key in keys)))[0]
        return next((key for key, count in zip(keys, counts, strict=True) if count), None)

    def with_columns(
        self, changes: Mapping[str, np.ndarray | pl.Series | nw.Expr], *, levels: Mapping[str, int] | None = None
    ) -> Release:
        """A release with columns changed: by an array in row order, or by an expression (any engine)."""
        check_columns(changes, self.columns)
        plain = {
            name: pl.Series(name, change) if isinstance(change, np.ndarray) else change
            for name, change in changes.items()
        }
        with _translate_errors("the columns cannot be replaced", "give each column one value per row, of one type"):
            table = self._table.with_columns(plain)
        return self._with_retyped_table(table, levels or {})

    def map_batches(self, read: Names, kernel: RowKernel, types: Mapping[str, Any]) -> Release:
        """A release with columns made row by row, batch after batch, on any engine; see :class:`RowKernel`."""
        check_columns(types, self.columns)
        known = check_columns(read, self.columns)
        with _translate_errors(
            "the columns cannot be made row by row", "check that their values fit the types of the columns"
        ):
            table = self._table.map_batches(known, kernel, types)
        return self._with_retyped_table(table, {})

    def _with_retyped_table(self, table: Table, levels: Mapping[str, int]) -> Release:
        """The table under the description, less the kinds of columns whose type is another now."""
        same = {name for name in self.columns if table.types[name] == self.types[name]}
        kinds = {name: kind for name, kind in self._description.kinds.items() if name in same}
        return self._with_table(table, replace(self._description, kinds=kinds, levels={**self.levels, **levels}))

    def suppress_cells(self, cells: Mapping[str, np.ndarray]) -> Release:
        """A release with cells suppressed (column → which rows): they become missing and are remembered as suppressed."""
        check_columns(cells, self.columns)
        changes: dict[str, pl.Series | nw.Expr] = {}
        before = self.scan().collect_schema().names()
        for column, rows in cells.items():
            mark = SUPPRESSED + column
            hidden = pl.Series(mark, rows) | self._table.series(mark) if mark in before else pl.Series(mark, rows)
            changes[mark] = hidden
            changes[column] = (
                self.series(column).to_frame().select(pl.when(~pl.lit(hidden)).then(pl.col(column)))[column]
            )
        return self._with_table(self._table.with_columns(changes), self._description)

    def select(self, columns: Names) -> Release:
        """A release with these columns only."""
        kept = check_columns(columns, self.columns)
        return self._with_table(self._table.select(kept), self._description.select_columns(kept))

    def take(self, rows: np.ndarray, *, shuffled: bool = False) -> Release:
        """A release of the given rows, in the given order; ``shuffled`` says that the order is random."""
        chosen = np.asarray(rows)
        in_order = bool((np.diff(chosen) > 0).all())
        described = replace(self._description, shuffled=shuffled or (self.shuffled and in_order))
        with _translate_errors("the rows cannot be taken", f"give row numbers from 0 to {self.size - 1}"):
            return self._with_table(self._table.take(chosen), described)

    def append(self, rows: pl.DataFrame) -> Release:
        """A release with rows added at the end; their columns are those of the table."""
        check_columns(rows.columns, self.columns)
        with _translate_errors("the rows cannot be added", "give a Polars frame with the same columns and types"):
            return self._with_table(self._table.append(rows), replace(self._description, shuffled=False))

    def with_metadata(self, **changes: Any) -> Release:
        """The same table under another description (roles, missing policy, labels, hierarchies).

        Codes and classes that were computed already are kept: they depend on the table alone.
        """
        new = self._with_table(self._table, replace(self._description, **changes))
        new._codes, new._classes, new._distinct = self._codes, self._classes, self._distinct
        return new

    def protect(
        self, method: Applicable[MaskedT], *, seed: Seed | None = None, progress: Progress | None = None
    ) -> MaskedT:
        """The release masked by a method; chains with ``.then``."""
        if isinstance(method, type) or not hasattr(method, "apply"):
            raise TacitError(
                f"{format_value(method)} is no method with its parameters",
                code="wrong_type",
                fix="e.g. tacit.protect.RankSwap(columns='income', percent=5)",
            )
        return method.apply(self, seed=seed, progress=progress)

    def _with_role(self, *roles: Role) -> tuple[str, ...]:
        return tuple(name for name, given in self.roles.items() if given in roles)

    def __repr__(self) -> str:
        shown = [
            ("identifier", self.identifiers),
            ("quasi", self.quasi),
            ("confidential", self.confidential),
            *((role, self._with_role(role)) for role in ("weight", "household")),
        ]
        roles = " · ".join(f"{role} {', '.join(columns)}" for role, columns in shown if columns) or "no roles yet"
        return f"Release of {self.size:,} rows on {self.engine}: {roles}"
