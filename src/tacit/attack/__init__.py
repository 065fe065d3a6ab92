"""Attack: a release and a scenario in, claims out. What is right of them, only the judge says."""

from .adr import adr
from .agreement import agreement
from .at_risk import AtRisk, at_risk
from .attack import Attack
from .bridge import Bridge, bridge
from .compose import CompositionResult, compose
from .composition import Composition
from .curve import Curve, curve
from .distance import Distance
from .drop_one import DropOne, drop_one
from .file_membership import Membership, membership_risk
from .household import Household
from .infer import infer
from .inference import Inference
from .learned import Learned
from .minimality import Minimality
from .model_membership import Lira, LossThreshold, Shadows, membership
from .one_to_one import OneToOne
from .probabilistic import Probabilistic
from .registry import ALL
from .reidentify import reidentify
from .runner import AttackResult, People, run_attacks
from .schema import SchemaMatch, match_schema
from .singling_out import SinglingOut, singling_out
from .smallest_sets import SmallestSets, smallest_sets
from .synthetic import Copies, ShadowGenerators, closest_record, copies
from .transparency import Transparency
from .values.lookup import Lookup
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
    "match_schema",
    "membership",
    "membership_risk",
    "reidentify",
    "singling_out",
    "smallest_sets",
    "tcap",
]
