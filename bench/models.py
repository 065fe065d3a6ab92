"""The bars of the privacy models: measured right, provided at the least loss.

    python bench/models.py [--quick]

One part per capability; each says which reference its numbers come from.
"""

from __future__ import annotations

import models_anonymise
import models_attribute
import models_lattice
import models_local
import models_risk
import models_suppression
import models_uniques
from bars import Bars

if __name__ == "__main__":
    bars = Bars("models", __doc__ or "")
    parts = models_risk, models_uniques, models_attribute, models_lattice, models_local, models_suppression
    for part in (*parts, models_anonymise):
        part.bars(bars)
    bars.end()
