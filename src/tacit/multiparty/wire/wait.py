"""Waiting with a deadline for a party that may be waiting itself.

A waits for C, C for B, and B is silent: if both had the same deadline, A could name C, which did nothing wrong. So whoever waits
for long asks the party it waits for, and a party that waits says for whom, and how long still:

A → C   ASK                  C → A   WAITS: for B, so many seconds
A       C has until then, and the agreed time after that for its own part

B does not answer, or is computing: its deadline stays. So the silent party is named by those next to it, at the agreed deadline,
and everybody else hears of it. An excuse costs a liar nothing, so all of them together have an end as well.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from .json_payload import parse_object

ASKS = 4
"""How often a party is asked within the agreed time."""
LONGEST = 10.0**9
"""Seconds that nobody waits."""


@dataclass(slots=True)
class Wait:
    """Waiting for ``peer``: ``seconds`` as agreed on, ``until`` the deadline now, never moved beyond ``end`` (loop time)."""

    peer: str
    since: float
    seconds: float
    until: float
    end: float

    def extend_deadline(self, now: float, left: float) -> None:
        """The peer waits itself, for so many seconds still: then the agreed time is its own.

        >>> wait = Wait("C", 0.0, 20.0, until=20.0, end=90.0)
        >>> wait.extend_deadline(5.0, left=15.0)
        >>> wait.until
        40.0
        >>> wait.extend_deadline(5.0, left=1000.0)
        >>> wait.until
        90.0
        """
        self.until = max(self.until, min(now + left + self.seconds, self.end))


def format_wait_notice(wait: Wait, now: float) -> bytes:
    """What a party says that is asked while it waits."""
    return json.dumps({"for": wait.peer, "seconds": round(max(0.0, wait.until - now), 3)}).encode()


def parse_wait_notice(payload: bytes) -> tuple[str, float]:
    """For whom a party says to wait, and for how long still; ValueError for nonsense.

    >>> parse_wait_notice(format_wait_notice(Wait("B", 0.0, 20.0, until=20.0, end=60.0), 5.0))
    ('B', 15.0)
    """
    told = parse_object(payload)
    third, seconds = told.get("for"), told.get("seconds")
    if not isinstance(third, str) or isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise ValueError("no excuse")
    if not 0 <= seconds <= LONGEST:
        raise ValueError("no excuse")
    return third, float(seconds)
