"""The plan: one release job as a file that anybody can read, check and repeat."""

from .job import run
from .load import LoadedPlan, from_text, load
from .original import original_of
from .outcome import Outcome, Staged
from .publish import Job, publish_outcome, run_and_publish
from .schema import Plan

__all__ = [
    "Job",
    "LoadedPlan",
    "Outcome",
    "Plan",
    "Staged",
    "from_text",
    "load",
    "original_of",
    "publish_outcome",
    "run",
    "run_and_publish",
]
