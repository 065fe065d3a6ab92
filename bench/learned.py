"""The bars of learned distances: as strong as published, proven, verified on all pairs, and fast.

    python bench/learned.py [--quick]

The files are those of the publication, made anew from Census (bench/learned_files.py); CPU seconds are of one thread.
"""

from __future__ import annotations

import learned_large
import learned_proofs
import learned_published
import learned_restarts
import learned_tiny
from bars import Bars

if __name__ == "__main__":
    bars = Bars("learned", __doc__ or "")
    for part in (learned_tiny, learned_published, learned_proofs, learned_large, learned_restarts):
        part.bars(bars)
    bars.end()
