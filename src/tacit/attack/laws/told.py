"""What the run of a published step found, as methods write it or as JSON gives it back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...release.trace import Finding

if TYPE_CHECKING:
    from ...release.trace import Trace

__all__ = ["told"]


def told(step: Trace, name: str, default: Any = None) -> Any:
    """A published finding of the step; the default where nothing of that name was published."""
    found = step.outcome.get(name, default)
    if not isinstance(found, Finding):
        return found
    return found.value if found.publishable else default
