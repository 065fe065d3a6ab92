"""Means and standard deviations on a grid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np

from ...errors import TacitError
from ...frozen import FrozenDict
from ..stated import Stated
from .design import Amount, Design, design_of
from .grid import Grid, on_grid
from .learner import Key
from .parameters import Parameters
from .targets import numbers_only

if TYPE_CHECKING:
    from ...release.release import Release

__all__ = ["Moments"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Moments(Parameters, Stated):
    r"""Mean and standard deviation of columns, each rounded to ``rounding`` of the column's step (D-09).

    With :math:`u = x / step - origin` the key is, column by column in the order of their names,
    :math:`\lfloor \bar u / r + \tfrac12 \rfloor` and :math:`\lfloor s_u / r + \tfrac12 \rfloor`, where s divides by n − 1;
    the variance is its square. A database of one record has no deviation and gives no model. O(n · m).

    >>> import polars as pl
    >>> from tacit import Release
    >>> pay = Release(pl.DataFrame({"pay": [10.0, 20.0, 30.0, 40.0]}))
    >>> learner = Moments(on="pay", grid={"pay": 5})
    >>> design = learner.designed(pay)
    >>> print(dict(learner.told(learner.learnt(learner.matrix(design, pay), np.zeros(4)), design)))
    {'mean of pay': '25', 'standard deviation of pay': '15'}

    References
    ----------
    Senavirathne and Torra (2019), Integral privacy compliant statistics computation, DPM, LNCS 11737, 22–38.
    """

    on: tuple[str, ...] | None = None
    grid: Grid = FrozenDict()
    rounding: float = 1.0

    NAME: ClassVar[str] = "moments"
    MEASURED: ClassVar[str] = "minus the error in deviations"
    COUNTED: ClassVar[bool] = False
    HELD_OUT: ClassVar[bool] = False

    def designed(self, release: Release) -> Design:
        """The columns of amounts, named or all."""
        return design_of(release, numbers_only(release, self.on), self.grid)

    def learnt(self, features: np.ndarray, target: np.ndarray) -> Key | None:  # noqa: ARG002 - every learner takes it
        """The rounded moments."""
        if len(features) < 2:
            return None
        return on_grid(_moments(features), self.rounding)

    def answers(self, key: Key, features: np.ndarray) -> np.ndarray:  # noqa: ARG002
        """A mean says nothing of a single record."""
        raise _nothing()

    def score(self, key: Key, features: np.ndarray, target: np.ndarray) -> float:  # noqa: ARG002
        """Minus the largest difference from the figures of the records, in their standard deviations."""
        found = _moments(features)
        unit = np.repeat(np.where(found[1::2] > 0, found[1::2], 1.0), 2)
        return -float((np.abs(np.array(key) * self.rounding - found) / unit).max())

    def told(self, key: Key, design: Design) -> Iterator[tuple[str, str]]:
        """Each mean and deviation in the units of its column."""
        for place, feature in enumerate(design.features):
            assert isinstance(feature, Amount)
            mean, deviation = (one * self.rounding for one in key[2 * place : 2 * place + 2])
            yield f"mean of {feature.column}", feature.said(mean + feature.origin)
            yield f"standard deviation of {feature.column}", feature.width(deviation)

    def estimator(self, key: Key, design: Design) -> Any:  # noqa: ARG002
        """There is none."""
        raise _nothing()


def _moments(features: np.ndarray) -> np.ndarray:
    """Mean and deviation of each column, alternating."""
    return np.column_stack([features.mean(axis=0), features.std(axis=0, ddof=1)]).ravel()


def _nothing() -> NoReturn:
    raise TacitError("means and deviations predict nothing of a record", fix="read them with as_json()")
