"""Data sets in memory: a source over NumPy arrays, by the plainest possible counting."""

from collections import defaultdict

import numpy as np

from tacit.query.column import NULL
from tacit.query.tally import Tally
from tacit.query.units import Units


class MemorySource:
    """Codes by column, one entry a row; ``names`` tells whose row it is."""

    def __init__(self, schema, codes, *, names=None, version="1"):
        self.schema, self.version, self.names = schema, version, names
        self.codes = {name: self._cut(name, np.asarray(values, np.int64)) for name, values in codes.items()}
        self.size = len(next(iter(self.codes.values())))
        self.asked = 0

    def _cut(self, name, values):
        column = self.schema.columns[name]
        if not column.has_public_domain:
            return values
        low, high = column.bounds()
        return np.where(values == NULL, NULL, np.clip(values, low, high))

    def tally(self, where, by, measures, *, joined=(), bounded=True):
        assert not joined
        self.asked += 1
        rows = defaultdict(list)
        chosen = np.flatnonzero(where.holds(self.codes))
        for row in self._bounded(chosen) if bounded else chosen:
            rows[tuple(self._group(key, row) for key in by)].append(row)
        if not by:
            rows[()] += []  # without keys there is one group, also of nobody
        groups = sorted(rows, key=lambda key: [(code is not None, code) for code in key])
        return Tally(
            groups=tuple(groups),
            measures={one: tuple(self._measured(one, rows[group]) for group in groups) for one in measures},
        )

    def _bounded(self, rows):
        left = defaultdict(lambda: self.schema.rows)
        for row in rows:
            name = row if self.names is None else self.names[row]
            left[name] -= 1
            if left[name] >= 0:
                yield row

    def _group(self, key, row):
        code = int(self.codes[key.column][row])
        if code == NULL:
            return None
        low = self.schema.columns[key.column].bounds()[0]
        return low + (code - low) // key.width * key.width if key.width else code

    def _measured(self, one, rows):
        if one.what == "rows":
            return len(rows)
        if one.what == "units":
            return len(rows if self.names is None else {self.names[row] for row in rows})
        values = [int(code) - one.centre for code in self.codes[one.column][rows] if code != NULL]
        return sum(value**2 if one.what == "squares" else value for value in values)

    def units(self, columns):
        order = (
            list(range(self.size)) if self.names is None else sorted(range(self.size), key=lambda row: self.names[row])
        )
        names = () if self.names is None else tuple(self.names[row] for row in order)
        return Units(size=self.size, names=names, codes={name: self.codes[name][order] for name in columns})

    def close(self):
        pass
