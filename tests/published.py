"""Steps as somebody types them who was told a method's name and some of its parameters."""

from collections.abc import Mapping
from typing import Any

from tacit.protect import with_declared_effects
from tacit.release.trace import Trace


def published_step(method: str, parameters: Mapping[str, Any], outcome: Mapping[str, Any] | None = None) -> Trace:
    """The step with the effects that its method declares; of an unknown method it stays unknown what it does."""
    return with_declared_effects([Trace(method, parameters, outcome or {})])[0]
