from ..registry import Registry
from .threshold import Threshold as Threshold
from .verdict import Verdict as Verdict

MODELS: Registry

from .alpha_k import AlphaK as AlphaK
from .beta_likeness import BetaLikeness as BetaLikeness
from .delta_disclosure import DeltaDisclosure as DeltaDisclosure
from .delta_presence import DeltaPresence as DeltaPresence
from .household_k_anonymity import HouseholdKAnonymity as HouseholdKAnonymity
from .interval_disclosure import IntervalDisclosure as IntervalDisclosure
from .k_anonymity import KAnonymity as KAnonymity
from .k_map import KMap as KMap
from .l_diversity import LDiversity as LDiversity
from .p_sensitivity import PSensitivity as PSensitivity
from .t_closeness import TCloseness as TCloseness
