"""What an office adds to Tacit: a masking method, an attack, a measure of risk, a model, a measure of loss and a file format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from tacit.claims import LinkClaims
from tacit.errors import TacitError, check_columns, check_int
from tacit.models import Verdict
from tacit.protect.parameters import column_names, drop_metadata
from tacit.registry import MethodEffects, Tags, describe
from tacit.release.files.formats import Format
from tacit.release.masked import Masked, release_of
from tacit.release.trace import Trace
from tacit.result import Result


@describe(
    tags=Tags(about="attribute", kind="method"),
    effects=MethodEffects("changes", ("columns",)),
    family="coarser",
    example={"columns": ["income"], "base": 500},
    use="The office publishes amounts in bands.",
    avoid="Sums must be kept: every band begins below its values.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class OfficeBands:
    """Replace each number by the lower end of its band."""

    columns: str | Sequence[str]
    base: int = 100

    def __post_init__(self) -> None:
        check_int("base", self.base, least=1)
        object.__setattr__(self, "columns", column_names(self.columns))

    def apply(self, release: Any, *, seed: Any = None, progress: Any = None) -> Masked:
        """The release with bands."""
        columns = check_columns(self.columns, release.columns)
        for column in columns:
            if not release.series(column).dtype.is_numeric():
                raise TacitError("holds no numbers", code="wrong_kind", column=column, fix="name a column of numbers")
        made = {column: (release.series(column) // self.base) * self.base for column in columns}
        return Masked(drop_metadata(release.with_columns(made), columns, hierarchies=False), (Trace.of(self),))


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficeClerk:
    """Name the records that agree with a person in every quasi-identifier, where they are few."""

    makes: ClassVar = LinkClaims
    linkage: ClassVar = "generic"
    example: ClassVar = {"most": 500}
    most: int = 1000

    def applies(self, release: Any, scenario: Any) -> str | None:
        """None when the attack can be made, else why not."""
        return None if _known_keys(release, scenario) else "no quasi-identifier is known"

    def claims(self, release: Any, scenario: Any, *, seed: Any = None, progress: Any = None) -> LinkClaims:
        """The records that each person may be."""
        keys = _known_keys(release, scenario)
        if not keys:
            raise TacitError("nobody is found", code="attack_impossible", fix="see which columns both files have")
        agreeing: dict[tuple[Any, ...], list[int]] = {}
        for row, values in enumerate(_rows(release, keys)):
            agreeing.setdefault(values, []).append(row)
        named = [agreeing.get(values, []) for values in _rows(scenario.file, keys)]
        few = [rows if len(rows) <= self.most else [] for rows in named]
        start = np.concatenate([[0], np.cumsum([len(rows) for rows in few])]).astype(int)
        return LinkClaims.of_rows(start, np.array(sum(few, []), dtype=int), release_size=release.size)


def _known_keys(release: Any, scenario: Any) -> list[str]:
    return [name for name in release.quasi if name in scenario.file.columns]


def _rows(release: Any, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    return pl.DataFrame([release.series(name).cast(pl.String) for name in columns]).rows()


@describe(tags=Tags(about="identity", kind="measure"))
def office_singles(release: Any) -> Result:
    """The share of records that nobody shares the quasi-identifiers with."""
    frame = pl.DataFrame([release_of(release).series(name) for name in release_of(release).quasi])
    value = float(frame.is_unique().mean() or 0.0) if frame.width else 0.0
    return Result(name="office singles", value=value, worse="high", about="identity")


@describe(tags=Tags(about="identity", kind="model"), example={"records": 10})
@dataclass(frozen=True, slots=True, kw_only=True)
class OfficeSize:
    """The release has at least so many records."""

    records: int

    def demands(self, release: Any) -> tuple[()]:
        """Nothing of a class."""
        return ()

    def holds(self, release: Any) -> Verdict:
        """Whether it has."""
        found = release_of(release).size
        return Verdict(
            holds=found >= self.records,
            model="office size",
            required=self.records,
            found=found,
            margin=found - self.records,
        )


@describe(tags=Tags(about="utility", kind="measure", whose="user"), upto=0)
def office_mean(release: Any, *, original: Any, lineage: Any = None) -> Result:
    """How far the mean of all numbers moves, beside the mean before."""
    before, after = (_mean(release_of(file)) for file in (original, release))
    value = abs(after - before) / abs(before) if before else 0.0
    return Result(name="office mean", value=value, worse="high", about="utility")


def _mean(release: Any) -> float:
    numbers = [release.series(name) for name in release.columns if release.series(name).dtype.is_numeric()]
    return float(np.mean([column.mean() or 0.0 for column in numbers])) if numbers else 0.0


def load_lines(path: Any, options: Any) -> pl.DataFrame:
    """Read lines of JSON."""
    return pl.read_ndjson(path)


def save_lines(frame: pl.DataFrame, path: Any, options: Any) -> None:
    """Write lines of JSON."""
    frame.write_ndjson(path)


LINES = Format(
    name="office_lines",
    title="Lines of JSON",
    suffixes=(".office",),
    load="office:load_lines",
    save="office:save_lines",
)
