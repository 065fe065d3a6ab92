"""A panel: a part of a page that shows what a function found about the plan as it stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from .context import PanelContext


DATA: Mapping[str, tuple[str, ...]] = {"plan": ("data", "roles", "kinds", "hierarchies")}
MASKED: Mapping[str, tuple[str, ...]] = {"plan": (*DATA["plan"], "protect", "require")}
PLAN: Mapping[str, tuple[str, ...]] = {"plan": (*DATA["plan"], "protect", "require", "intruder", "attack")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """``call`` runs in a worker and gives plain values, which ``templates/panels/NAME.html`` lays out.

    ``reads`` are the sections of the documents that it depends on: while they are the same, what was found is kept; ``cut``
    leaves of a document what matters to a question, such as the steps up to the one asked about. Live
    panels are computed when they are shown; ``asked`` ones when somebody asks, in the ``long`` lane where they may take
    minutes. ``upto``: on a file of more records it waits until somebody asks. ``again``: asking once more computes it once
    more (a release).
    """

    call: Callable[[PanelContext], Mapping[str, Any]]
    reads: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: PLAN)
    cut: Callable[[dict[str, Any], Mapping[str, Any]], dict[str, Any]] = lambda raw, _: raw
    lane: Literal["live", "long"] = "live"
    asked: bool = False
    upto: int | None = None
    again: bool = False

    def should_wait(self, records: int | None) -> bool:
        """Whether it waits until somebody asks, for a file of so many records; None: they are not counted yet."""
        return self.asked or (self.upto is not None and (records is None or records > self.upto))
