"""Laws: for each masking method, what its published trace tells an intruder about the released values."""

from .coded import recoded, top_bottom_coded
from .known import Known, Law
from .microaggregation import microaggregation
from .multiplied import multiplied
from .noise import noise
from .places import places
from .pram import pram
from .private import dealt_anew, noisy_values
from .rank_swap import rank_swap
from .reordered import data_shuffled
from .resampled import resampled
from .rotated import rotated
from .rounding import rounding
from .semantic import semantic_noise, semantic_swapped
from .shifted_dates import shifted_dates
from .swapped import data_swapped, record_swapped

__all__ = ["LAWS", "Known", "Law"]

LAWS: dict[str, Law] = {
    "add_noise": noise,
    "data_shuffle": data_shuffled,
    "data_swap": data_swapped,
    "dp_identity": noisy_values,
    "dp_microaggregate": dealt_anew,
    "geo_mask": places,
    "mdav": microaggregation,
    "microaggregate": microaggregation,
    "multiply_noise": multiplied,
    "pram": pram,
    "randomised_response": pram,
    "recode": recoded,
    "record_swap": record_swapped,
    "resample": resampled,
    "rotate": rotated,
    "round": rounding,
    "semantic_noise": semantic_noise,
    "semantic_swap": semantic_swapped,
    "shift_dates": shifted_dates,
    "top_bottom_code": top_bottom_coded,
    "v_mdav": microaggregation,
    "rank_swap": rank_swap,
}
"""Plan name of the method → its law."""
