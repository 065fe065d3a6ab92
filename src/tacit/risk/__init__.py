"""Risk: how much a release discloses, as numbers. Each measure takes a release and returns Results."""

from ..registry import Entry, Tags
from .alpha import alpha
from .attackers import attackers
from .background import background
from .beta_likeness import beta_likeness
from .delta_disclosure import delta_disclosure
from .delta_presence import delta_presence
from .disclosure_curve import DisclosureCurve, disclosure_curve
from .estimated_uniques import estimated_uniques
from .household_classes import household_uniques, k_households
from .household_risk import household_risk
from .individual_risk import individual_risk
from .inference import inference
from .interval_disclosure import interval_disclosure
from .joint_uniqueness import IdentifyingSet, JointUniqueness, joint_uniqueness
from .k_anonymity import k_anonymity, sample_uniques
from .k_map import k_map
from .l_diversity import l_diversity
from .log_linear_risk import log_linear_risk
from .p_sensitivity import p_sensitivity
from .population_uniques import population_uniques
from .rare_values import rare_values
from .risky_cells import risky_cells
from .same_values import same_values
from .separation import separating_sets, separation
from .similarity import similarity
from .skewness import skewness
from .special_uniques import special_uniques
from .t_closeness import t_closeness
from .unicity import unicity
from .user_k import user_k

__all__ = [
    "ALL",
    "DisclosureCurve",
    "IdentifyingSet",
    "JointUniqueness",
    "alpha",
    "attackers",
    "background",
    "beta_likeness",
    "delta_disclosure",
    "delta_presence",
    "disclosure_curve",
    "estimated_uniques",
    "household_risk",
    "household_uniques",
    "individual_risk",
    "inference",
    "interval_disclosure",
    "joint_uniqueness",
    "k_anonymity",
    "k_households",
    "k_map",
    "l_diversity",
    "log_linear_risk",
    "p_sensitivity",
    "population_uniques",
    "rare_values",
    "risky_cells",
    "same_values",
    "sample_uniques",
    "separating_sets",
    "separation",
    "similarity",
    "skewness",
    "special_uniques",
    "t_closeness",
    "unicity",
    "user_k",
]

ALL = {
    "alpha": Entry(
        call=alpha,
        catalogue="D-03",
        tags=Tags(about="attribute", kind="measure", shown="proven"),
        needs=("confidential",),
    ),
    "beta_likeness": Entry(
        call=beta_likeness,
        catalogue="D-04",
        tags=Tags(about="attribute", kind="measure", shown="proven"),
        needs=("confidential",),
    ),
    "delta_disclosure": Entry(
        call=delta_disclosure,
        catalogue="D-04",
        tags=Tags(about="attribute", kind="measure", shown="proven"),
        needs=("confidential",),
    ),
    "inference": Entry(
        call=inference,
        catalogue="B-07",
        tags=Tags(about="attribute", kind="measure", shown="proven"),
        example={"coalition": 1},
        needs=("confidential",),
    ),
    "background": Entry(
        call=background,
        catalogue="D-05",
        tags=Tags(about="attribute", kind="measure", shown="proven"),
        example={"ruled_out": 1},
        needs=("confidential",),
    ),
    "similarity": Entry(
        call=similarity,
        catalogue="D-05",
        tags=Tags(about="attribute", kind="measure", shown="proven"),
        example={"width": 0.1},
        needs=("confidential", "hierarchy"),
    ),
    "skewness": Entry(
        call=skewness,
        catalogue="D-05",
        tags=Tags(about="attribute", kind="measure", shown="proven"),
        needs=("confidential",),
    ),
    "attackers": Entry(
        call=attackers,
        catalogue="C-01",
        tags=Tags(about="identity", kind="measure"),
        example={"threshold": 0.2},
    ),
    "delta_presence": Entry(
        call=delta_presence,
        catalogue="D-01",
        tags=Tags(about="identity", kind="measure", shown="proven"),
        needs=("population",),
    ),
    "estimated_uniques": Entry(
        call=estimated_uniques,
        catalogue="C-01",
        tags=Tags(about="identity", kind="measure"),
        example={"fraction": 0.1},
        needs=("weight",),
    ),
    "household_risk": Entry(
        call=household_risk,
        catalogue="C-02",
        tags=Tags(about="identity", kind="measure"),
        needs=("weight", "household"),
    ),
    "household_uniques": Entry(
        call=household_uniques,
        catalogue="C-01",
        tags=Tags(about="identity", kind="measure"),
        needs=("household",),
    ),
    "individual_risk": Entry(
        call=individual_risk, catalogue="C-02", tags=Tags(about="identity", kind="measure"), needs=("weight",)
    ),
    "interval_disclosure": Entry(
        call=interval_disclosure,
        catalogue="B-01, B-02",
        tags=Tags(about="attribute", kind="measure"),
        example={"percent": 10},
        needs=("original",),
    ),
    "k_anonymity": Entry(
        call=k_anonymity, catalogue="D-01", tags=Tags(about="identity", kind="measure", shown="proven")
    ),
    "k_households": Entry(
        call=k_households, catalogue="C-01", tags=Tags(about="identity", kind="measure"), needs=("household",)
    ),
    "k_map": Entry(
        call=k_map,
        catalogue="D-01",
        tags=Tags(about="identity", kind="measure", shown="proven"),
        needs=("population",),
    ),
    "l_diversity": Entry(
        call=l_diversity, catalogue="D-03", tags=Tags(about="attribute", kind="measure", shown="proven")
    ),
    "log_linear_risk": Entry(
        call=log_linear_risk,
        catalogue="C-01",
        tags=Tags(about="identity", kind="measure"),
        example={"interactions": [["sex", "occupation"]]},
        needs=("weight",),
    ),
    "population_uniques": Entry(
        call=population_uniques,
        catalogue="C-01",
        tags=Tags(about="identity", kind="measure", shown="proven"),
        needs=("population",),
    ),
    "p_sensitivity": Entry(
        call=p_sensitivity,
        catalogue="D-02",
        tags=Tags(about="identity and attribute", kind="measure", shown="proven"),
        needs=("confidential",),
    ),
    "rare_values": Entry(
        call=rare_values, catalogue="C-06", tags=Tags(about="identity", kind="measure"), needs=("original",)
    ),
    "risky_cells": Entry(
        call=risky_cells,
        catalogue="C-02",
        tags=Tags(about="identity", kind="measure"),
        example={"upto": [20, 10, 5]},
        upto=200_000,
    ),
    "same_values": Entry(
        call=same_values, catalogue="B-03", tags=Tags(about="attribute", kind="measure"), needs=("original",)
    ),
    "sample_uniques": Entry(call=sample_uniques, catalogue="C-02", tags=Tags(about="identity", kind="measure")),
    "separation": Entry(
        call=separation,
        catalogue="A-03",
        tags=Tags(about="identity", kind="measure"),
        example={"largest": 2},
        upto=1_000_000,
    ),
    "special_uniques": Entry(
        call=special_uniques,
        catalogue="C-02",
        tags=Tags(about="identity", kind="measure"),
        example={"largest": 3, "fraction": 0.1},
        upto=200_000,
    ),
    "t_closeness": Entry(
        call=t_closeness, catalogue="D-04", tags=Tags(about="attribute", kind="measure", shown="proven")
    ),
    "unicity": Entry(
        call=unicity,
        catalogue="C-08",
        tags=Tags(about="identity", kind="measure"),
        example={"known": 2},
        upto=200_000,
    ),
}
"""Plan name → measure."""
