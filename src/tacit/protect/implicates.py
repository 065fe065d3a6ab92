"""Several synthetic files of one release, each drawn anew, so that analysts see how much the draw matters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import TacitError, check_int
from ..progress import sub_progress
from ..release.trace import method_name
from ..seed import child_seed

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.masked import Masked, Method
    from ..release.release import Release
    from ..seed import Seed


def implicates(
    release: Release, method: Method, count: int, *, seed: Seed | None = None, progress: Progress | None = None
) -> tuple[Masked, ...]:
    """``count`` releases by the same method, each with draws of its own.

    An estimate from one synthetic file differs from the original's by chance. The mean over several files differs less,
    and how far the files lie apart says how much: estimate and variance from each, put together by
    :func:`tacit.loss.combined`. Every file tells more about the people in the original, so make no more than are needed;
    5 or 10 are usual. A method with differential privacy spends its budget with every file and is refused here.
    ``count`` times the cost of the method.

    >>> import polars as pl
    >>> from tacit import Release
    >>> from tacit.protect import SynthTrees
    >>> r = Release(pl.DataFrame({"sex": list("fm") * 50, "pay": range(100)}))
    >>> [m.release.size for m in implicates(r, SynthTrees(leaf=10, rows=30), 3, seed=7)]
    [30, 30, 30]

    References
    ----------
    Rubin (1993), Statistical disclosure limitation, Journal of Official Statistics 9, 461–468.
    """
    check_int("count", count, least=2)
    if hasattr(method, "epsilon"):
        raise TacitError(
            f"each of {count} files by {method_name(method)} would spend epsilon={method.epsilon} again",
            code="privacy_budget",
            fix="release one file; several would need epsilon divided by their number, each made by itself",
        )
    made = []
    for place in range(count):
        own = child_seed(seed, "implicate", place) if isinstance(seed, int | bytes) else seed
        made.append(
            release.protect(method, seed=own, progress=sub_progress(progress, place / count, (place + 1) / count))
        )
    return tuple(made)
