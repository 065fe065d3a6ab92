"""The intruder of a plan: what it has before a release appears, and what it has when one did."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from ..attack.runner import People
from ..claims import Scenario, Truth
from ..errors import TacitError, check_columns
from ..release.masked import Masked
from ..release.release import Release
from ..release.trace import Trace
from .attack_run import check_second_list
from .load import LoadedPlan
from .original import also_of, control_of


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Adversary:
    """What stands under [intruder], with its files read: the scenario without a release, people who are not in the data,
    the columns of a second list, and how much is published about the masking; and the people as they are, to judge it by.
    """

    original: Release
    scenario: Scenario
    control: Release | None
    second: tuple[str, ...]
    told: Literal["nothing", "method", "trace"]

    @staticmethod
    def of(plan: LoadedPlan, original: Release, *, held: Release | None = None) -> Adversary:
        """The intruder of a plan for its data, people ``held`` back as control; an error points at the key of the plan."""
        knows = tuple(plan.plan.intruder.knows or original.quasi)
        also = also_of(plan, original, knows)
        try:
            scenario = Scenario(file=original, knows=knows, inside=True, covers=True, also=also)
        except TacitError as problem:
            raise plan.locate_error(problem, "intruder", "knows") from None
        return Adversary(
            original=original,
            scenario=scenario,
            control=_control_group(plan, scenario) if held is None else held,
            second=_second_list_columns(plan, scenario, original),
            told=plan.plan.intruder.told,
        )

    def scenario_for(self, masked: Masked) -> tuple[Scenario, People]:
        """What it has when the masked data are out, and the truth that it is judged by."""
        truth = Truth.by_lineage(masked.rows(), self.original.size, trace=masked.trace)
        people = People(truth=truth, file=self.original, control=self.control)
        return replace(self.scenario, told=self._published_trace(masked)), people

    def _published_trace(self, masked: Masked) -> tuple[Trace, ...]:
        """What the intruder reads about the masking: nothing, the names of the methods, or the published trace."""
        if self.told == "nothing":
            return ()
        return (
            tuple(Trace(step.method, {}, effects=step.effects) for step in masked.trace)
            if self.told == "method"
            else masked.trace
        )


def _control_group(plan: LoadedPlan, scenario: Scenario) -> Release | None:
    """The people who are not in the release; their list has to have the columns that the intruder knows."""
    people = control_of(plan)
    if people is not None:
        try:
            Scenario(file=people, knows=scenario.knows)
        except TacitError as problem:
            raise plan.locate_error(problem, "intruder", "control") from None
    return people


def _second_list_columns(plan: LoadedPlan, scenario: Scenario, original: Release) -> tuple[str, ...]:
    """The columns of the intruder's second list: of the data, and none that is in its first."""
    try:
        return check_second_list(check_columns(plan.plan.intruder.second, original.columns), scenario.knows)
    except TacitError as problem:
        raise plan.locate_error(problem, "intruder", "second") from None
