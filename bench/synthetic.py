"""The bars of releasing something else than the records: synthetic files, results without sensitive rules, recurrent models.

    python bench/synthetic.py [--quick]

CPU seconds are of one process.
"""

from __future__ import annotations

import synthetic_attacks
import synthetic_dp
import synthetic_integral
import synthetic_rules
import synthetic_trees
from bars import Bars

PARTS = (synthetic_trees, synthetic_dp, synthetic_attacks, synthetic_rules, synthetic_integral)
"""Each part is a module with ``bars(bars)``."""

if __name__ == "__main__":
    bars = Bars("synthetic", __doc__ or "")
    for part in PARTS:
        part.bars(bars)
    bars.end()
