"""The bars of record linkage: attacks as strong as published, never stronger than possible, and fast.

    python bench/linkage.py [--quick]

One part per family of attacks; each says which reference its numbers come from.
"""

from __future__ import annotations

import linkage_deck
import linkage_distance
import linkage_judged
import linkage_laws
import linkage_microaggregation
import linkage_probabilistic
import linkage_transparency
from bars import Bars

if __name__ == "__main__":
    bars = Bars("linkage", __doc__ or "")
    general = linkage_judged, linkage_deck, linkage_distance, linkage_probabilistic
    told = linkage_transparency, linkage_microaggregation, linkage_laws
    for part in (*general, *told):
        part.bars(bars)
    bars.end()
