"""All methods in groups, for somebody who looks for one; a new one stands among the others until it is put into a group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...protect import ALL
from ...release.roles import QUASI
from ...report.words import readable
from ..everyday import everyday
from ..forms import Columns

__all__ = ["GROUPS", "method_groups", "offered", "suiting"]

GROUPS: Mapping[str, tuple[str, ...]] = {
    "provide": ("anonymise", "full_domain", "local_recode", "mondrian", "k_member", "dummy_records"),
    "coarser": ("generalise", "recode", "top_bottom_code", "round"),
    "remove": (
        "suppress_cells",
        "suppress_records",
        "suppress_households",
        "generalise_composition",
        "split_households",
        "sample",
        "hide_rules",
    ),
    "average": ("microaggregate", "mdav", "v_mdav"),
    "exchange": ("rank_swap", "data_swap", "record_swap", "swap_members", "data_shuffle", "semantic_swap"),
    "noise": ("add_noise", "multiply_noise", "pram", "semantic_noise", "resample", "rotate"),
    "special": ("shift_dates", "geo_mask", "mask_terms"),
    "private": ("dp_microaggregate", "dp_marginals", "dp_network", "dp_identity", "randomised_response"),
    "synthetic": ("synth_trees", "synth_network", "synth_copula", "synth_marginals", "synth_moments"),
    "frame": ("pseudonymise", "drop_identifiers", "drop_household", "new_households", "shuffle", "pipeline"),
}
SUITING: Mapping[str, tuple[str, ...]] = {
    "continuous": ("microaggregate", "rank_swap", "add_noise"),
    "ordinal": ("rank_swap", "recode", "pram"),
    "nominal": ("pram", "data_swap", "recode"),
    "date": ("generalise", "shift_dates", "round"),
    "code": ("generalise", "suppress_cells"),
    "geographic": ("generalise", "record_swap"),
}
"""Kinds of columns and the methods that are tried first on them."""


def method_groups() -> list[tuple[str, list[dict[str, Any]]]]:
    """Every method of :data:`tacit.protect.ALL`, group by group."""
    listed = {name for names in GROUPS.values() for name in names}
    groups = {**GROUPS, "other": tuple(name for name in ALL if name not in listed)}
    return [(group, [offered(name) for name in names if name in ALL]) for group, names in groups.items() if names]


def offered(name: str) -> dict[str, Any]:
    """What is said of a method to somebody who chooses one."""
    entry = ALL[name]
    return {
        "name": name,
        "title": readable(name),
        "summary": everyday(readable(entry.summary)),
        "use": everyday(readable(entry.use)),
        "avoid": everyday(readable(entry.avoid)),
        "repeatable": entry.repeatable,
        "proven": entry.tags.shown == "proven",
        "models": "models" in entry.parameters,
        "essential": set(entry.example),
    }


def suiting(columns: Columns) -> list[tuple[str, str, Sequence[str]]]:
    """Columns that somebody may know or should not learn, with the methods that suit their kinds."""
    roles = (*QUASI, "confidential")
    return [
        (one.name, one.kind, SUITING[one.kind]) for one in columns.every if one.role in roles and one.kind in SUITING
    ]
