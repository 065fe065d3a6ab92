"""A method made of methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, is_dataclass
from typing import TYPE_CHECKING

from ..errors import TacitError
from ..progress import sub_progress
from ..registry import MethodEffects, Tags, describe
from ..release.masked import Masked, Method
from ..seed import child_seed
from .drop_identifiers import DropIdentifiers
from .generalise import Generalise
from .suppress_records import SuppressRecords

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


@describe(
    tags=Tags(about="identity and attribute", kind="method"),
    effects=MethodEffects("nothing"),  # its steps have traces of their own
    family="frame",
    example={
        "steps": [DropIdentifiers(), Generalise(levels={"zip": 2, "birth": 4, "occupation": 2}), SuppressRecords(k=3)]
    },
    use="Several steps belong together, in a study or as one step of a plan.",
    avoid="A plan lists its steps by itself.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """Apply methods one after the other; the trace has one entry for each.

    Step i draws from a seed of its own, derived from the given one, so that a change of one step leaves the draws of
    the others as they were.

    >>> import polars as pl
    >>> from tacit import Release
    >>> from tacit.protect import Shuffle, SuppressRecords
    >>> r = Release(pl.DataFrame({"zip": ["N1", "N1", "N2"]}), quasi="zip")
    >>> [step.method for step in r.protect(Pipeline(steps=[SuppressRecords(k=2), Shuffle()]), seed=7).trace]
    ['suppress_records', 'shuffle']
    """

    steps: Sequence[Method]

    def __post_init__(self) -> None:
        steps = tuple(self.steps) if isinstance(self.steps, list | tuple) else ()
        if not steps or not all(
            is_dataclass(step) and not isinstance(step, type) and hasattr(step, "apply") for step in steps
        ):
            raise TacitError(
                "a pipeline is made of methods",
                code="invalid_parameter",
                fix="e.g. steps=[DropIdentifiers(), SuppressRecords(k=3)]",
            )
        object.__setattr__(self, "steps", steps)

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release after all steps."""
        masked = Masked(release, ())
        for place, step in enumerate(self.steps):
            own = child_seed(seed, "step", place) if isinstance(seed, int | bytes) else seed
            masked = masked.then(
                step, seed=own, progress=sub_progress(progress, place / len(self.steps), (place + 1) / len(self.steps))
            )
        return masked
