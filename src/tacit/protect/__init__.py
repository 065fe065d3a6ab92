"""Protect: methods that turn a release into a release with less to disclose, and say what they did."""

from .add_noise import AddNoise
from .anonymise import Anonymise, anonymise
from .data_shuffle import DataShuffle
from .data_swap import DataSwap
from .dp_identity import DpIdentity
from .dp_marginals import DpMarginals
from .dp_microaggregate import DpMicroaggregate
from .dp_network import DpNetwork
from .drop_identifiers import DropIdentifiers
from .dummy_records import DummyRecords
from .entries import ALL
from .full_domain import FullDomain
from .generalise import Generalise
from .geo_mask import GeoMask
from .grouped_columns import grouped_columns, published_setup
from .hide_rules import HideRules
from .households import DropHousehold, GeneraliseComposition, SplitHouseholds, SuppressHouseholds, SwapMembers
from .implicates import implicates
from .k_member import KMember
from .load import from_json, to_json
from .local_recode import LocalRecode
from .mask_terms import MaskTerms
from .mdav import Mdav
from .microaggregate import Microaggregate
from .mondrian import Mondrian
from .multiply_noise import MultiplyNoise
from .new_households import NewHouseholds
from .pipeline import Pipeline
from .pram import Pram
from .pseudonymise import Pseudonymise
from .randomised_response import RandomisedResponse
from .rank_swap import RankSwap
from .recode import Recode
from .record_swap import RecordSwap
from .resample import Resample
from .rotate import Rotate
from .round import Round
from .sample import Sample
from .semantic_noise import SemanticNoise
from .semantic_swap import SemanticSwap
from .shift_dates import ShiftDates
from .shuffle import Shuffle
from .suppress_cells import SuppressCells
from .suppress_records import SuppressRecords
from .synth_copula import SynthCopula
from .synth_marginals import SynthMarginals
from .synth_moments import SynthMoments
from .synth_network import SynthNetwork
from .synth_trees import SynthTrees
from .top_bottom_code import TopBottomCode
from .v_mdav import VMdav

__all__ = [
    "ALL",
    "AddNoise",
    "Anonymise",
    "DataShuffle",
    "DataSwap",
    "DpIdentity",
    "DpMarginals",
    "DpMicroaggregate",
    "DpNetwork",
    "DropHousehold",
    "DropIdentifiers",
    "DummyRecords",
    "FullDomain",
    "Generalise",
    "GeneraliseComposition",
    "GeoMask",
    "HideRules",
    "KMember",
    "LocalRecode",
    "MaskTerms",
    "Mdav",
    "Microaggregate",
    "Mondrian",
    "MultiplyNoise",
    "NewHouseholds",
    "Pipeline",
    "Pram",
    "Pseudonymise",
    "RandomisedResponse",
    "RankSwap",
    "Recode",
    "RecordSwap",
    "Rotate",
    "Resample",
    "Round",
    "Sample",
    "SemanticNoise",
    "SemanticSwap",
    "ShiftDates",
    "Shuffle",
    "SplitHouseholds",
    "SuppressCells",
    "SuppressHouseholds",
    "SuppressRecords",
    "SwapMembers",
    "SynthCopula",
    "SynthMoments",
    "SynthMarginals",
    "SynthNetwork",
    "SynthTrees",
    "TopBottomCode",
    "VMdav",
    "anonymise",
    "from_json",
    "grouped_columns",
    "implicates",
    "published_setup",
    "to_json",
]
