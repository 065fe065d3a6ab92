"""Failures of an engine, counted: a data set that fails again and again answers nothing new until its owner reopens it.

No engine error depends on the data (``engines/overflow.md``). If that is ever wrong, each failure tells a little, and what
it tells is bounded by the number of failures rather than by what is left of a budget.
"""

from __future__ import annotations

from ..refusal import Refusal
from .entry import Asked, Entry
from .lines import append
from .store import TABLE, Rows

MOST_FAILURES = 3
"""A data set is closed after so many failures of its engine since it was last reopened; a time limit is none."""

_SINCE = f"SELECT coalesce(max(number), 0) FROM {TABLE} WHERE dataset = ? AND kind = 'reopening'"
_FAILED = f"SELECT COUNT(*) FROM {TABLE} WHERE dataset = ? AND kind = 'failure' AND number > ? AND answer LIKE ?"


def count_failures(rows: Rows, dataset: str) -> int:
    """Questions since the last reopening that were charged and that the engine could not answer."""
    since = next(rows.all(_SINCE, dataset))[0]
    return int(next(rows.all(_FAILED, dataset, since, '%"code":"failed"%'))[0])


def check_open(rows: Rows, dataset: str) -> None:
    """Refuse a new question to a data set whose engine failed too often."""
    if count_failures(rows, dataset) >= MOST_FAILURES:
        raise Refusal(
            "closed",
            f"the engine of {dataset!r} failed {MOST_FAILURES} times, so it answers nothing new",
            fix="tell the owner of the data; answers that were given before can be read again",
        )


def reopen(rows: Rows, dataset: str) -> Entry:
    """The owner's line after which failures are counted anew."""
    asked = Asked(account="", project="", dataset=dataset, version="", mode="", digest="", question="")
    return append(rows, asked, "reopening")
