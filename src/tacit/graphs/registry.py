"""Everything about networks by its name in a plan, room by room, and the methods that a plan may take as steps."""

from __future__ import annotations

from ..registry import Entry, Tags
from .attack.registry import ALL as ATTACKS
from .loss import ALL as LOSSES
from .protect.registry import ALL as PROTECTION
from .risk import ALL as RISKS
from .shuffle import ShuffleNodes
from .synth.registry import ALL as GENERATORS

METHODS: dict[str, Entry] = {
    **PROTECTION,
    "shuffle_nodes": Entry(
        call=ShuffleNodes,
        catalogue="K-01",
        tags=Tags(about="identity", kind="method"),
        use="as the last step of every release; a job does it unasked",
        avoid="alone: links give people away",
    ),
}
"""Plan name → protection of a network."""

ALL: dict[str, dict[str, Entry]] = {
    "risk": RISKS,
    "protect": METHODS,
    "synth": GENERATORS,
    "attack": ATTACKS,
    "loss": LOSSES,
}
"""Room → plan name → entry: a name such as k_degree may be that of a measure and of a method."""
