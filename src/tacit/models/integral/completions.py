"""The intruder who knows the whole database but one record, and sees the model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from ...per_record import PerRecord
from ...progress import report_progress
from ...release.masked import release_of
from ...result import Result
from .population import population_of
from .published import PublishedModel

if TYPE_CHECKING:
    from ...progress import Progress
    from ...release.masked import Masked
    from ...release.release import Release


def completions(
    release: Release | Masked, model: PublishedModel, *, known: Iterable[int], progress: Progress | None = None
) -> Result:
    r"""How surely an intruder names the one record that it does not know of the database behind a model.

    It has the population, knows all members but one (``known``, row numbers from 0) and sees the model G. Whoever
    completes the database is among

    .. math:: \{r \in P \setminus S^* : A(S^* \cup \{r\}) = G\},

    and the value is 1 over their number: 1, the record is disclosed. 0 means that none completes it: the model comes
    from another database. ``per_record`` marks the records that do. One fit for each record of the population.

    >>> import polars as pl
    >>> from tacit import Release
    >>> from tacit.models.integral import Moments, enumerate_models
    >>> pay = Release(pl.DataFrame({"pay": [10.0, 10.0, 11.0, 90.0]}))
    >>> space = enumerate_models(pay, Moments(grid={"pay": 10}), sizes=2)
    >>> [completions(pay, one.model, known=[0]).value for one in space.candidates]
    [1.0, 0.5]

    References
    ----------
    Torra and Navarro-Arribas (2016), Integral privacy, CANS, LNCS 10052, 661–669.
    """
    release = release_of(release)
    population = population_of(release, model.learner)
    members = set(population.positions_of(known).tolist())
    marks = np.zeros(release.size)
    for place in range(population.size):
        report_progress(progress, "completing the database", place / population.size)
        key = None if place in members else population.key(np.array([*members, place]))
        if key is not None and PublishedModel.of(model.learner, population.design, key) == model:
            marks[population.rows[place]] = 1.0
    count = int(marks.sum())
    facts = {"records that complete it": count, "known records": len(members), "population": population.size}
    return Result(
        name="completion",
        value=1.0 / count if count else 0.0,
        worse="high",
        about="identity",
        facts=facts,
        per_record=PerRecord(array=marks),
    )
