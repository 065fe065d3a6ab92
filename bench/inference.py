"""The bars of what an intruder learns: interval disclosure, membership and inference, against time and others.

    python bench/inference.py [--quick]

CPU seconds are of all threads.
"""

from __future__ import annotations

import inference_anonymeter
import inference_intervals
import inference_membership
from bars import Bars

PARTS = (inference_intervals, inference_membership, inference_anonymeter)
"""Each part is a module with ``bars(bars)``."""

if __name__ == "__main__":
    bars = Bars("inference", __doc__ or "")
    for part in PARTS:
        part.bars(bars)
    bars.end()
