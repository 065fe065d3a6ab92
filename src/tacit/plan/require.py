"""The gate: what a plan requires, as models and thresholds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import TacitError, instead
from ..models import ALL, Threshold

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
                models[name] = _model(name, content)
        return Requirements(models=models, reidentification=bound)


def _share(content: Any) -> Threshold:
    if isinstance(content, bool) or not isinstance(content, int | float) or not 0 < content <= 1:
        raise TacitError(f"{REIDENTIFICATION} = {content!r} is not a share", fix="give a number in (0, 1], e.g. 0.05")
    return Threshold(at_most=float(content))


def _model(name: str, content: Any) -> Any:
    known = [*ALL, REIDENTIFICATION]
    if name not in ALL:
        raise TacitError(f"the requirement {name!r} is unknown", fix=instead(name, known))
    model, takes = ALL[name].call, ALL[name].parameters
    given = content if isinstance(content, Mapping) else {takes[0]: content}
    wrong = next((key for key in given if key not in takes), None)
    if wrong is not None:
        raise TacitError(f"{name} takes no {wrong!r}", fix=f"it takes {', '.join(takes)}")
    try:
        return model(**given)
    except TypeError:
        raise TacitError(f"{name} needs {takes[0]!r}", fix=f"e.g. {name} = 5") from None
