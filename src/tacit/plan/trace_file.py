"""What was published about the masking, read from the trace of a job."""

from __future__ import annotations

import json
from pathlib import Path

from ..errors import TacitError
from ..protect.load import with_declared_effects
from ..release.trace import Trace

FIX = "give the trace.json of a release job, or a list of steps: [{'method': 'rank_swap', 'parameters': {'percent': 5, …}}]"


def read_trace(path: str | Path) -> tuple[Trace, ...]:
    """The steps in a trace file, in their order; methods and parameters are not checked, because a trace may be another tool's."""
    name = str(path)
    try:
        given = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError as problem:
        raise TacitError(
            f"there is no trace {name!r}", code="path_not_found", fix="a release job writes public/trace.json"
        ) from problem
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as problem:
        raise TacitError(f"the trace {name!r} cannot be read as JSON", code="cannot_read", fix=FIX) from problem
    steps = [given] if isinstance(given, dict) else given
    if not isinstance(steps, list):
        raise TacitError(f"the trace {name!r} is no list of steps", code="malformed_file", fix=FIX)
    for place, step in enumerate(steps, start=1):
        parts = [step.get(part, {}) for part in ("parameters", "outcome")] if isinstance(step, dict) else [None]
        if not isinstance(step, dict) or not isinstance(step.get("method"), str):
            raise TacitError(f"step {place} of the trace {name!r} names no method", code="missing_parameter", fix=FIX)
        if not all(isinstance(part, dict) for part in parts):
            raise TacitError(
                f"the parameters or the outcome of step {place} of {name!r} are no table", code="wrong_type", fix=FIX
            )
    return with_declared_effects(Trace.from_json(step) for step in steps)
