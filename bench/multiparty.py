"""The bars of computing together: secure sums beside MPyC over real processes and sockets, and other protocols
beside MPyC and openmined-psi.

    python bench/multiparty.py [--quick]

CPU seconds are of all parties together, from the first message to the result.
"""

from __future__ import annotations

import multiparty_deadlines
import multiparty_others
import multiparty_sums
from bars import Bars

PARTS = (multiparty_sums, multiparty_deadlines, multiparty_others)
"""Each part is a module with ``bars(bars)``."""

if __name__ == "__main__":
    bars = Bars("multiparty", __doc__ or "")
    for part in PARTS:
        part.bars(bars)
    bars.end()
