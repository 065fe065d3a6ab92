"""The gate: what a plan requires, as models and bounds on measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import TacitError, typed
from ..models import ALL as MODELS
from ..models import Threshold
from ..models.load import model
from ..models.verdict import Verdict
from ..release.release import Release
from ..result import Result, Results
from ..risk import ALL as RISKS
from .measure import lacking

__all__ = ["REIDENTIFICATION", "Bound", "Requirements"]

REIDENTIFICATION = "reidentification"
"""The requirement on the attacks: an upper bound on the share of records that the worst of them re-identifies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A risk measure, by its plan name and options, held to a threshold."""

    measure: str
    threshold: Threshold
    options: Mapping[str, Any] = field(default_factory=dict)

    def holds(self, release: Release) -> Verdict:
        """The verdict on the measure's value, or on that of its worst column."""
        entry = RISKS[self.measure]
        need = lacking(entry, release)
        if need is not None:
            raise TacitError(
                f"{self.measure} needs a {need}", fix=f"name it: --{need}, or in a plan under [roles] or [data]"
            )
        found: Result | Results = entry.call(release, **self.options)
        return self.threshold.holds(found.worst if isinstance(found, Results) else found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """Models that must hold on the re-read file, bounds on its risk measures, and the bound on re-identification, if any."""

    models: Mapping[str, Any]
    bounds: tuple[Bound, ...] = ()
    reidentification: Threshold | None = None

    @staticmethod
    def of(given: Mapping[str, Any]) -> Requirements:
        """From plan names: a scalar is the model's first field, a table its fields; a measure is held to a bound.

        >>> Requirements.of({"k_anonymity": 5}).models
        {'k_anonymity': KAnonymity(k=5)}
        >>> Requirements.of({"sample_uniques": {"at_most": 10}}).bounds[0].threshold
        Threshold(at_most=10, at_least=None)
        """
        if not given:
            raise TacitError("nothing is required", fix="add at least one line, e.g. k_anonymity = 5")
        share = None
        models, bounds = {}, []
        for name, content in given.items():
            if name == REIDENTIFICATION:
                share = _share(content)
            elif name in RISKS and name not in MODELS:
                bounds.append(_bound(name, content))
            else:
                models[name] = model(name, content, also=(REIDENTIFICATION, *RISKS))
        return Requirements(models=models, bounds=tuple(bounds), reidentification=share)


def _share(content: Any) -> Threshold:
    if isinstance(content, bool) or not isinstance(content, int | float) or not 0 < content <= 1:
        raise TacitError(f"{REIDENTIFICATION} = {content!r} is not a share", fix="give a number in (0, 1], e.g. 0.05")
    return Threshold(at_most=float(content))


def _bound(name: str, content: Any) -> Bound:
    """A number is the most that the measure may be; a table says at_most or at_least, and the measure's options."""
    table = dict(content) if isinstance(content, Mapping) else {"at_most": content}
    limits = {word: table.pop(word) for word in ("at_most", "at_least") if word in table}
    takes = RISKS[name].parameters
    wrong = next((key for key in table if key not in takes), None)
    if wrong is not None:
        raise TacitError(f"{name} takes no {wrong!r}", fix=f"it takes {', '.join(('at_most', 'at_least', *takes))}")
    try:
        return Bound(measure=name, threshold=Threshold(**limits), options=table)
    except TacitError:
        raise TacitError(
            f"{name} = {typed(content)} is no bound", fix=f"e.g. {name} = 0.05, or {name} = {{ at_most = 0.05 }}"
        ) from None
