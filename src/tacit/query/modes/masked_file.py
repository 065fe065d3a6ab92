"""What ``tacit release`` published beside a masked file: how it was masked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import TacitError

if TYPE_CHECKING:
    from ...release.trace import Trace

__all__ = ["published_trace"]

TRACE, REPORT = "trace.json", "report.html"


def published_trace(folder: Path | None) -> tuple[Trace, ...]:
    """The steps of the masking, from the public folder of a release in which the data file lies.

    A folder without trace and report was not written by a release whose requirements held, and a trace without a method
    that masks is that of the original: both are refused. The service never masks.
    """
    from ...release.steps import flattened, masks_values
    from ...release.trace import Trace  # takes long to load, and the other modes need nothing of a release

    if folder is None or not all((folder / name).is_file() for name in (TRACE, REPORT)):
        raise TacitError(
            f"the data file does not lie in the public folder of a release: no {TRACE} and {REPORT} beside it",
            fix="mask it with: tacit release PLAN, and give the path of the file in its public/",
        )
    try:
        steps = tuple(Trace.from_json(step) for step in json.loads((folder / TRACE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        raise TacitError(f"{TRACE} beside the data file cannot be read", fix="run tacit release PLAN again") from None
    if not any(masks_values(step) for step in flattened(steps)):
        raise TacitError(
            f"{TRACE} names no method that masks: the file was released as it is",
            fix="add a method to the plan and run tacit release PLAN",
        )
    return steps
