"""Attack: a release and a scenario in, claims out. What is right of them, only the judge says."""

from .adr import adr
from .agreement import agreement
from .at_risk import AtRisk, at_risk
from .attack import Attack
from .bridge import Bridge, bridge
from .closest_record import closest_record
from .composition import Composition, CompositionResult, compose
from .copies import Copies, copies
from .curve import Curve, curve
from .distance import Distance
from .drop_one import DropOne, drop_one
from .file_membership import Membership, membership_risk
from .household import Household
from .infer import infer
from .inference import Inference
from .learned import Learned
from .lookup import Lookup
from .minimality import Minimality
from .model_membership import Lira, LossThreshold, Shadows, membership
from .one_to_one import OneToOne
from .probabilistic import Probabilistic
from .registry import ALL
from .reidentify import reidentify
from .runner import AttackResult, People, run_attacks
from .schema import SchemaMatch, match_schema
from .shadow_generators import ShadowGenerators
from .singling_out import SinglingOut, singling_out
from .smallest_sets import SmallestSets, smallest_sets
from .tcap import Tcap, tcap
from .transparency import Transparency

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
