"""What a reader must know beside the verdict: free text, and columns that nobody thought of."""

from __future__ import annotations

from ..release.release import Release
from ..release.suggest import free_text

__all__ = ["unattacked", "warned"]

RUINED = 0.2
"""From this share of suppressed cells on, a column is named."""
NOTABLE = 0.05
"""A column without a role is named when it makes at least this share of the records unique."""


def warned(release: Release) -> tuple[str, ...]:
    """Warnings about the columns of a release."""
    texts = [
        f"column {column!r} holds free text, which may name people: read it or drop it" for column in free_text(release)
    ]
    return (*texts, *_ruined(release))


def _ruined(release: Release) -> list[str]:
    """Columns of which so much was suppressed that little is left to use."""
    shares = {column: count / max(1, release.size) for column, count in release.suppressed.items()}
    return [
        f"{100 * share:.0f} % of column {column!r} was suppressed: a coarser hierarchy level would keep more of it"
        for column, share in shares.items()
        if share >= RUINED
    ]


def unattacked(release: Release) -> dict[str, float]:
    """Columns that no requirement and no attack looked at, and the share of records that each makes unique.

    Together with the quasi-identifiers, where that share is at least 5 %: who knows such a column finds people.
    """
    found = {}
    for column, role in release.roles.items():
        if role in ("other", "weight") and release.quasi:
            alone = release.classes([*release.quasi, column]).size().below(2).records / release.size
            if alone >= NOTABLE:
                found[column] = alone
    return found
