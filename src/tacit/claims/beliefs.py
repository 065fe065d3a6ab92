"""Claims that nobody can judge: what the intruder believes, when the truth is unknown."""

from __future__ import annotations

import numpy as np

from ..errors import TacitError
from ..per_record import PerRecord
from ..result import Result
from .claims import Claims, LinkClaims
from .precision import best_chances

NOBODY = "nobody: it is not known who is who, so these are beliefs and not hits"


def summarise_unjudged(claims: Claims, control: Claims | None = None) -> Result:
    r"""What an intruder believes to have linked, when nobody knows who is who (truth unknown).

    .. math:: believed = \tfrac{1}{|B|} \sum_{b \in B} \max_a \Pr[r(b) = a],

    the share of right links that the intruder expects when it takes the likeliest candidate of each record; a set of m
    equally likely ones counts 1/m. It is NOT a risk: an attack on people who are not in the release believes as much
    (``control``, the claims about such people). What does not depend on a truth are the anonymity sets:
    ``per_record`` has their sizes, ``facts`` the single and the sure links. Time O(n + candidates).

    >>> claims = LinkClaims.of_rows(np.array([0, 2, 3]), np.array([0, 1, 1]), release_size=2)
    >>> summarise_unjudged(claims).value
    0.75
    """
    if not isinstance(claims, LinkClaims) or not (control is None or isinstance(control, LinkClaims)):
        raise TacitError(
            f"{type(claims).__name__} say nothing without the truth",
            code="missing_parameter",
            fix="give the truth, or make an attack that links records",
        )
    if not claims.intruder_size:
        raise TacitError(
            "the intruder's file has no rows: there is nothing to say", code="too_few_records", fix="check the file"
        )
    sizes = claims.set_sizes()
    sure = np.zeros(len(sizes), dtype=bool) if claims.sure is None else claims.sure[claims.claim_of]
    facts: dict[str, object] = {
        "judged by": NOBODY,
        "records attacked": claims.intruder_size,
        "single links": float((sizes == 1).mean()),
        "sure links": float(sure.mean()),
        "mean candidates": float(sizes[sizes > 0].mean()) if sizes.any() else 0.0,
        "without candidate": float((sizes == 0).mean()),
    }
    facts |= {} if control is None else {"control": believed_share(control)}
    facts |= claims.facts
    facts |= {"notes": list(claims.notes)} if claims.notes else {}
    return Result(
        name="believed links",
        value=believed_share(claims),
        worse="high",
        about="identity",
        facts=facts,
        per_record=PerRecord(array=sizes.astype(float), rows_of="intruder"),
    )


def believed_share(claims: LinkClaims) -> float:
    """What the intruder takes the share of right links for when it follows the most likely candidate of each record."""
    return float(best_chances(claims)[claims.claim_of].mean()) if claims.intruder_size else 0.0
