"""The bars of masking: every method keeps its promise, loses little and is fast.

    python bench/masking.py [--quick]

One part per family of methods; each says which reference its numbers come from.
"""

from __future__ import annotations

import masking_engines
import masking_first_call
import masking_microaggregation
import masking_noise
import masking_pram
import masking_semantic
import masking_swapping
from bars import Bars

if __name__ == "__main__":
    bars = Bars("masking", __doc__ or "")
    parts = masking_microaggregation, masking_noise, masking_swapping, masking_pram, masking_engines, masking_semantic
    for part in (*parts, masking_first_call):
        part.bars(bars)
    bars.end()
