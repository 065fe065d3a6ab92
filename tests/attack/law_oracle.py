"""A slow intruder: every pair of records compared one by one, by nothing but what a law returned."""

from __future__ import annotations

import numpy as np

from tacit import Release
from tacit.attack.masking_models import MASKING_MODELS
from tacit.attack.masking_models.knowledge import MaskingKnowledge
from tacit.claims import Scenario
from tacit.release.masked import Masked
from tacit.release.trace import Trace


def published(step: Trace) -> Trace:
    """The step as a public trace.json gives it back."""
    return Trace.from_json(step.as_json(public=True))


def known_of(masked: Masked, original: Release, knows=None, **told) -> MaskingKnowledge:
    """What the law of the last step says to somebody who has the whole original."""
    step = published(masked.trace[-1])
    knows = tuple(knows or original.columns)
    scenario = Scenario(file=original, knows=knows, told=(step,), **({"inside": True, "covers": True} | told))
    columns = tuple(column for column in knows if column in masked.release.columns)
    return MASKING_MODELS[step.model](step, columns, masked.release, scenario)


def allowed(known: MaskingKnowledge) -> np.ndarray:
    """Whether each person (row) may be each record (column), all pairs."""
    first = known.compared[0]
    found = np.ones((len(first.intruder), len(first.release)), dtype=bool)
    for pair in known.compared:
        x, y = np.broadcast_arrays(pair.intruder[:, None], pair.release[None, :])
        both = ~np.isnan(x) & ~np.isnan(y)
        if pair.kind == "table":
            found[both] &= np.isfinite(pair.table[x[both].astype(int), y[both].astype(int)])
        if pair.low is not None:
            found &= ~(both & (y < pair.low[:, None]))
        if pair.high is not None:
            found &= ~(both & (y > pair.high[:, None]))
    return found


def truth_allowed(known: MaskingKnowledge, lineage: np.ndarray | None = None) -> np.ndarray:
    """Whether each record is possible for the person that it was made from; fast, the diagonal alone."""
    found = None
    for pair in known.compared:
        x, y = pair.intruder, pair.release
        x = x if lineage is None else x[lineage]
        inside = np.ones(len(y), dtype=bool)
        with np.errstate(invalid="ignore"):
            if pair.kind == "table":
                both = ~np.isnan(x) & ~np.isnan(y)
                inside[both] = np.isfinite(pair.table[x[both].astype(int), y[both].astype(int)])
            for bound, beyond in ((pair.low, np.less), (pair.high, np.greater)):
                if bound is not None:
                    here = bound if lineage is None else bound[lineage]
                    inside &= ~(beyond(y, here) & ~np.isnan(x))
        found = inside if found is None else found & inside
    return found


def cost(known: MaskingKnowledge) -> np.ndarray:
    """What each pair costs, without windows; no cell may be missing."""
    total = 0.0
    for pair in known.compared:
        x, y = pair.intruder[:, None], pair.release[None, :]
        if pair.kind == "table":
            total = total + pair.table[x.astype(int), y.astype(int)]
        elif pair.kind == "code":
            total = total + pair.weight * (x != y)
        elif pair.weight:
            total = total + pair.weight * (x - y) ** 2
    return total
