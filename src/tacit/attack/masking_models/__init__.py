"""Masking models: what the published trace of a step tells an intruder about the released values."""

from .data_shuffling import data_shuffle_model
from .date_shifting import date_shift_model
from .differential_privacy import dp_identity_model, dp_microaggregation_model
from .geo_masking import geo_mask_model
from .knowledge import MaskingKnowledge, MaskingModel
from .microaggregation import microaggregation_model
from .multiplicative_noise import multiplied_noise_model
from .noise import added_noise_model
from .pram import pram_model
from .rank_swap import rank_swap_model
from .recoding import recode_model, top_bottom_code_model
from .resampling import resample_model
from .rotation import rotation_model
from .rounding import rounding_model
from .semantic import semantic_noise_model, semantic_swap_model
from .swapping import data_swap_model, record_swap_model

__all__ = ["MASKING_MODELS", "MaskingKnowledge", "MaskingModel"]

MASKING_MODELS: dict[str, MaskingModel] = {
    "added_noise": added_noise_model,
    "data_shuffle": data_shuffle_model,
    "data_swap": data_swap_model,
    "date_shift": date_shift_model,
    "dp_microaggregation": dp_microaggregation_model,
    "dp_noise": dp_identity_model,
    "geo_mask": geo_mask_model,
    "mdav": microaggregation_model,
    "microaggregation": microaggregation_model,
    "multiplied_noise": multiplied_noise_model,
    "pram": pram_model,
    "rank_swap": rank_swap_model,
    "recode": recode_model,
    "record_swap": record_swap_model,
    "resample": resample_model,
    "rotation": rotation_model,
    "rounding": rounding_model,
    "semantic_noise": semantic_noise_model,
    "semantic_swap": semantic_swap_model,
    "top_bottom_code": top_bottom_code_model,
    "v_mdav": microaggregation_model,
}
"""Name of the model, which methods declare in their effects → what it says of a step."""
