"""The bars of tables: proven optima, the heuristic chain, random tables, audits, rounding and adjustment.

    python bench/tables.py [--quick]

CPU seconds are of one thread: the solver is given one, so that the same input gives the same pattern.
"""

from __future__ import annotations

import tables_audit
import tables_chain
import tables_exact
import tables_perturb
from bars import Bars

PARTS = (tables_exact, tables_chain, tables_audit, tables_perturb)
"""Each part is a module with ``bars(bars)``."""

if __name__ == "__main__":
    bars = Bars("tables", __doc__ or "")
    for part in PARTS:
        part.bars(bars)
    bars.end()
