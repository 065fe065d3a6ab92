"""sdcMicro's figures for microaggregated Census, to the digits that it prints."""

from __future__ import annotations

from bars import Bars
from study_census import census

from tacit import loss
from tacit.protect import Mdav

IL1 = {3: (1430593.675, 1607.939909), 5: (2129808.276, 2052.653619), 10: (2809349.741, 2573.933734)}
"""k → IL1 and IL1s as sdcMicro 5.8.1 prints them."""
SQUARED = {3: 5.692186, 5: 9.088435, 10: 14.155930}
"""k → 100 SSE/SST of the standardised columns."""


def bars(bars: Bars) -> None:
    """A bar for each figure that has the same definition here and there."""
    original = census()
    if original is None:
        bars.skipped("sdcMicro's figures", "the reference data are not beside the project")
        return
    for k, (plain, scaled) in IL1.items():
        masked = original.protect(Mdav(columns=list(original.columns), k=k))
        facts = loss.il1(masked, original=original)[0].facts
        error = 100 * loss.squared_error(masked, original=original)[0].value
        bars.true(f"MDAV k={k}: IL1 {plain}", round(float(str(facts["IL1 sum"])), 3) == plain)
        bars.true(f"MDAV k={k}: IL1s {scaled}", round(float(str(facts["IL1s sum"])), 6) == scaled)
        bars.true(f"MDAV k={k}: SSE/SST {SQUARED[k]} %", round(error, 6) == SQUARED[k])
    bars.skipped(
        "sdcMicro's eigen",
        "definitions do not coincide: a column is the sum of two others, so it divides a rounding error by another",
    )
