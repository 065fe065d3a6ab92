"""How useful synthetic files are: told apart from the original, tabulated, and as a teacher about other people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from statistics import fmean

import numpy as np

from ..errors import Cancelled, TacitError
from ..loss import contingency, holdout_prediction, moments, propensity, summary
from ..progress import Progress, report
from ..release.masked import Masked
from ..release.release import Release
from ..result import Result, Results


def utilities(
    files: Sequence[Masked],
    original: Release,
    held: Release | None,
    *,
    predict: Sequence[str] = (),
    seed: int | bytes = 0,
    progress: Progress | None = None,
) -> tuple[tuple[Result, ...], tuple[str, ...]]:
    """The losses of the files against the training data, the mean over them where they are several; and what could not be measured.

    Moments, or all usual losses where rows can be paired (partial synthesis); pMSE and its ratios; tables of one to three
    columns; and models taught by the file and tested on the people ``held`` back.
    """
    measures: list[tuple[str, Callable[[Masked], Results]]] = [
        ("losses", partial(_usual, original=original)),
        ("propensity", lambda one: Results(tuple(propensity(one, original=original, seed=seed))[:1])),
        ("tables of up to three columns", partial(contingency, original=original)),
    ]
    notes: list[str] = []
    if held is not None:
        asked = partial(holdout_prediction, original=original, holdout=held, target=predict or None, seed=seed)
        measures.append(("prediction of people held back", asked))
    else:
        notes.append("prediction of people held back was not measured: nobody was kept back")
    found: list[Result] = []
    for place, (name, measure) in enumerate(measures):
        report(progress, f"measuring utility: {name}", place / len(measures))
        try:
            found += _mean([measure(one) for one in files])
        except Cancelled:
            raise
        except TacitError as problem:
            if predict and problem.column in predict:
                raise
            column = f"column {problem.column!r} " if problem.column else ""
            notes.append(f"{name}: not measured, {column}{problem.what} ({problem.fix})")
    return tuple(found), tuple(notes)


def _usual(masked: Masked, *, original: Release) -> Results:
    return (moments if (masked.rows() < 0).all() else summary)(masked, original=original)


def _mean(found: Sequence[Results]) -> list[Result]:
    """Result by result the mean over the files, with the least and the most; the facts are those of the first."""
    if len(found) == 1:
        return list(found[0])
    shared = {_key(one) for one in found[0]}.intersection(*({_key(one) for one in rest} for rest in found[1:]))
    means = []
    for first in found[0]:
        if _key(first) not in shared:
            continue
        values = [float(one.value) for part in found for one in part if _key(one) == _key(first)]
        means.append(
            Result(
                name=first.name,
                column=first.column,
                value=fmean(values),
                worse=first.worse,
                about=first.about,
                facts={**first.facts, "over the files": (float(np.min(values)), float(np.max(values)))},
            )
        )
    return means


def _key(result: Result) -> tuple[str, str | None]:
    return result.name, result.column
