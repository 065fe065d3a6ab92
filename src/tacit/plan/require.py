"""The gate: what a plan requires, as models and bounds on measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from ..errors import Cancelled, Note, TacitError, format_value
from ..models import MODELS, Threshold
from ..models.by_column import confidential_results
from ..models.load import build_model
from ..models.verdict import Verdict
from ..protect.parameters import is_number
from ..release.release import Release
from ..result import Result, Results
from ..risk import MEASURES
from .attack_run import ABOUT
from .measure import missing_input
from .privacy import PrivacyGuarantee

if TYPE_CHECKING:
    import numpy as np

    from ..release.masked import Masked


PRIVACY = "differential_privacy"
"""The requirement on the guarantee of a release: the one that no record decides."""

CHANCE = {
    "membership": "an area under the ROC curve",
    "worst_records": "the chance of being a member, among as many others",
}
"""Requirements of which one half is guessing, and what they bound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A risk measure, by its plan name and options, held to a threshold."""

    measure: str
    threshold: Threshold
    options: Mapping[str, Any] = field(default_factory=dict)

    def holds(self, release: Release, *, original: Release | None = None, lineage: np.ndarray | None = None) -> Verdict:
        """The verdict on the measure's value, or on that of its worst column; some compare with the original, in its confidential columns."""
        entry = MEASURES[self.measure]
        beside = {"original": original, "lineage": lineage} if "original" in entry.needs else {}
        need = missing_input(entry, release)
        if need is not None and not beside:
            raise TacitError(
                f"{self.measure} needs a {need}",
                code="missing_parameter",
                fix=f"name it: --{need}, or in a plan under [roles] or [data]",
            )
        found: Result | Results = entry.call(release, **self.options, **beside)
        if original is not None and beside and "columns" not in self.options and isinstance(found, Results):
            found = confidential_results(found, original)
        return self.threshold.holds(found.worst if isinstance(found, Results) else found)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyBound:
    """The largest ε and δ that the guarantee of all released columns may have; judged by declarations alone."""

    epsilon: float
    delta: float = 0.0

    def holds(self, masked: Masked) -> Verdict:
        """The verdict on the guarantee of a release; an error where a released column has none."""
        found = PrivacyGuarantee.of(masked)
        if found is None:
            raise TacitError(
                f"{PRIVACY} cannot be judged: not every released column has a guarantee",
                code="not_applicable",
                fix="declare all columns in a step with a guarantee, e.g. dp_marginals, or require something else",
                where=PRIVACY,
            )
        fits = found.epsilon <= self.epsilon and found.delta <= self.delta
        said = f"δ = {found.delta:g} is more than the δ = {self.delta:g} that is allowed"
        too_likely = (Note(said, code="delta_too_large", delta=found.delta),)
        return Verdict(
            holds=fits,
            model="differential privacy",
            id="differential_privacy",
            required=self.epsilon,
            found=found.epsilon,
            margin=self.epsilon - found.epsilon if fits or found.epsilon > self.epsilon else -abs(self.epsilon),
            notes=(Note(str(found), code="guarantee"), *(() if found.delta <= self.delta else too_likely)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """Models that must hold on the re-read file, bounds on its risk measures, and bounds on what attacks find.

    The latter are held against the upper end of the interval of the worst attack: the share of people re-identified, what is
    learnt of people above what the rest of them teach, the area under the ROC curve of membership, how sure an intruder may be
    of the worst 1 % of the records, the share copied above that of outsiders, the share singled out.
    """

    models: Mapping[str, Any]
    bounds: tuple[Bound, ...] = ()
    attacks: Mapping[str, Threshold] = field(default_factory=dict)
    privacy: PrivacyBound | None = None

    @property
    def reidentification(self) -> Threshold | None:
        """The most that may be re-identified, if it was said."""
        return self.attacks.get("reidentification")

    @property
    def of_classes(self) -> tuple[Any, ...]:
        """The models that a search for a release can provide: not those that compare values with the original."""
        beside = {"household", "original"}
        return tuple(model for name, model in self.models.items() if not beside & set(MODELS[name].needs))

    @property
    def of_households(self) -> tuple[Any, ...]:
        """The models that are about households."""
        return tuple(model for name, model in self.models.items() if "household" in MODELS[name].needs)

    def judge(
        self, release: Release, *, original: Release | None = None, lineage: np.ndarray | None = None
    ) -> list[Verdict]:
        """A verdict for each model and bound; original and lineage are for those that compare with it."""
        beside: dict[str, Any] = {"original": original, "lineage": lineage}
        judges: list[tuple[str, Callable[[], Verdict]]] = [
            (name, partial(model.holds, release, **(beside if "original" in MODELS[name].needs else {})))
            for name, model in self.models.items()
        ]
        judges += [(bound.measure, partial(bound.holds, release, **beside)) for bound in self.bounds]
        return [_judge_requirement(name, judge) for name, judge in judges]

    @staticmethod
    def of(given: Mapping[str, Any]) -> Requirements:
        """From plan names: a scalar is the model's first field, a table its fields; a measure is held to a bound.

        >>> Requirements.of({"k_anonymity": 5}).models
        {'k_anonymity': KAnonymity(k=5)}
        >>> Requirements.of({"sample_uniques": {"at_most": 10}}).bounds[0].threshold
        Threshold(at_most=10, at_least=None)
        """
        if not given:
            raise TacitError(
                "nothing is required", code="missing_parameter", fix="add at least one line, e.g. k_anonymity = 5"
            )
        models, bounds, attacks, privacy = {}, [], {}, None
        for name, content in given.items():
            if name == PRIVACY:
                privacy = _parse_privacy_bound(content)
            elif name in ABOUT:
                attacks[name] = _parse_share(name, content)
            elif name in MEASURES and name not in MODELS:
                bounds.append(_parse_bound(name, content))
            else:
                models[name] = build_model(name, content, also=(*ABOUT, *MEASURES, PRIVACY))
        return Requirements(models=models, bounds=tuple(bounds), attacks=attacks, privacy=privacy)


def _judge_requirement(name: str, judge: Callable[[], Verdict]) -> Verdict:
    """The verdict; an error says which requirement could not be judged."""
    try:
        return judge()
    except Cancelled:
        raise
    except TacitError as problem:
        raise problem.with_location(name) from None


def _parse_privacy_bound(content: Any) -> PrivacyBound:
    """A number is ε, with δ = 0; a table has both."""
    table = dict(content) if isinstance(content, Mapping) else {"epsilon": content}
    fits = set(table) <= {"epsilon", "delta"} and "epsilon" in table and all(map(is_number, table.values()))
    if not fits or table["epsilon"] <= 0 or not 0 <= table.get("delta", 0) < 1:
        raise TacitError(
            f"{PRIVACY} = {format_value(content)} is no guarantee",
            code="wrong_type",
            parameter=PRIVACY,
            fix=f"e.g. {PRIVACY} = {{ epsilon = 1, delta = 1e-9 }}, or {PRIVACY} = 1 for δ = 0",
        )
    return PrivacyBound(epsilon=float(table["epsilon"]), delta=float(table.get("delta", 0)))


def _parse_share(name: str, content: Any) -> Threshold:
    if isinstance(content, bool) or not isinstance(content, int | float) or not 0 < content <= 1:
        raise TacitError(
            f"{name} = {content!r} is not a share",
            code="out_of_range",
            parameter=name,
            fix="give a number in (0, 1], e.g. 0.05",
        )
    if name in CHANCE and content <= 0.5:
        raise TacitError(
            f"{name} = {content!r} can never hold: it bounds {CHANCE[name]}, and guessing has 0.5",
            code="cannot_be_met",
            parameter=name,
            fix="give a number above 0.5, e.g. 0.6",
        )
    return Threshold(at_most=float(content))


def _parse_bound(name: str, content: Any) -> Bound:
    """A number is the most that the measure may be; a table says at_most or at_least, and the measure's options."""
    table = dict(content) if isinstance(content, Mapping) else {"at_most": content}
    limits = {word: table.pop(word) for word in ("at_most", "at_least") if word in table}
    takes = MEASURES[name].parameters
    wrong = next((key for key in table if key not in takes), None)
    if wrong is not None:
        raise TacitError(
            f"{name} takes no {wrong!r}",
            code="unknown_name",
            fix=f"it takes {', '.join(('at_most', 'at_least', *takes))}",
        )
    try:
        return Bound(measure=name, threshold=Threshold(**limits), options=table)
    except TacitError:
        raise TacitError(
            f"{name} = {format_value(content)} is no bound",
            code="out_of_range",
            parameter=name,
            fix=f"e.g. {name} = 0.05, or {name} = {{ at_most = 0.05 }}",
        ) from None
