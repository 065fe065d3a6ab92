"""The page Release: what has to hold, what still fails, and the release itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...models import MODELS
from ...plan.attack_run import ABOUT, SHARES
from ...report.words import format_percent, to_prose
from ...risk import MEASURES
from ...toml_text import to_inline_toml
from ..forms import Field, requirement_fields
from ..forms.repeated_help import drop_repeated_help
from ..plain_language import to_plain_language
from ..texts import texts
from .page import View

USUAL = ("k_anonymity", "l_diversity", "t_closeness", "reidentification", "attribute_inference")
"""What most plans require; all others are offered after these."""


def release_context(view: View) -> Mapping[str, Any]:
    """What is required with its forms, what else may be, and what the last release was asked for."""
    required = view.raw.get("require", {})
    out = view.raw.get("output", {})
    adding = view.query.get("add", "")
    known = {*MODELS, *ABOUT, *MEASURES}
    return {
        "required": [_requirement_entry(view, name, content) for name, content in required.items()],
        "offered": list(_available_requirements(required)),
        "adding": _requirement_form(view, adding, None) if adding in known and adding not in required else None,
        "asked": dict(view.desk.last_question("release")),
        "earlier": (view.project.folder / out.get("directory", "out") / "public").exists(),
        "title": view.raw.get("title", ""),
        "output": out,
        "file": view.raw["data"]["path"].rpartition("/")[2] if view.raw else "",
    }


def _requirement_entry(view: View, name: str, content: Any) -> dict[str, Any]:
    return _requirement_form(view, name, content) | {
        "said": _format_requirement(name, content),
        "by_attack": name in ABOUT,
    }


def _requirement_form(view: View, name: str, content: Any) -> dict[str, Any]:
    fields: tuple[Field, ...] = requirement_fields(name, content, columns=view.columns, say=texts().forms.mapping)
    said = _requirement_summary(name)
    return {"name": name, "summary": said, "fields": drop_repeated_help(fields, said)}


def _available_requirements(required: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Kinds of requirements, each with those that are not required yet: the usual ones, models, attacks, measures."""
    others = {
        "models": [name for name in MODELS if name not in USUAL],
        "attacks": [name for name in ABOUT if name not in USUAL],
        "measures": [name for name in MEASURES if name not in MODELS],
    }
    for kind, every in {"usual": list(USUAL), **others}.items():
        choices = [{"name": name, "summary": _requirement_summary(name)} for name in every if name not in required]
        if choices:
            yield {"kind": kind, "choices": choices}


def _requirement_summary(name: str) -> str:
    """What a requirement says, in a sentence."""
    if name in ABOUT:
        return str(texts().release.attacks.get(name))
    entry = MODELS.get(name) or MEASURES[name]
    return to_plain_language(to_prose(entry.summary))


def _format_requirement(name: str, content: Any) -> str:
    """What is required, as it is typed; shares of people in per cent, as they are everywhere else."""
    return format_percent(content) if name in SHARES and isinstance(content, int | float) else to_inline_toml(content)
