"""A model learnt from the release: what it says of a person whose other columns are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..claims.claims import ValueClaims
from ..errors import TacitError
from ..loss.learning.estimators import Estimator, checked_estimator, fit_predict
from ..progress import report_progress
from ..seed import make_generator, seed_or_default
from ._columns import common_columns, features_of, why_incomparable
from ._target import no_target, target_of

if TYPE_CHECKING:
    from ..claims.scenario import Scenario
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


@dataclass(frozen=True, slots=True, kw_only=True)
class Inference:
    r"""Learn the confidential column of the release from the columns that the intruder knows, and predict.

    .. math:: \hat V(x) = M_{X'}(x), \qquad M_{X'} = A(X' \to V')

    The algorithm A, ``estimator``, sees the release alone; the model is asked about the intruder's own records, and the judge
    counts where it hits: :math:`\hat V(x) = V(x)`, or within a share of the standard deviation for numbers. (In the
    lecture the risk *adr* never uses the masked file X′; here the model learns from it and is judged by the true V.)

    ``estimator`` is ``"boosting"``, ``"linear"``, ``"neighbours"`` or ``"tree"`` (see :func:`tacit.loss.learning.estimators.make_estimator`), or any
    object of scikit-learn's with ``fit`` and ``predict``. Its own object gets standardised numbers and a column for each
    frequent category, without gaps; it is copied, and its ``random_state`` set from the seed when it has none.

    A model that hits is not yet a disclosure: it may have learnt how the world is. What it says of people whose own
    records it has not seen (:func:`.values.absent.without_own`, :func:`.adr.adr`) is such knowledge; what it hits beyond that, it
    recites. One claim for each person, the likeliest value; equally likely ones share it. Time that of the estimator.

    >>> import polars as pl
    >>> from tacit import Release
    >>> from tacit.claims import Scenario
    >>> frame = pl.DataFrame({"zip": ["N1", "N2"] * 20, "ill": ["flu", "gout"] * 20})
    >>> r = Release(frame, quasi="zip", confidential="ill")
    >>> Inference().claims(r, Scenario.worst_case(r)).codes[:4].tolist()
    [0, 1, 0, 1]

    References
    ----------
    Torra (2022), Guide to Data Privacy: Models, Technologies, Solutions, Springer.
    Friedman (2001), Greedy function approximation: a gradient boosting machine, Annals of Statistics 29, 1189–1232.
    """

    makes: ClassVar = ValueClaims
    linkage: ClassVar = "generic"
    column: str | None = None
    estimator: Estimator = "boosting"

    def __post_init__(self) -> None:
        checked_estimator(self.estimator)

    def applies(self, release: Release, scenario: Scenario) -> str | None:
        """None when the attack can be made, else why not."""
        why_not = why_incomparable(release, scenario.file) or no_target(release, scenario, self.column)
        if why_not:
            return why_not
        target = target_of(release, self.column)
        values = (target.codes if target.codes is not None else target.numbers)[target.known_rows()]  # type: ignore[index]
        if len(values) < 2:
            return f"fewer than two released records have a value of {target.column!r}"
        if len(np.unique(values)) < 2:
            return f"{target.column!r} has one value only in the release: there is nothing to learn"
        return None

    def claims(
        self, release: Release, scenario: Scenario, *, seed: Seed | None = None, progress: Progress | None = None
    ) -> ValueClaims:
        """For each person the value that the model says."""
        why_not = self.applies(release, scenario)
        if why_not:
            raise TacitError(
                f"cannot be inferred: {why_not}",
                code="not_applicable",
                column=self.column or (release.confidential[0] if len(release.confidential) == 1 else None),
                fix="name a confidential column with several values, and columns that both files have (knows=…)",
            )
        report_progress(progress, "learning from the release", 0.0)
        target = target_of(release, self.column)
        features = features_of(release, scenario.file, common_columns(release, scenario.file))
        values = target.codes if target.codes is not None else target.numbers
        assert values is not None
        # Without a seed the draws are always the same: they decide ties alone.
        rng = make_generator(seed_or_default(seed))
        found = fit_predict(self.estimator, features, values, learnt=np.flatnonzero(target.known_rows()), rng=rng)
        return ValueClaims(
            column=target.column,
            start=found.start,
            codes=found.values if target.codes is not None else None,
            numbers=found.values if target.codes is None else None,
            shares=found.shares(),
            notes=features.notes + found.notes,
        )
