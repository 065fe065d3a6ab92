"""A frame where a release or a parameter belongs: a clear error that shows no cell, at every public door."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import tacit
from tacit import Release, TacitError

SECRET = "SECRETCELL"
FRAME = pl.DataFrame({"zip": [SECRET, "b"], "x": [1.0, 2.0]})
RELEASE = Release(FRAME, quasi="zip", confidential="x")


@pytest.mark.parametrize(
    "call",
    [
        lambda: tacit.suggest(FRAME),
        lambda: tacit.write(FRAME, "x.csv"),
        lambda: tacit.risk.k_anonymity(FRAME),
        lambda: tacit.risk.l_diversity(FRAME),
        lambda: tacit.risk.t_closeness(FRAME),
        lambda: tacit.models.KAnonymity(k=2).holds(FRAME),
        lambda: tacit.attack.reidentify(FRAME, original=RELEASE, lineage=np.arange(2)),
        lambda: tacit.attack.reidentify(RELEASE, original=FRAME, lineage=np.arange(2)),
        lambda: tacit.attack.reidentify(RELEASE, original=RELEASE, lineage=np.arange(2), attack=FRAME),
        lambda: tacit.attack.reidentify(RELEASE, original=RELEASE, lineage=np.arange(2), attack=tacit.attack.Distance),
        lambda: tacit.claims.Scenario.worst_case(FRAME),
        lambda: tacit.loss.moments(RELEASE, original=FRAME),
        lambda: tacit.loss.squared_error(FRAME, original=RELEASE),
        lambda: tacit.loss.summary(RELEASE, original=FRAME),
        lambda: RELEASE.protect(FRAME),
        lambda: RELEASE.protect("rank_swap"),
        lambda: RELEASE.protect(tacit.protect.Shuffle),
        lambda: tacit.Masked(RELEASE, ()).then(FRAME),
        lambda: tacit.protect.SuppressCells(k=FRAME),
        lambda: tacit.protect.RankSwap(columns="x", percent=FRAME),
        lambda: tacit.protect.Recode(column=FRAME, breaks=[1]),
        lambda: tacit.attack.Distance(standardise=FRAME),
        lambda: tacit.models.TCloseness(t=FRAME),
        lambda: Release(FRAME, quasi=FRAME["zip"]),
        lambda: tacit.read(FRAME),
        lambda: tacit.plan.load(FRAME),
    ],
)
def test_a_frame_in_the_wrong_place_is_answered_without_its_cells(call):
    with pytest.raises(TacitError, match="fix:") as caught:
        call()
    assert SECRET not in str(caught.value)
