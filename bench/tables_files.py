"""The instances and oracles that the bars of tables are measured on: those of the tests."""

from __future__ import annotations

import sys

from bars import ROOT

sys.path.insert(0, str(ROOT))

from tests.tables.instances import balanced, flat, random_problem, random_table
from tests.tables.test_audit_intervals import compare_with_enumeration
from tests.tables.test_build_linked import SETS, turnover
from tests.tables.test_suppress import unsafe_in_random_tables

__all__ = [
    "DATA",
    "OPTIMA",
    "SETS",
    "THREE_D",
    "balanced",
    "compare_with_enumeration",
    "flat",
    "random_problem",
    "random_table",
    "turnover",
    "unsafe_in_random_tables",
]

DATA = ROOT.parent / "shared" / "data" / "tables"
OPTIMA = {
    "rand2d_10x10_p05": 2589,
    "rand2d_10x10_p20": 6234,
    "rand2d_20x20_p05": 7445,
    "rand2d_20x20_p10": 12299,
    "rand2d_50x50_p05": 32760,
    "rand2d_h34x10_p10": 5784,
    "rand2d_h45xh34_p10": 12581,
}
"""The proven optima of the two-dimensional instances, over all suppressed cells, as the README beside them gives them."""
THREE_D = "rand3d_6x6x6_p05"
