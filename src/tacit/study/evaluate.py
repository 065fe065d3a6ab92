"""One candidate put through its task: protected, measured, attacked, judged; and stopped as soon as it is decided."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..errors import Cancelled, TacitError
from .data_kind import Task
from .evaluation import INSIDE, Evaluation, stop_when_dominated
from .front import Place

DIGITS = 10


def evaluate_candidate(task: Task, steps: Sequence[Mapping[str, Any]], *, rivals: Sequence[Place] = ()) -> Evaluation:
    """What comes of protecting the data by these steps; failed, with the reason, where they cannot be made or measured.

    Of an error that is not ours only its kind is told, because its text may quote the data.
    """
    started = time.process_time()
    try:
        found = evaluation_of(task, steps, rivals=rivals)
    except Cancelled:
        raise
    except TacitError as problem:
        found = Evaluation(state="failed", why=" ".join(str(problem).replace("\n  fix:", "; fix:").split()))
    except Exception as problem:
        found = Evaluation(state="failed", why=f"{INSIDE}{type(problem).__name__}")
    return replace(found, seconds=time.process_time() - started)


def evaluation_of(task: Task, steps: Sequence[Mapping[str, Any]], *, rivals: Sequence[Place] = ()) -> Evaluation:
    """The figures and verdicts of the data protected by these steps.

    ``rivals`` are candidates that will do: once one of them is better in everything than what is known so far, the
    rest is not computed. A risk that is weighed and that no attack applies to is an error, not a risk of 0.
    """
    trial = task.noun.make_trial(task, steps)
    known = Evaluation(state="done")
    for found in trial.figures():
        more = tuple(replace(figure, value=_round_digits(figure.value)) for figure in found)
        known = stop_when_dominated(
            replace(known, figures=known.figures + more), rivals, risk=task.risk, loss=task.loss
        )
        if known.state == "stopped":
            return known
    return replace(known, verdicts=tuple(_plain_verdict(verdict.as_json()) for verdict in trial.verdicts()))


def _round_digits(value: float) -> float:
    """The number without its last digits, which depend on how many threads summed it up: a study must not."""
    return float(f"{value:.{DIGITS}g}")


def _plain_verdict(verdict: Mapping[str, Any]) -> dict[str, Any]:
    """A verdict as it is stored: numbers of NumPy become those of Python."""
    plain = {name: value.item() if hasattr(value, "item") else value for name, value in verdict.items()}
    return {name: _round_digits(value) if isinstance(value, float) else value for name, value in plain.items()}
