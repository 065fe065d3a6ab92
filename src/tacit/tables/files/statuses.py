"""What the letters and numbers in a status column say: what a cell was before, and whether it is published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...errors import TacitError
from ..problem import Status

__all__ = ["LETTERS", "SBS", "TAU_ARGUS", "judged"]

SECONDARY = (Status.SAFE, True)
"""Safe by itself, suppressed to protect others."""

TAU_ARGUS: Mapping[str, tuple[Status, bool]] = {
    "1": (Status.SAFE, False),
    "2": (Status.SAFE, False),
    **dict.fromkeys("3456789", (Status.UNSAFE, True)),
    "10": (Status.PUBLISHED, False),
    "11": SECONDARY,
    "12": SECONDARY,
    "13": (Status.SAFE, False),
    "14": (Status.EMPTY, False),
}
"""The 14 numbers of τ-ARGUS: safe (by rule, by hand), unsafe (rule, request, frequency, zero, singleton, singleton by hand,
by hand), protected, secondary (by method, by hand), empty (may be suppressed, and not)."""

SBS: Mapping[str, tuple[Status, bool]] = {
    "V": (Status.SAFE, False),
    **dict.fromkeys("ABCF", (Status.UNSAFE, True)),
    "D": SECONDARY,
    "-": (Status.EMPTY, False),
}
"""The letters of SBS files: V may be published; A too few respondents, B one dominates, C two dominate, F the p % or pq
rule; D secondary; - empty."""

LETTERS: Mapping[str, tuple[Status, bool]] = {
    "S": (Status.SAFE, False),
    "U": (Status.UNSAFE, True),
    "P": (Status.PUBLISHED, False),
    "M": SECONDARY,
    "X": SECONDARY,
    "E": (Status.EMPTY, False),
    "Z": (Status.EMPTY, False),
    "SAFE": (Status.SAFE, False),
    "PUBLISHED": (Status.SAFE, False),
    "UNSAFE": (Status.UNSAFE, True),
    "PRIMARY": (Status.UNSAFE, True),
    "SECONDARY": SECONDARY,
    "SUPPRESSED": (Status.HIDDEN, True),
    "HIDDEN": (Status.HIDDEN, True),
    "PROTECTED": (Status.PUBLISHED, False),
    "EMPTY": (Status.EMPTY, False),
}
"""The letters of τ-ARGUS tables (S safe, U unsafe, P to be published, M or X secondary, E or Z empty), and plain words."""


def judged(
    texts: Sequence[str], own: Mapping[str, Status] | None = None, *, at: Sequence[str] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The status of each cell before suppression, and which cells are suppressed; case and blanks around do not matter.

    ``own`` are letters that a file defines itself (``<SAFE>``, ``<UNSAFE>``, ``<PROTECT>`` in an .rda file); ``at`` is the place of
    each text. An unknown text is shown when it is a letter or two: anything longer may be data of a column named by mistake.

    >>> status, hidden = judged(["S", "u", "M", "14"])
    >>> [Status(one).name for one in status], hidden.tolist()
    (['SAFE', 'UNSAFE', 'SAFE', 'EMPTY'], [False, True, True, False])
    """
    known = {**TAU_ARGUS, **SBS, **LETTERS}
    known |= {letter.strip().upper(): (status, status == Status.UNSAFE) for letter, status in (own or {}).items()}
    bare = [text.strip().upper() for text in texts]
    unknown = next((row for row, text in enumerate(bare) if text not in known), None)
    if unknown is not None:
        short = len(bare[unknown]) <= 2 and not bare[unknown].isdigit()
        what = f"the status {texts[unknown].strip()!r} is unknown" if short else "what stands there is no status"
        what = what if bare[unknown] else "a status is missing"
        fix = "use S safe, U unsafe, P published, M secondary, E empty, the 14 numbers of τ-ARGUS, or V A B C F D - of SBS"
        raise TacitError(what, where=at[unknown] if at else None, fix=fix)
    found = [known[text] for text in bare]
    return np.array([one for one, _ in found], dtype=np.uint8), np.array([hidden for _, hidden in found], dtype=bool)
