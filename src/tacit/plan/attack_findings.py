"""What attacks on a file found, with all that a report about them shows."""

from __future__ import annotations

from dataclasses import dataclass

from ..attack.at_risk import AtRisk, at_risk
from ..attack.attack import Attack
from ..attack.drop_one import DropOne, drop_one
from ..attack.reidentify import worst_of
from ..attack.runner import AttackResult
from ..errors import Note
from ..progress import Progress, sub_progress
from ..result import Result
from .attack_file import FileAttack
from .attribute_report import AttributeReport


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AttackFindings:
    """The attacks, who is at risk and which columns matter; the latter two are None when nobody knows who is who."""

    title: str
    knows: tuple[str, ...]
    told: bool
    records: int
    attacks: tuple[AttackResult, ...]
    at_risk: AtRisk | None
    drop_one: DropOne | None
    learnt: tuple[AttackResult, ...] = ()
    presence: tuple[AttackResult, ...] = ()
    taught: tuple[AttributeReport, ...] = ()
    required: float | None = None
    warnings: tuple[Note, ...] = ()

    @property
    def worst(self) -> AttackResult | None:
        """The attack with the highest upper end of its interval."""
        return worst_of(self.attacks) if any(one.result is not None for one in self.attacks) else None

    @property
    def bounded_results(self) -> tuple[Result, ...]:
        """What a bound is held against: the results, of attacks on values what they learn above what the rest teach."""
        every = (*self.attacks, *self.learnt, *self.presence)
        return tuple(found for one in every if (found := one.gain or one.result) is not None)


def attack_findings(
    found: FileAttack,
    *,
    title: str,
    required: float | None = None,
    seed: int | bytes | None = None,
    progress: Progress | None = None,
) -> AttackFindings:
    """Who is at risk, and each column dropped; 2c + 2 times the cost of the attacks that were made, for c columns."""
    made = [_without_proof(found.made[one.name]) for one in found.attacks if one.result is not None]
    lineage = None if found.truth is None else found.truth.released
    risk = dropped = None
    if lineage is not None and made:
        scenario, release = found.scenario, found.release
        risk = at_risk(
            release,
            original=scenario,
            lineage=lineage,
            attack=made,
            seed=seed,
            progress=sub_progress(progress, 0.0, 0.2),
        )
        dropped = drop_one(
            release,
            original=scenario,
            lineage=lineage,
            attack=made,
            seed=seed,
            progress=sub_progress(progress, 0.2, 1.0),
        )
    return AttackFindings(
        title=title,
        knows=found.scenario.knows,
        told=bool(found.scenario.told),
        records=found.release.size,
        attacks=found.attacks,
        at_risk=risk,
        drop_one=dropped,
        learnt=found.learnt,
        presence=found.presence,
        taught=found.taught,
        required=required,
        warnings=found.warnings,
    )


def _without_proof(attack: Attack) -> Attack:
    """The same attack without a proof, which changes no claim: it would be made for every column again."""
    quicker: Attack = attack.without_proof() if hasattr(attack, "without_proof") else attack
    return quicker
