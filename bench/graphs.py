"""The bars of networks: k-degree anonymity, attacks by structure, and networks of nobody.

    python bench/graphs.py [--quick]

CPU seconds are of one thread.
"""

from __future__ import annotations

import graphs_attack
import graphs_protect
import graphs_synth
from bars import Bars

PARTS = (graphs_protect, graphs_attack, graphs_synth)
"""Each part is a module with ``bars(bars)``."""

if __name__ == "__main__":
    bars = Bars("graphs", __doc__ or "")
    for part in PARTS:
        part.bars(bars)
    bars.end()
