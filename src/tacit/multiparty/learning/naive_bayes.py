"""Naive Bayes on everybody's rows, from one secure sum of counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from ...errors import TacitError, unknown_column
from ..agreement.section import one_of
from ..statistics.column import NumericColumn, parse_column
from ..statistics.feasibility import InfeasibleSums, check_count, check_rows, check_square, check_total
from .learner import Add, Figures


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    """A column whose values are among ``values``."""

    name: str
    values: tuple[str, ...]

    def codes(self, frame: pl.DataFrame) -> list[int]:
        """The place of each row's category in the agreed list; other values are named by row."""
        if self.name not in frame.columns:
            raise unknown_column(self.name, frame.columns)
        place = {value: at for at, value in enumerate(self.values)}
        found = [place.get(str(value)) for value in frame[self.name].to_list()]
        if None in found:
            raise TacitError(
                f"has another value than the agreed ones in row {found.index(None) + 1}",
                code="unsuitable_column",
                column=self.name,
                fix="recode it, or agree on one category more",
            )
        return [code for code in found if code is not None]


def parse_category(name: str, given: object) -> Category:
    """A column of the section ``[task.columns]``: ``{ categories = ["yes", "no"] }``."""
    values = given.get("categories") if isinstance(given, dict) and set(given) == {"categories"} else None
    if not isinstance(values, list) or len(set(map(str, values))) < max(2, len(values)):
        raise TacitError(
            "has no categories", code="missing_parameter", column=name, fix='e.g. sex = { categories = ["f", "m"] }'
        )
    return Category(name=name, values=tuple(map(str, values)))


@dataclass(frozen=True, slots=True, kw_only=True)
class NaiveBayes:
    r"""P(class) and P(value | class) of each column: :math:`(n_{cv} + 1)/(n_c + k)` for k categories, a normal curve for numbers.

    **All learn** the counts of each category in each class, and of number columns sum and sum of squares in each class.
    """

    categories: tuple[Category, ...]
    numbers: tuple[NumericColumn, ...]
    target: Category
    rows: int

    @classmethod
    def of(cls, task: Mapping[str, Any], rows: int, room: int) -> NaiveBayes:  # noqa: ARG003
        """From ``[task]``: columns with categories or bounds, and which one with categories is the ``target``."""
        given = dict(task["columns"])
        name = one_of(task, "target", list(given))
        target = parse_category(name, given.pop(name))
        coded = {key for key, one in given.items() if isinstance(one, dict) and "categories" in one}
        return cls(
            categories=tuple(parse_category(key, one) for key, one in given.items() if key in coded),
            numbers=tuple(parse_column(key, one) for key, one in given.items() if key not in coded),
            target=target,
            rows=rows,
        )

    @property
    def side_information(self) -> None:
        """All counts follow from the figures."""

    def max_sum(self, parties: int) -> int:
        """A count, or a sum of squares."""
        return parties * self.rows * int(max([1, *(one.max_size for one in self.numbers)]) ** 2)

    def load_input(self, frame: pl.DataFrame) -> tuple[list[int], list[list[int]], list[list[int]]]:
        """The class, the codes and the values of each row."""
        codes = [one.codes(frame) for one in self.categories]
        return self.target.codes(frame), codes, [one.units(frame) for one in self.numbers]

    async def learn(self, own: tuple[list[int], list[list[int]], list[list[int]]], add: Add) -> Figures:
        """One secure sum."""
        classes, codes, values = own
        mine: list[int] = []
        for c in range(len(self.target.values)):
            members = [row for row, one in enumerate(classes) if one == c]
            mine.append(len(members))
            for one, column in zip(self.categories, codes, strict=True):
                held = [column[row] for row in members]
                mine += [held.count(code) for code in range(len(one.values))]
            for column in values:
                mine += [sum(column[row] for row in members), sum(column[row] ** 2 for row in members)]
        return self._model_figures(await add(mine, self._check_feasible))

    def _check_feasible(self, sums: list[int], parties: int) -> None:
        """Every row of a class is in one category of each column, and within the bounds of each number."""
        rest, rows = iter(sums), 0
        for _ in self.target.values:
            count = next(rest)
            rows += count
            check_count(count, parties * self.rows, "the size of a class is beyond the agreed rows")
            for one in self.categories:
                counts = [next(rest) for _ in one.values]
                if min(counts) < 0 or sum(counts) != count:
                    raise InfeasibleSums(f"the counts of column {one.name!r} are not those of the rows")
            for number in self.numbers:
                total, square = next(rest), next(rest)
                check_total(number, count, total)
                check_square(number, count, total, square)
        check_rows(rows, parties * self.rows)

    def _model_figures(self, sums: list[int]) -> Figures:
        found: Figures = {"rows": 0, "classes": {}, "tables": {}, "normals": {}}
        rest = iter(sums)
        for name in self.target.values:
            count = next(rest)
            found["rows"] += count
            found["classes"][name] = count
            for one in self.categories:
                counts = [next(rest) for _ in one.values]
                shares = {v: (n + 1) / (count + len(counts)) for v, n in zip(one.values, counts, strict=True)}
                found["tables"].setdefault(one.name, {})[name] = shares
            for number in self.numbers:
                total, squares, unit = next(rest), next(rest), 10**number.decimals
                spread = (squares * count - total * total) / count**2 / unit**2 if count else None
                mean = total / count / unit if count else None
                found["normals"].setdefault(number.name, {})[name] = {"mean": mean, "variance": spread}
        if not found["rows"]:
            raise TacitError("nobody has rows", code="too_few_records", fix="start with files that have some")
        found["classes"] = {name: count / found["rows"] for name, count in found["classes"].items()}
        return found
