"""Attack: a release and a scenario in, claims out. What is right of them, only the judge says."""

from ..registry import Entry, Tags
from .adr import adr
from .agreement import agreement
from .at_risk import AtRisk, at_risk
from .attack import Attack
from .bridge import Bridge
from .compose import CompositionResult, compose
from .composition import Composition
from .curve import Curve, curve
from .distance import Distance
from .drop_one import DropOne, drop_one
from .file_membership import Membership
from .household import Household
from .infer import infer
from .inference import Inference
from .learned import Learned
from .linkability import bridge
from .membership_disclosure import membership_risk
from .minimality import Minimality
from .model_membership import Lira, LossThreshold, Shadows, membership
from .one_to_one import OneToOne
from .probabilistic import Probabilistic
from .reidentify import reidentify
from .runner import AttackResult, run_attacks
from .schema import SchemaMatch, match_schema
from .singling_out import SinglingOut, singling_out
from .smallest_sets import SmallestSets, smallest_sets
from .synthetic import Copies, ShadowGenerators, closest_record, copies
from .transparency import Transparency
from .values.lookup import Lookup
from .values.runner import People, run_value_attacks
from .values.tcap import Tcap, tcap

__all__ = [
    "ALL",
    "AtRisk",
    "Attack",
    "AttackResult",
    "Bridge",
    "CompositionResult",
    "Composition",
    "Copies",
    "Curve",
    "Distance",
    "DropOne",
    "Household",
    "Inference",
    "Learned",
    "Lira",
    "Lookup",
    "LossThreshold",
    "Membership",
    "Minimality",
    "OneToOne",
    "People",
    "Probabilistic",
    "SchemaMatch",
    "ShadowGenerators",
    "Shadows",
    "SinglingOut",
    "SmallestSets",
    "Tcap",
    "Transparency",
    "adr",
    "agreement",
    "at_risk",
    "run_attacks",
    "bridge",
    "closest_record",
    "compose",
    "copies",
    "curve",
    "drop_one",
    "infer",
    "run_value_attacks",
    "match_schema",
    "membership",
    "membership_risk",
    "reidentify",
    "singling_out",
    "smallest_sets",
    "tcap",
]

ALL = {
    "distance": Entry(call=Distance, catalogue="C-04", tags=Tags(about="identity", kind="attack", linkage="generic")),
    "one_to_one": Entry(call=OneToOne, catalogue="C-04", tags=Tags(about="identity", kind="attack", linkage="generic")),
    "household": Entry(
        call=Household, catalogue="C-02", tags=Tags(about="identity", kind="attack", linkage="specific")
    ),
    "inference": Entry(
        call=Inference, catalogue="B-04", tags=Tags(about="attribute", kind="attack", linkage="generic")
    ),
    "lookup": Entry(call=Lookup, catalogue="B-07", tags=Tags(about="attribute", kind="attack", linkage="generic")),
    "tcap": Entry(call=Tcap, catalogue="L-02", tags=Tags(about="attribute", kind="attack", linkage="generic")),
    "minimality": Entry(
        call=Minimality, catalogue="M-05", tags=Tags(about="attribute", kind="attack", linkage="specific")
    ),
    "transparency": Entry(
        call=Transparency, catalogue="M-03", tags=Tags(about="identity", kind="attack", linkage="specific")
    ),
    "probabilistic": Entry(
        call=Probabilistic, catalogue="C-05", tags=Tags(about="identity", kind="attack", linkage="generic")
    ),
    "learned": Entry(call=Learned, catalogue="C-07", tags=Tags(about="identity", kind="attack", linkage="generic")),
    "composition": Entry(
        call=Composition, catalogue="D-05", tags=Tags(about="attribute", kind="attack", linkage="generic")
    ),
    "bridge": Entry(call=Bridge, catalogue="C-08", tags=Tags(about="linkability", kind="attack", linkage="generic")),
    "membership": Entry(
        call=Membership, catalogue="B-06", tags=Tags(about="membership", kind="attack", linkage="generic")
    ),
    "shadow_generators": Entry(
        call=ShadowGenerators,
        catalogue="B-06",
        tags=Tags(about="membership", kind="attack", linkage="specific"),
        upto=5000,
    ),
    "copies": Entry(call=Copies, catalogue="L-02", tags=Tags(about="copies", kind="attack", linkage="generic")),
    "singling_out": Entry(
        call=SinglingOut,
        catalogue="C-08",
        tags=Tags(about="singling out", kind="attack", linkage="generic"),
        example={"attempts": 100},
    ),
}
"""Plan name → attack."""
