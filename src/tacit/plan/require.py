"""The gate: what a plan requires, as models and thresholds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import TacitError
from ..models import Threshold
from ..models.load import model

__all__ = ["REIDENTIFICATION", "Requirements"]

REIDENTIFICATION = "reidentification"
"""The requirement on the attacks: an upper bound on the share of records that the worst of them re-identifies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """Models that must hold on the re-read file, and the bound on re-identification, if any."""

    models: Mapping[str, Any]
    reidentification: Threshold | None = None

    @staticmethod
    def of(given: Mapping[str, Any]) -> Requirements:
        """From plan names: a scalar is the model's first field, a table its fields.

        >>> Requirements.of({"k_anonymity": 5}).models
        {'k_anonymity': KAnonymity(k=5)}
        """
        if not given:
            raise TacitError("nothing is required", fix="add at least one line, e.g. k_anonymity = 5")
        bound = None
        models = {}
        for name, content in given.items():
            if name == REIDENTIFICATION:
                bound = _share(content)
            else:
                models[name] = model(name, content, also=(REIDENTIFICATION,))
        return Requirements(models=models, reidentification=bound)


def _share(content: Any) -> Threshold:
    if isinstance(content, bool) or not isinstance(content, int | float) or not 0 < content <= 1:
        raise TacitError(f"{REIDENTIFICATION} = {content!r} is not a share", fix="give a number in (0, 1], e.g. 0.05")
    return Threshold(at_most=float(content))
