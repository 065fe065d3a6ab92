"""Models as they are written: only what was asked for is shown."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any


class CompactRepr:
    """A dataclass whose text leaves out the fields that stand at their default: ``KAnonymity(k=5)``."""

    __slots__ = ()

    def __repr__(self) -> str:
        given: Any = self
        shown = []
        for one in fields(given):
            usual = one.default_factory() if one.default_factory is not MISSING else one.default
            value = getattr(self, one.name)
            if usual is MISSING or value != usual:
                shown.append(f"{one.name}={value!r}")
        return f"{type(self).__name__}({', '.join(shown)})"
