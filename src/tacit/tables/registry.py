"""Everything about tables by its name in a plan: rules, protection, attacks and losses."""

from __future__ import annotations

from ..registry import Entry, Tags
from .intruders.registry import ALL as INTRUDERS
from .loss.registry import ALL as LOSSES
from .perturb.adjust import adjust
from .perturb.controlled_rounding import round_controlled
from .perturb.perturb_counts import perturb_counts
from .perturb.random_rounding import round_random
from .rules.registry import ALL as RULES
from .suppress.suppress import suppress

ATTRIBUTE = Tags(about="attribute", kind="method", shown="proven")

PROTECTION: dict[str, Entry] = {
    "suppress": Entry(
        call=suppress,
        catalogue="G-04",
        tags=ATTRIBUTE,
        use="published figures must be true, and some may be missing",
        avoid="many small tables of one file are asked for one after the other: patterns do not know of each other",
    ),
    "round_controlled": Entry(
        call=round_controlled,
        catalogue="G-05",
        tags=ATTRIBUTE,
        use="counts, when every figure must appear and sums must hold",
        avoid="sums of amounts much larger than the base: the change protects nobody",
    ),
    "round_random": Entry(
        call=round_random,
        catalogue="G-05",
        tags=Tags(about="attribute", kind="method"),
        use="counts, when each figure must be right on average",
        avoid="small tables with many sums: arithmetic undoes part of it",
    ),
    "adjust": Entry(
        call=adjust,
        catalogue="G-05",
        tags=ATTRIBUTE,
        use="sums, when every figure must appear and all sums must hold",
        avoid="users compare single figures with other sources: unsafe ones are deliberately wrong",
    ),
    "cell_key": Entry(
        call=perturb_counts,
        catalogue="G-06",
        tags=Tags(about="attribute", kind="method"),
        use="counts from a query service or many tables of one file: the same cell has the same noise everywhere",
        avoid="sums must hold",
    ),
}

ALL: dict[str, Entry] = {**RULES, **PROTECTION, **INTRUDERS, **LOSSES}
