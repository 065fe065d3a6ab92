"""Forms as a browser shows and sends them, for the columns of the clinic example."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

import tacit.app.forms
from tacit import Release
from tacit.app.forms import Columns, fields_of, parse_form
from tacit.examples import clinic

from .browser import Page

SAY = {
    "required": "required",
    "example": "e.g. {example}",
    "default": "{default} if left empty",
    "between": " · ",
    "choose": "choose one",
    "unset": "not set",
    "no_hierarchy": "no column has a hierarchy",
    "control_models": "those of the requirements",
    "role_quasi": "could identify",
}
EXAMPLE = clinic(30, seed=1)
RELEASE = Release(
    EXAMPLE.frame, **EXAMPLE.roles, kinds=EXAMPLE.kinds, hierarchies=EXAMPLE.hierarchies, missing=EXAMPLE.missing
)
CLINIC = Columns.of(RELEASE)
TEMPLATES = Environment(
    loader=FileSystemLoader(Path(tacit.app.forms.__file__).parents[1] / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
)
FIELD = TEMPLATES.get_template("fields.html").module.field


def rendered(fields, prefix: str = "f") -> Page:
    return Page("".join(str(FIELD(one, prefix)) for one in fields))


def through(call, said: Mapping[str, Any], columns: Columns = CLINIC) -> dict[str, Any]:
    """What comes back of values that stand in a form when it is submitted as it is."""
    page = rendered(fields_of(call, columns=columns, say=SAY, given=said))
    return parse_form(call, page.submitted(), columns=columns)
