"""All steps of a plan about a network, one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ...errors import Cancelled, TacitError
from ...graphs.graph import Graph
from ...graphs.masked import GraphMethod, MaskedGraph
from ...graphs.registry import METHODS
from ...graphs.shuffle import ShuffleNodes
from ...progress import Progress, sub_progress
from ...protect.load import from_json
from ...seed import child_seed
from ..parse import error_key
from .loaded_plan import LoadedGraphPlan


def graph_step(given: Mapping[str, Any]) -> GraphMethod:
    """The protection that a step of a plan describes."""
    tupled = {key: tuple(value) if isinstance(value, list) else value for key, value in given.items()}
    return cast("GraphMethod", from_json(tupled, METHODS))


def protected_graph(
    loaded: LoadedGraphPlan, original: Graph, key: int | bytes, progress: Progress | None
) -> MaskedGraph:
    """The steps of the plan, each with a seed of its own, and new numbers for the nodes at the end."""
    masked = MaskedGraph(original, ())
    for number, step in enumerate(loaded.steps):
        share = sub_progress(progress, number / len(loaded.steps), (number + 1) / len(loaded.steps))
        try:
            masked = masked.then(step, seed=child_seed(key, "step", number), progress=share)
        except Cancelled:
            raise
        except TacitError as mistake:
            raise loaded.locate_error(mistake, "protect", number, *_step_error_key(loaded, number, mistake)) from None
    return masked.then(ShuffleNodes(), seed=child_seed(key, "numbers"))


def _step_error_key(loaded: LoadedGraphPlan, number: int, mistake: TacitError) -> tuple[str, ...]:
    """The parameter that an error speaks of; none where the steps are not those of the plan, but tried by a study."""
    given = loaded.plan.protect
    return error_key(mistake, given[number]) if number < len(given) else ()
