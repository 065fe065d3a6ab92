"""A named variant is taken up again."""

from __future__ import annotations

from ...errors import TacitError, suggest_alternative
from ..project.steps import OFF
from .edit import Editing, require_text


def variant_take(editing: Editing) -> None:
    """The documents of a variant become the present ones; what was before is in the history."""
    name, known = require_text(editing.form, "name", "the name of a variant"), editing.project.variants
    if name not in known:
        raise TacitError(
            f"there is no variant {name!r}", code="unknown_name", fix=suggest_alternative(name, list(known))
        )
    editing.save_texts(f"variant {name} taken up", {OFF: "", **known[name]})
