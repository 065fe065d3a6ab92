"""What the local recodings are told alike: the models, and which labels groups may get."""

from __future__ import annotations

from typing import Any, get_args

from ...errors import TacitError, format_value, suggest_alternative
from ...models.demand import Model
from ...models.load import models_of
from .keys import Labels


def checked_models(given: Any) -> tuple[Model, ...]:
    """The models, of which there is at least one."""
    models = models_of(given)
    if not models:
        raise TacitError(
            "there is no model to meet",
            code="wrong_type",
            fix="e.g. models=[KAnonymity(k=5)] or models={'k_anonymity': 5}",
        )
    return models


def checked_labels(given: object) -> None:
    """Refuse a word for labels that is unknown."""
    if given not in get_args(Labels):
        raise TacitError(
            f"labels={format_value(given)} is unknown",
            code="unknown_name",
            parameter="labels",
            fix=suggest_alternative(str(given), get_args(Labels)),
        )
