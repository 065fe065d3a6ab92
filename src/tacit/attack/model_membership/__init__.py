"""Membership inference on models: whom it was trained on."""

from .case import Case, ModelAttack
from .data import without_shared
from .infer_members import MODEL_ATTACKS, LossThreshold, Shadows, membership, model_case
from .lira import Lira

__all__ = [
    "MODEL_ATTACKS",
    "Case",
    "Lira",
    "LossThreshold",
    "ModelAttack",
    "Shadows",
    "membership",
    "model_case",
    "without_shared",
]
