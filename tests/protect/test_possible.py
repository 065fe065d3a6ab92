"""What can be met at all: the remedy that an error names must itself hold."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest

from tacit import Release, TacitError, models
from tacit.protect._feasibility import check_feasible


@pytest.mark.parametrize(
    ("model", "tight"),
    [
        (models.LDiversity, {"form": "entropy"}),
        (models.AlphaK, {"k": 1}),
        (models.KAnonymity, {}),
    ],
    ids=["a floor", "a ceiling", "a count"],
)
def test_the_nearest_value_that_an_error_names_can_be_met(model, tight):
    ill = np.random.default_rng(2).choice(["flu", "gout", "none"], 101, p=[0.2, 0.1, 0.7])
    release = Release(pl.DataFrame({"zip": [str(i) for i in range(101)], "ill": ill}), quasi="zip", confidential="ill")
    field = {"LDiversity": "l", "AlphaK": "alpha", "KAnonymity": "k"}[model.__name__]
    asked = {"l": 3, "alpha": 0.1, "k": 500}[field]
    with pytest.raises(TacitError, match="cannot be met") as caught:
        check_feasible(release, [model(**{field: asked}, **tight)])
    named = float(re.search(r"ask for ([\d.]+)", caught.value.fix).group(1))
    check_feasible(release, [model(**{field: int(named) if named.is_integer() else named}, **tight)])
    assert abs(named - asked) > 0


def test_what_asks_for_nothing_is_no_remedy():
    frame = pl.DataFrame({"zip": ["1", "2", "3"], "ill": ["flu"] * 3})
    with pytest.raises(TacitError, match="leave the requirement out") as caught:
        check_feasible(Release(frame, quasi="zip", confidential="ill"), [models.LDiversity(l=2)])
    assert "ask for 1" not in caught.value.fix
