"""From the text of a plan to a checked plan; every error gives line and key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..attack import ATTACKS
from ..errors import TacitError, suggest_alternative
from ..protect import METHODS
from ..protect.load import from_json
from ..release.masked import Method
from .parse import error_key, parse_plan, text_of, where_in
from .register import Fingerprint, fingerprint_of
from .require import Requirements
from .schema import DraftPlan, Identifier, Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedPlan:
    """A checked plan, its text, the folder that its paths are relative to, and what its sections stand for."""

    plan: Plan
    text: str
    folder: Path
    name: str
    steps: tuple[Method, ...]
    requirements: Requirements
    attacks: Mapping[str, Mapping[str, Any]]

    @property
    def data_path(self) -> Path:
        """The file to read."""
        return self.folder / self.plan.data.path

    @property
    def identifiers(self) -> tuple[Identifier, ...]:
        """The identifier columns, each with what is to be done with it."""
        return tuple(
            Identifier(column=given) if isinstance(given, str) else given for given in self.plan.roles.identifier
        )

    @property
    def inputs(self) -> tuple[Path, ...]:
        """The data and the plan itself: files that a result must not be written over."""
        return self.data_path, self.folder / self.name

    @property
    def output_folder(self) -> Path:
        """The folder that the plan names for its result."""
        return self.folder / self.plan.output.directory

    def fingerprint(self) -> Fingerprint:
        """By what the register knows a plan again: its data, all that it does with them, and what it requires."""
        left_out: dict[str, Any] = {"title": True, "output": True, "data": {"path"}}
        sections = self.plan.model_dump(mode="json", exclude=left_out)
        required = sections.pop("require")
        return fingerprint_of([self.data_path], steps=sections, requirements=required)

    def with_data_file(self, path: Path) -> LoadedPlan:
        """The same plan for another file."""
        data = self.plan.data.model_copy(update={"path": str(path.absolute())})
        return replace(self, plan=self.plan.model_copy(update={"data": data}))

    def locate_error(self, problem: TacitError, *path: str | int) -> TacitError:
        """The error with the line and key of the plan in front."""
        return problem.with_location(where_in(self.name, self.text, path))


def load(path: str | Path) -> LoadedPlan:
    """The plan in a TOML file."""
    text, file = text_of(path), Path(path)
    return from_text(text, folder=file.parent, name=file.name)


def from_text(text: str, *, folder: Path = Path(), name: str = "plan", draft: bool = False) -> LoadedPlan:
    """The plan in a text; in a ``draft`` nothing need be required yet."""
    plan = parse_plan(text, name, DraftPlan if draft else Plan)
    try:
        requirements = Requirements.of(plan.require) if plan.require or not draft else Requirements(models={})
    except TacitError as problem:
        raise problem.with_location(where_in(name, text, ("require", *_failing_requirement(plan.require)))) from None
    steps = tuple(
        _parse_step(with_models(given, requirements), place, text, name) for place, given in enumerate(plan.protect)
    )
    attacks: dict[str, Mapping[str, Any]] = {}
    for place, given in enumerate(plan.attack):
        method, said = _parse_attack(given, place, text, name)
        if method in attacks:
            twice = TacitError(f"the attack {method!r} has two sections", code="duplicate", fix="keep one of them")
            raise twice.with_location(where_in(name, text, ("attack", place)))
        attacks[method] = said
    return LoadedPlan(
        plan=plan, text=text, folder=folder, name=name, steps=steps, requirements=requirements, attacks=attacks
    )


def _failing_requirement(require: Mapping[str, Any]) -> tuple[str, ...]:
    """The first requirement that cannot be read by itself."""
    for key, content in require.items():
        try:
            Requirements.of({key: content})
        except TacitError:
            return (key,)
    return ()


def with_models(given: Mapping[str, Any], requirements: Requirements) -> Mapping[str, Any]:
    """A step that provides models and names none provides those of [require]."""
    method = METHODS.get(str(given.get("method")))
    if method is None or "models" in given or not method.provides:
        return given
    households = requirements.of_households if "households" in method.provides else ()
    models = [*requirements.of_classes, *households]
    return {**given, "models": models} if models else given


def _parse_step(given: Mapping[str, Any], place: int, text: str, name: str) -> Method:
    try:
        return from_json(given)
    except TacitError as problem:
        raise problem.with_location(where_in(name, text, ("protect", place, *error_key(problem, given)))) from None


def _parse_attack(given: Mapping[str, Any], place: int, text: str, name: str) -> tuple[str, Mapping[str, Any]]:
    """Which attack a section is about, and the parameters that it sets: those that the attack takes, and accepts."""
    said = {key: value for key, value in given.items() if key != "method"}
    try:
        if "method" not in given:
            raise TacitError(
                "it is not said which attack this is",
                code="missing_parameter",
                fix='add a line such as method = "distance"',
            )
        method = str(given["method"])
        if method not in ATTACKS:
            raise TacitError(
                f"the attack {method!r} is unknown", code="unknown_name", fix=suggest_alternative(method, list(ATTACKS))
            )
        takes = list(ATTACKS[method].parameters)
        extra = next((key for key in said if key not in takes), None)
        if extra is not None:
            raise TacitError(f"{method} takes no {extra!r}", code="unknown_name", fix=suggest_alternative(extra, takes))
        ATTACKS[method].call(**said)
    except TacitError as problem:
        raise problem.with_location(where_in(name, text, ("attack", place, *error_key(problem, said)))) from None
    return method, said
