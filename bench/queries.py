"""The bars of differential privacy and the query service: engines, audit, load, and the ε that samples show.

python bench/queries.py [--quick]
"""

from __future__ import annotations

import queries_audit
import queries_engine
import queries_epsilon
import queries_load
from bars import Bars

PARTS = (queries_engine, queries_audit, queries_load, queries_epsilon)
"""Each part is a module with ``bars(bars)``."""

if __name__ == "__main__":
    bars = Bars("queries", __doc__ or "")
    for part in PARTS:
        part.bars(bars)
    bars.end()
