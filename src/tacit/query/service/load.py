"""From SERVICE.toml to a checked service; every error gives the file, the key and the remedy."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from ...errors import TacitError, instead, nearest
from ..account import Account
from .check import checked
from .declare import budget, dataset
from .sections import BudgetSection, ServiceFile, ServiceSection
from .service import Project, Service, Tls

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}")
"""Names of data sets stand in SQL; those of projects and accounts in the ledger."""


def load_service(path: str | Path) -> Service:
    """The service that a file declares. Paths in it are relative to the file; decimals are exact."""
    file = Path(path)
    try:
        return checked(_service(_sections(_text(file)), file.parent))
    except TacitError as problem:
        raise problem.at(f"{path}, {problem.where}" if problem.where else str(path)) from None


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        known = [found.name for found in file.parent.glob("*.toml")] if file.parent.is_dir() else []
        near = nearest(file.name, known)
        fix = f"did you mean {near!r}?" if near else "write an example with: tacit serve --example demo-service"
        raise TacitError("there is no such service file", fix=fix) from None
    except (OSError, UnicodeDecodeError):
        raise TacitError("cannot be read as UTF-8 text", fix="give the path of a TOML file") from None


def _sections(text: str) -> ServiceFile:
    try:
        return ServiceFile.model_validate(tomllib.loads(text, parse_float=Decimal))
    except tomllib.TOMLDecodeError as problem:
        raise TacitError(f"is not TOML: {problem}", fix="mend that line; texts need quotes") from None
    except ValidationError as problem:
        # An unknown key explains a missing one: [datasets.a] instead of [dataset.a].
        first = min(problem.errors(), key=lambda error: error["type"] != "extra_forbidden")
        raise _explained(first) from None
    except (InvalidOperation, RecursionError):
        raise TacitError("has a number or a nesting that cannot be read", fix="write plain numbers") from None


def _service(given: ServiceFile, folder: Path) -> Service:
    for section in ("dataset", "project", "account"):
        for name in getattr(given, section):
            if not NAME.fullmatch(name):
                raise TacitError(
                    f"{name!r} is no name", fix="letters, digits and _, a letter first, at most 63", where=section
                )
    main = given.service
    return Service(
        host=main.host,
        port=main.port,
        ledger=main.ledger if main.ledger.startswith(("postgresql://", "postgres://")) else str(folder / main.ledger),
        grid=Fraction(main.grid),
        time_limit=Fraction(main.time_limit),
        tls=_tls(main, folder),
        datasets={
            name: dataset(name, one, folder=folder, where=f"dataset.{name}") for name, one in given.dataset.items()
        },
        projects={
            name: Project(name=name, datasets=tuple(one.datasets), budget=_budgets(one.budget, f"project.{name}"))
            for name, one in given.project.items()
        },
        accounts=_accounts(given),
    )


def _accounts(given: ServiceFile) -> dict[str, Account]:
    return {
        name: Account(
            name=name,
            role=one.role,
            key=one.key,
            projects=tuple(one.projects),
            datasets=tuple(one.datasets),
            budget=_budgets(one.budget, f"account.{name}"),
        )
        for name, one in given.account.items()
    }


def _budgets(given: Mapping[str, BudgetSection], where: str) -> dict[str, Any]:
    return {name: budget(one, f"{where}.budget.{name}") for name, one in given.items()}


def _tls(given: ServiceSection, folder: Path) -> Tls | None:
    if given.tls is None:
        return None
    found = Tls(folder / given.tls.certificate, folder / given.tls.key)
    for path in (found.certificate, found.key):
        if not path.is_file():
            raise TacitError(
                f"there is no file {str(path)!r}", fix="give certificate and key as PEM files", where="service.tls"
            )
    if found.key.stat().st_mode & 0o007:
        raise TacitError(
            f"the private key {found.key.name!r} can be read by everybody",
            fix=f"chmod 600 {found.key.name}",
            where="service.tls.key",
        )
    return found


def _explained(error: Any) -> TacitError:
    """Pydantic's first complaint in our words; what was typed is shown only where it cannot be a secret."""
    path = tuple(str(part) for part in error["loc"])
    places, model = _walked(path)
    key, where = places[-1], ".".join(places)
    if error["type"] == "extra_forbidden":
        return TacitError(f"the key {key!r} is unknown", fix=instead(key, list(model.model_fields)), where=where)
    if error["type"] == "missing":
        return TacitError(f"the key {key!r} is missing", fix=f"add {key!r}", where=where)
    if error["type"] == "literal_error":
        words = re.findall(r"'([^']*)'", error["ctx"]["expected"])
        return TacitError(
            f"{str(error['input'])[:80]!r} is unknown", fix=instead(str(error["input"]), words), where=where
        )
    about = model.model_fields[key].description if key in model.model_fields else None
    what = (
        "is of another kind than it should be"
        if len(path) > len(places)
        else f"{error['msg'][0].lower()}{error['msg'][1:]}"
    )
    return TacitError(f"the value of {key!r}: {what}", fix=f"correct it: {about or key}", where=where)


def _walked(path: tuple[str, ...]) -> tuple[list[str], type[BaseModel]]:
    """The keys of the file that lead to a complaint, without Pydantic's names of types, and the last section on the way."""
    section: type[BaseModel] = ServiceFile
    here: Any = ServiceFile
    places: list[str] = []
    for part in path:
        if get_origin(here) is dict:
            here = get_args(here)[1]
        elif isinstance(here, type) and issubclass(here, BaseModel):
            here = _inner(here.model_fields[part].annotation) if part in here.model_fields else None
        else:
            break
        places.append(part)
        section = here if isinstance(here, type) and issubclass(here, BaseModel) else section
    return places, section


def _inner(annotation: Any) -> Any:
    """The section, or the table of sections, that a key holds; of an optional one too."""
    options = (annotation,) if get_origin(annotation) is dict else (get_args(annotation) or (annotation,))
    return next((part for part in options if get_origin(part) is dict or isinstance(part, type(BaseModel))), None)
