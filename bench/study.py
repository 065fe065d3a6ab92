"""The bars of the study: what 200 candidates cost, resuming, the optimiser against a grid, sdcMicro's figures, the map.

    python bench/study.py [--quick]

CPU seconds are of all processes and threads.
"""

from __future__ import annotations

import study_candidates
import study_figures
import study_map
import study_optimiser
from bars import Bars

PARTS = (study_candidates, study_optimiser, study_figures, study_map)
"""Each part is a module with ``bars(bars)``."""

if __name__ == "__main__":
    bars = Bars("study", __doc__ or "")
    for part in PARTS:
        part.bars(bars)
    bars.end()
