"""How long a study may take."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field

from ..errors import TacitError, format_value
from ..protect.parameters import is_number

UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0}
TEXT = re.compile(r"(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s)?")


def seconds_of(given: object) -> float | None:
    """The seconds in ``90s``, ``10m``, ``1h30m`` or a number of seconds; None when there is no limit.

    >>> seconds_of("1h30m"), seconds_of(45), seconds_of(None)
    (5400.0, 45.0, None)
    """
    if given is None:
        return None
    parts = TEXT.fullmatch(given.strip()) if isinstance(given, str) else None
    if parts and any(parts.groups()):
        found = sum(float(part) * unit for part, unit in zip(parts.groups(), UNITS.values(), strict=True) if part)
    elif is_number(given):
        found = float(given)  # type: ignore[arg-type]
    else:
        raise TacitError(
            f"the budget {format_value(given)} is no time", code="out_of_range", fix="e.g. 90s, 10m or 1h30m"
        )
    if found <= 0:
        raise TacitError(
            f"the budget {format_value(given)} leaves no time", code="out_of_range", fix="e.g. 10m, or leave it out"
        )
    return found


def in_words(seconds: float) -> str:
    """A time as a person says it.

    >>> in_words(45), in_words(170), in_words(5400)
    ('45 s', '3 min', '1 h 30 min')
    """
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


@dataclass(slots=True)
class Budget:
    """A clock that runs from its making; ``seconds`` None never ends."""

    seconds: float | None
    _started: float = field(default_factory=time.monotonic)

    @property
    def is_over(self) -> bool:
        """Whether the time is up."""
        return self.seconds is not None and self.seconds_spent >= self.seconds

    @property
    def seconds_spent(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._started

    def seconds_left(self, done: int, planned: int) -> float:
        """The seconds that the rest will take at the pace so far, at most what the budget leaves."""
        rest = self.seconds_spent / max(1, done) * (planned - done)
        return rest if self.seconds is None else max(0.0, min(rest, self.seconds - self.seconds_spent))
