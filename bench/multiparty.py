"""The bars of computing together: secure sums beside MPyC over real processes and sockets, and other protocols
beside MPyC and openmined-psi; rounds and bytes of each; how long others wait for a party that is missing or silent.

    python bench/multiparty.py [--quick]

CPU seconds are of all parties together, from the first message to the result.
"""

from __future__ import annotations

import multiparty_deadlines
import multiparty_others
import multiparty_sums
import multiparty_traffic
from bars import Bars

PARTS = (multiparty_sums, multiparty_deadlines, multiparty_traffic, multiparty_others)
"""Each part is a module with ``bars(bars)``."""

if __name__ == "__main__":
    bars = Bars("multiparty", __doc__ or "")
    for part in PARTS:
        part.bars(bars)
    bars.end()
