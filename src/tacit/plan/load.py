"""From the text of a plan to a checked plan; every error gives line and key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from ..attack import ALL as ATTACKS
from ..errors import TacitError, instead, nearest, typed
from ..protect import ALL as METHODS
from ..protect.load import from_json
from ..release.masked import Method
from .lines import line_of
from .require import Requirements
from .schema import Identifier, Plan

__all__ = ["LoadedPlan", "from_text", "load", "with_models"]


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

    def reading(self, path: Path) -> LoadedPlan:
        """The same plan for another file."""
        data = self.plan.data.model_copy(update={"path": str(path.absolute())})
        return replace(self, plan=self.plan.model_copy(update={"data": data}))

    def at(self, problem: TacitError, *path: str | int) -> TacitError:
        """The error with the line and key of the plan in front."""
        return problem.at(_place(self.name, self.text, path))


def load(path: str | Path) -> LoadedPlan:
    """The plan in a TOML file."""
    if not isinstance(path, str | Path):
        raise TacitError(f"a plan is loaded from a file, not from a {type(path).__name__}", fix="give its path")
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError as problem:
        known = [found.name for found in file.parent.glob("*.toml")] if file.parent.is_dir() else []
        near = nearest(file.name, known)
        fix = f"did you mean {near!r}?" if near else "write one with: tacit suggest FILE --plan plan.toml"
        raise TacitError(f"there is no plan file {str(path)!r}", fix=fix) from problem
    except (OSError, UnicodeDecodeError) as problem:
        raise TacitError(
            f"the plan {str(path)!r} cannot be read as UTF-8 text", fix="give the path of a TOML file"
        ) from problem
    return from_text(text, folder=file.parent, name=file.name)


def from_text(text: str, *, folder: Path = Path(), name: str = "plan") -> LoadedPlan:
    """The plan in a text."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        data = Path(name).suffix.lower() not in ("", ".toml")
        fix = (
            f"a data file? tacit suggest {name} --plan plan.toml"
            if data
            else (
                "mend that line; texts need quotes, yes and no are true and false, there is no None (leave the key out)"
            )
        )
        raise TacitError(f"is not TOML: {problem}", fix=fix, where=name) from None
    try:
        plan = Plan.model_validate(raw)
    except ValidationError as problem:
        # An unknown key explains a missing one: [requires] instead of [require].
        first = min(problem.errors(), key=lambda error: error["type"] != "extra_forbidden")
        raise _explained(first, text, name) from None
    try:
        requirements = Requirements.of(plan.require)
    except TacitError as problem:
        raise problem.at(_place(name, text, ("require", *_failing(plan.require)))) from None
    steps = tuple(
        _step(with_models(given, requirements), place, text, name) for place, given in enumerate(plan.protect)
    )
    attacks: dict[str, Mapping[str, Any]] = {}
    for place, given in enumerate(plan.attack):
        method, said = _attack(given, place, text, name)
        if method in attacks:
            twice = TacitError(f"the attack {method!r} has two sections", fix="keep one of them")
            raise twice.at(_place(name, text, ("attack", place)))
        attacks[method] = said
    return LoadedPlan(
        plan=plan, text=text, folder=folder, name=name, steps=steps, requirements=requirements, attacks=attacks
    )


def _failing(require: Mapping[str, Any]) -> tuple[str, ...]:
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
    if method is None or "models" in given or "models" not in method.parameters or not requirements.of_classes:
        return given
    return {**given, "models": list(requirements.of_classes)}


def _step(given: Mapping[str, Any], place: int, text: str, name: str) -> Method:
    try:
        return from_json(given)
    except TacitError as problem:
        raise problem.at(_place(name, text, ("protect", place, *_blamed(problem, given)))) from None


def _attack(given: Mapping[str, Any], place: int, text: str, name: str) -> tuple[str, Mapping[str, Any]]:
    """Which attack a section is about, and the parameters that it sets: those that the attack takes, and accepts."""
    said = {key: value for key, value in given.items() if key != "method"}
    try:
        if "method" not in given:
            raise TacitError("it is not said which attack this is", fix='add a line such as method = "distance"')
        method = str(given["method"])
        if method not in ATTACKS:
            raise TacitError(f"the attack {method!r} is unknown", fix=instead(method, list(ATTACKS)))
        takes = list(ATTACKS[method].parameters)
        extra = next((key for key in said if key not in takes), None)
        if extra is not None:
            raise TacitError(f"{method} takes no {extra!r}", fix=instead(extra, takes))
        ATTACKS[method].call(**said)
    except TacitError as problem:
        raise problem.at(_place(name, text, ("attack", place, *_blamed(problem, said)))) from None
    return method, said


def _blamed(problem: TacitError, given: Mapping[str, Any]) -> tuple[str, ...]:
    """The key that an error speaks of, if it names one of those given."""
    return next(
        (
            (key,)
            for key in given
            if f"{key}=" in problem.what or repr(key) in problem.what or f"{key} " in problem.what
        ),
        (),
    )


def _place(name: str, text: str, path: Sequence[str | int]) -> str:
    line = line_of(text, tuple(path))
    key = ".".join(str(part) for part in path if not isinstance(part, int))
    return f"{name}, line {line}, {key}" if line else f"{name}, {key}"


def _explained(error: Any, text: str, name: str) -> TacitError:
    """Pydantic's first complaint in our words."""
    path = tuple(
        part for part in error["loc"] if not (isinstance(part, str) and part in ("str", "Identifier", "list[str]"))
    )
    key = str(path[-1])
    if error["type"] == "extra_forbidden":
        known = _known(path[:-1])
        what, fix = f"the key {key!r} is unknown", instead(key, known)
    elif error["type"] == "missing":
        what, fix = f"the key {key!r} is missing", f"add {key!r}"
    elif error["type"] == "list_type" and path in (("protect",), ("attack",)):
        what, fix = f"[{key}] is no list of steps", f'write each step as [[{key}]] with two brackets and method = "…"'
    elif error["type"] == "literal_error":
        words = re.findall(r"'([^']*)'", error["ctx"]["expected"])
        what, fix = f"{typed(error['input'])} is unknown", instead(str(error["input"]), words)
    else:
        what, fix = f"{error['msg'][0].lower()}{error['msg'][1:]}", "correct the value"
    where = path[:-1] if error["type"] == "missing" else path
    return TacitError(what, fix=fix, where=_place(name, text, where or path))


def _known(path: tuple[str | int, ...]) -> list[str]:
    """The keys that may stand at a place of a plan."""
    model: Any = Plan
    for part in path:
        if isinstance(part, int):
            continue
        inside = _models(model.model_fields[part].annotation) if part in model.model_fields else []
        if not inside:
            return []
        model = inside[0]
    return list(model.model_fields)


def _models(annotation: Any) -> list[Any]:
    """The sections that a field is made of: itself, or those in a list or among alternatives."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for part in get_args(annotation) for found in _models(part)]
