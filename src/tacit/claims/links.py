"""How many links are right: re-identification, as the general form Reid(B, A) has it."""

from __future__ import annotations

import numpy as np

from ..per_record import PerRecord
from ..result import Result
from .claims import LinkClaims
from .interval import clustered, wilson
from .precision import precision_facts
from .right import own_rows, right_chances
from .truth import Truth

__all__ = ["right_links"]


def right_links(claims: LinkClaims, truth: Truth) -> Result:
    """The expected share of the intruder's records that are linked to the right released one; see :func:`.judge.judge`."""
    pairs, own = own_rows(truth)
    chance = right_chances(claims, pairs, own)
    sizes, trials, present = claims.set_sizes(), claims.intruder_size, truth.present()
    sure = np.zeros(trials, dtype=bool) if claims.sure is None else claims.sure[claims.claim_of]
    facts: dict[str, object] = {
        "baseline": len(pairs) / (trials * claims.release_size) if pairs.size else 0.0,
        "records attacked": trials,
        "in the release": float(present.mean()),
        "single links": float((sizes == 1).mean()),
        "right single links": float(((sizes == 1) & (chance > 0)).mean()),
        "sure links": float(sure.mean()),
        "mean candidates": float(sizes[sizes > 0].mean()) if sizes.any() else 0.0,
        "without candidate": float((sizes == 0).mean()),
    }
    if claims.clusters is not None:
        facts["households attacked"] = len(np.unique(claims.clusters))
    if sure.any():
        facts["sure links that are right"] = float((chance[sure] > 0).mean())
    facts |= precision_facts(claims, chance, people=int(present.sum()))
    facts |= claims.facts
    facts |= {"notes": list(claims.notes)} if claims.notes else {}
    interval = (
        wilson(float(chance.sum()), trials, together=truth.together)
        if claims.clusters is None
        else clustered(chance, claims.clusters, together=truth.together)
    )
    return Result(
        name="re-identification",
        value=float(chance.mean()),
        interval=interval,
        worse="high",
        about="identity",
        facts=facts,
        per_record=PerRecord(array=chance, rows_of="intruder"),
    )
