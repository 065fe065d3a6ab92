"""One figure for the whole loss, by declared weights, with the parts behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..errors import TacitError, instead, typed
from ..release.masked import release_of
from ..result import Result, Results
from .headline import headline

if TYPE_CHECKING:
    import numpy as np

    from ..release.masked import Masked
    from ..release.release import Release

__all__ = ["checked_weights", "score"]


def score(
    release: Release | Masked,
    *,
    original: Release,
    weights: Mapping[str, float],
    lineage: np.ndarray | None = None,
) -> Results:
    r"""The weighted mean of several losses, each between 0 and 1, and these losses themselves.

    .. math:: IL = \frac{\sum_m w_m\, L_m}{\sum_m w_m}

    ``weights`` has the names of :data:`tacit.loss.ALL`. Each :math:`L_m` is the measure's headline (see
    :func:`tacit.loss.headline`); those that have no meaning for these files are an error, so that two strategies are
    never compared by different sums.

    Utility, measured (F-01, F-06). The cost is that of the measures named.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r, m = (Release(pl.DataFrame({"pay": pay})) for pay in ([1.0, 2.0, 10.0, 12.0], [1.5, 1.5, 11.0, 11.0]))
    >>> found = score(m, original=r, weights={"squared_error": 1, "moments": 1})
    >>> [(part.name, round(part.value, 3)) for part in found]
    [('information loss', 0.02), ('squared_error', 0.027), ('moments', 0.013)]

    References
    ----------
    Domingo-Ferrer and Torra (2001), A quantitative comparison of disclosure control methods for microdata, in Doyle et
    al., Confidentiality, Disclosure and Data Access, 111–133.
    """
    from . import ALL

    checked_weights(weights, ALL, "loss")
    original = release_of(original)
    parts = {name: headline(ALL[name].call(release, original=original, lineage=lineage)) for name in weights}
    whole = sum(weights[name] * value for name, value in parts.items()) / sum(weights.values())
    facts = {"weights": {name: float(weight) for name, weight in weights.items()}}
    first = Result(name="information loss", value=whole, worse="high", about="utility", facts=facts)
    return Results((first, *(_part(name, value) for name, value in parts.items())))


def _part(name: str, value: float) -> Result:
    return Result(name=name, value=value, worse="high", about="utility")


def checked_weights(weights: Mapping[str, float], known: Mapping[str, object], what: str) -> None:
    """Refuses weights that are none: an unknown name, a negative number, nothing that counts."""
    if not isinstance(weights, Mapping) or not weights:
        raise TacitError(f"no {what} has a weight", fix=f"e.g. {{{next(iter(known))!r}: 1}}; known: {', '.join(known)}")
    for name, weight in weights.items():
        if name not in known:
            raise TacitError(f"the {what} {name!r} is unknown", fix=instead(str(name), known))
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < float("inf"):
            raise TacitError(f"{name} has the weight {typed(weight)}", fix="give a number from 0 on, e.g. 1")
    if not sum(weights.values()):
        raise TacitError(f"every {what} has the weight 0", fix="give one of them a weight above 0")
