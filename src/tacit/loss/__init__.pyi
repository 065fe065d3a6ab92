from ..registry import Registry
from . import corrected as corrected
from .combined import combine_estimates as combine_estimates
from .divergence import divergence as divergence
from .headline import headline as headline
from .learning.holdout_prediction import holdout_prediction as holdout_prediction
from .learning.interval_overlap import Estimate as Estimate
from .score import score as score
from .summary import summary as summary

LOSSES: Registry

from .numbers.moments import moments as moments
from .numbers.squared_error import squared_error as squared_error
from .labels.changed import changed as changed
from .labels.generalisation import generalisation as generalisation
from .labels.entropy import entropy as entropy
from .labels.discernibility import discernibility as discernibility
from .labels.class_size import class_size as class_size
from .labels.suppression import suppressed as suppressed
from .numbers.covariances import covariances as covariances
from .numbers.quantiles import quantiles as quantiles
from .numbers.eigenvalues import eigenvalues as eigenvalues
from .numbers.distances import distances as distances
from .numbers.il1 import il1 as il1
from .distributions.contingency import contingency as contingency
from .distributions.mutual_information import mutual_information as mutual_information
from .distributions.hellinger import hellinger as hellinger
from .distributions.wasserstein import wasserstein as wasserstein
from .distributions.propensity import propensity as propensity
from .learning.classification import classification as classification
from .learning.regression import regression as regression
from .learning.clustering import clustering as clustering
from .learning.interval_overlap import interval_overlap as interval_overlap
