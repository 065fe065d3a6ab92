from ..registry import Registry
from .disclosure_curve import DisclosureCurve as DisclosureCurve
from .disclosure_curve import disclosure_curve as disclosure_curve
from .joint_uniqueness import IdentifyingSet as IdentifyingSet
from .joint_uniqueness import JointUniqueness as JointUniqueness
from .joint_uniqueness import joint_uniqueness as joint_uniqueness
from .separation import separating_sets as separating_sets
from .user_k import user_k as user_k

MEASURES: Registry

from .alpha import alpha as alpha
from .beta_likeness import beta_likeness as beta_likeness
from .delta_disclosure import delta_disclosure as delta_disclosure
from .inference import inference as inference
from .background import background as background
from .similarity import similarity as similarity
from .skewness import skewness as skewness
from .attackers import attackers as attackers
from .delta_presence import delta_presence as delta_presence
from .estimated_uniques import estimated_uniques as estimated_uniques
from .household_risk import household_risk as household_risk
from .household_classes import household_uniques as household_uniques
from .individual_risk import individual_risk as individual_risk
from .interval_disclosure import interval_disclosure as interval_disclosure
from .k_anonymity import k_anonymity as k_anonymity
from .household_classes import k_households as k_households
from .k_map import k_map as k_map
from .l_diversity import l_diversity as l_diversity
from .log_linear_risk import log_linear_risk as log_linear_risk
from .population_uniques import population_uniques as population_uniques
from .p_sensitivity import p_sensitivity as p_sensitivity
from .rare_values import rare_values as rare_values
from .risky_cells import risky_cells as risky_cells
from .same_values import same_values as same_values
from .k_anonymity import sample_uniques as sample_uniques
from .separation import separation as separation
from .special_uniques import special_uniques as special_uniques
from .t_closeness import t_closeness as t_closeness
from .unicity import unicity as unicity
