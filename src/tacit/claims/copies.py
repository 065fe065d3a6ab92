"""How many people stand in the release as they are, beside people who cannot."""

from __future__ import annotations

import numpy as np

from ..errors import TacitError
from ..interval import wilson
from ..per_record import PerRecord
from ..result import Result
from .claims import MemberClaims
from .gain import above_others

COPIED = "copied above outsiders"
"""The share of the people who are copied, minus the share of outsiders whom some record equals by chance."""


def score_copies(claims: MemberClaims, inside: np.ndarray) -> tuple[Result, Result]:
    r"""The share of the people whom a released record equals, and what of it is above people who are not in the data.

    .. math:: p_1 - p_0, \qquad p_1 = \tfrac1n |\{i \in members : s_i \ge threshold\}|

    and :math:`p_0` the same share of the others: two random people may well be alike, so that a match alone is no copy.
    Neither depends on how many people there are on either side. Wilson's and Newcombe's 95 % intervals
    (:func:`.gain.above_others`). ``per_record`` is 1 for each member who is copied. Time O(n).

    >>> claims = MemberClaims(scores=np.array([1.0, 1.0, 1.0, 0.0]), threshold=1.0)
    >>> [found.value for found in score_copies(claims, np.array([True, True, False, False]))]
    [1.0, 0.5]
    """
    if inside.all() or not inside.any():
        raise TacitError(
            "copies are judged beside people who are not in the data, and one of the two sides is empty",
            code="not_applicable",
            fix="give people of both sides",
        )
    taken = claims.scores >= (0.0 if claims.threshold is None else claims.threshold)
    ours, theirs = _copy_rate(taken[inside]), _copy_rate(taken[~inside])
    more, reach = above_others(ours, theirs)
    facts = {
        "control": theirs.value,
        "control, 95 % interval": theirs.interval,
        "above the control": more,
        "above the control, 95 % interval": reach,
        "members": int(inside.sum()),
        "others": int((~inside).sum()),
        **claims.facts,
        **({"notes": list(claims.notes)} if claims.notes else {}),
    }
    each = PerRecord(array=(taken & inside).astype(float), rows_of="intruder")
    found = Result(
        name="copies",
        value=ours.value,
        interval=ours.interval,
        worse="high",
        about="identity",
        facts=facts,
        per_record=each,
    )
    gain = Result(
        name=COPIED,
        id="copied",
        value=more,
        interval=reach,
        worse="high",
        about="identity",
        facts={"copied": ours.value, "control": theirs.value, "beside": "outsiders"},
    )
    return found, gain


def _copy_rate(taken: np.ndarray) -> Result:
    count = int(taken.sum())
    return Result(
        name="copies",
        value=count / len(taken),
        interval=wilson(count, len(taken)),
        worse="high",
        about="identity",
        facts={"baseline": 0.0, "records attacked": len(taken)},
    )
