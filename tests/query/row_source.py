"""A data set in memory with texts and missing values, tallied row by row from the definition: slow, obvious, and nothing shared with the engines."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from tacit.query.bins import group_of
from tacit.query.column import NULL, Column, Schema
from tacit.query.tally import Tally

__all__ = ["Remembered", "RowSource", "schema_of"]


def schema_of(*columns, unit=None, rows=1, name="d", version="1"):
    """A schema of these columns."""
    return Schema(
        name=name, version=version, columns={one.name: one for one in columns}, unit=unit, rows=rows, joins={}
    )


class RowSource:
    """Columns of codes (None or NULL for missing; texts as they are), and whose row each is.

    Of every unit the first rows that meet the condition count.
    """

    version = "1"

    def __init__(self, schema, table, units=None):
        self.schema = schema
        self.table = {name: [None if code == NULL else code for code in codes] for name, codes in table.items()}
        self.length = len(next(iter(self.table.values()), ()))
        self.units = list(range(self.length)) if units is None else list(units)
        self.touched = 0

    def tally(self, where, by, measures, *, joined=(), bounded=True):
        self.touched += 1
        rows = self._rows(where, bounded)
        groups = defaultdict(list) if by else {(): []}
        for row in rows:
            groups[tuple(self._code(key, row) for key in by)].append(row)
        order = sorted(groups, key=lambda group: tuple((code is not None, code) for code in group))
        return Tally(
            groups=tuple(order),
            measures={one: tuple(self._figure(one, groups[group]) for group in order) for one in measures},
        )

    def close(self):
        pass

    def _rows(self, where, bounded):
        if where.is_constant:
            met = np.full(self.length, where.met)
        else:
            codes = {
                name: np.array([NULL if code is None else self._cut(name, code) for code in self.table[name]], np.int64)
                for name in where.columns
            }
            met = where.holds(codes)
        seen, kept = Counter(), []
        for row in np.flatnonzero(met):
            seen[self.units[row]] += 1
            if not bounded or seen[self.units[row]] <= self.schema.rows or self.schema.unit is None:
                kept.append(int(row))
        return kept

    def _cut(self, name, code):
        column: Column = self.schema.columns[name]
        if not column.has_public_domain:
            return code
        low, high = column.bounds()
        return min(max(code, low), high)

    def _code(self, key, row):
        code = self.table[key.column][row]
        return (
            code
            if code is None or isinstance(code, str)
            else group_of(self._cut(key.column, code), key, self.schema.columns[key.column])
        )

    def _figure(self, measure, rows):
        if measure.what == "rows":
            return len(rows)
        if measure.what == "units":
            return len({self.units[row] for row in rows})
        values = [self.table[measure.column][row] for row in rows]
        known = [self._cut(measure.column, value) - measure.centre for value in values if value is not None]
        return sum(value**2 if measure.what == "squares" else value for value in known)


class Remembered:
    """A source that counts once: ten thousand answers about the same rows."""

    def __init__(self, source):
        self.source, self.found = source, {}

    def tally(self, *asked, **options):
        place = (*asked, *options.items())
        if place not in self.found:
            self.found[place] = self.source.tally(*asked, **options)
        return self.found[place]
