"""A named variant is taken up again."""

from __future__ import annotations

from ...errors import TacitError, instead
from ..project.steps import OFF
from .edit import Editing, needed


def variant_take(editing: Editing) -> None:
    """The documents of a variant become the present ones; what was before is in the history."""
    name, known = needed(editing.form, "name", "the name of a variant"), editing.project.variants
    if name not in known:
        raise TacitError(f"there is no variant {name!r}", fix=instead(name, list(known)))
    editing.replaced(f"variant {name} taken up", {OFF: "", **known[name]})
