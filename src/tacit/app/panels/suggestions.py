"""Which column plays which part, with the reasons, for somebody to confirm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...release.suggest import suggest

if TYPE_CHECKING:
    from .context import PanelContext


def suggestions_panel(bench: PanelContext) -> dict[str, Any]:
    """The suggestions of ``tacit suggest``."""
    return suggest(bench.table, progress=bench.progress).as_json()
