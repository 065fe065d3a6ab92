"""What every candidate of a study of records is put through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import Any

from ...attack import ATTACKS
from ...attack.attack import Attack
from ...errors import TacitError
from ...loss import LOSSES
from ...loss.score import WeightedMeasure
from ...plan.adversary import Adversary
from ...plan.attack_run import ABOUT, AttackSelection, attacks_about, check_attack_names
from ...plan.load import LoadedPlan
from ...registry import Entry
from ...release.masked import Masked
from ...release.release import Release
from ...risk import MEASURES
from ..data_kind import DataKind
from ..digests import digest
from ..evaluation import risk_share
from ..measures import can_measure, weighed_measures

QUICK = ("distance", "transparency", "minimality")
"""The attacks on identities that cost little beside a masking; a release is attacked by all."""
USUAL_LOSS = ("moments", "squared_error", "hellinger", "changed", "generalisation", "suppressed")
KINDS: Mapping[str, Entry | None] = {
    **dict.fromkeys(ABOUT),
    **{name: entry for name, entry in MEASURES.items() if entry.tags.kind == "measure"},
}
"""What a risk may be made of: what attacks find, by the requirement that bounds it, and the measures of risk."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecordTask:
    """The data, who attacks them, what is weighed, and the seed of every draw.

    ``chosen`` are the attacks by what they are about: those behind a weight or a requirement. ``columns`` are those that
    each loss spoke of before the masking (:func:`.noun.spoken_of`).
    """

    noun: DataKind
    plan: LoadedPlan
    original: Release
    adversary: Adversary
    chosen: AttackSelection
    risk: tuple[WeightedMeasure, ...]
    loss: tuple[WeightedMeasure, ...]
    seed: int | bytes
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @staticmethod
    def of(noun: DataKind, plan: LoadedPlan, original: Release, *, seed: int | bytes) -> RecordTask:
        """What a plan says; an error points at its key."""
        instead = 'explore a sample that fits in memory (engine = "polars" under [data])'
        original.capabilities.require("in_memory", "a study cannot mask the data many times over", instead=instead)
        adversary = Adversary.of(plan, original)
        risk = weighed_measures(plan, "risk", KINDS, usual=lambda: _usual_risk(plan))
        loss = weighed_measures(plan, "loss", LOSSES, usual=lambda: _usual_loss(original))
        return RecordTask(
            noun=noun,
            plan=plan,
            original=original,
            adversary=adversary,
            chosen=_select_attacks(plan, original, adversary, [one.name for one in risk]),
            risk=risk,
            loss=loss,
            seed=seed,
        )

    @property
    def title(self) -> str:
        """What the map is called."""
        return self.plan.plan.title or f"Release of {self.plan.data_path.name}"

    @property
    def attacks(self) -> tuple[str, ...]:
        """The attacks on every candidate, by name."""
        return tuple(name for made in self.chosen.about.values() for name in made)

    @property
    def is_partial(self) -> bool:
        """Whether a release is attacked by more: by all that apply, and here by those that are weighed or named."""
        return bool(self.attacks)

    @property
    def risk_limits(self) -> dict[str, float]:
        """Kind of risk → the most that is allowed, as it stands on the map."""
        bounds = self.plan.requirements.attacks
        return {name: risk_share(name, bound.at_most) for name, bound in bounds.items() if bound.at_most}

    def with_all_attacks(self) -> RecordTask | None:
        """The same with all attacks on identities that a release is attacked by; None where these are made already.

        That is so when the attacks are named, and when nothing is required of re-identification.
        """
        if self.plan.plan.study.attacks or "reidentification" not in self.plan.requirements.attacks:
            return None
        about = {**self.chosen.about, "identity": attacks_about("identity", self.plan.attacks)}
        return replace(self, chosen=replace(self.chosen, about=about))

    @property
    def content_digest(self) -> str:
        """A digest of all that the outcome of a candidate depends on beside its steps: Tacit itself is a part of it.

        Weights, preferences and bounds of the study are not: they only weigh what was found.
        """
        said = {
            "version": version("tacit"),
            "require": repr(self.plan.requirements),
            "identifier": [given.model_dump() for given in self.plan.identifiers],
            "second": self.adversary.second,
            "told": self.adversary.told,
            "knows": self.adversary.scenario.knows,
            "attacks": {
                sort: {name: repr(one) for name, one in made.items()} for sort, made in self.chosen.about.items()
            },
            "risk": [(one.name, one.options) for one in self.risk],
            "loss": [(one.name, one.options) for one in self.loss],
            "seed": repr(self.seed),
        }
        others = (self.original.population, self.adversary.control, *self.adversary.scenario.also)
        return digest(said, self.original, *others)


def _usual_risk(plan: LoadedPlan) -> dict[str, Any]:
    return dict.fromkeys(plan.requirements.attacks, 1) or {"reidentification": 1}


def _usual_loss(original: Release) -> dict[str, Any]:
    """The usual losses that have a meaning for the data, each as much as the others."""
    same = Masked(original, ())
    return {name: 1 for name in USUAL_LOSS if can_measure(LOSSES[name], same, original)}


def _select_attacks(
    plan: LoadedPlan, original: Release, adversary: Adversary, weighed_risks: list[str]
) -> AttackSelection:
    """The attacks behind each weight and each requirement: those named in the study, else the quick ones or all."""
    named = plan.plan.study.attacks
    try:
        check_attack_names(named)
    except TacitError as problem:
        raise plan.locate_error(problem, "study", "attacks") from None
    wanted = {ABOUT[name] for name in (*weighed_risks, *plan.requirements.attacks) if name in ABOUT}
    about: dict[str, Mapping[str, Attack]] = {}
    for sort in ABOUT.values():
        if sort in wanted:
            own = [name for name in named if ATTACKS[name].tags.about == sort]
            only = own or (QUICK if sort == "identity" else ())
            about[sort] = attacks_about(sort, plan.attacks, only=only)
    return AttackSelection(about=about, columns=tuple(original.confidential), second=adversary.second)
