"""What hiding patterns in transactions leaves behind: ``public/`` with the file, ``internal/`` with what was hidden.

out/public/     the transactions in random order, trace.json
out/internal/   result.json, lineage.parquet, seed.txt, attempt.json
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..json_text import json_text
from ..plan.coverage import Gap, State
from ..plan.register import EarlierAttempts, Fingerprint
from ..protect.rules.audit import Audit
from ..protect.rules.build import Form
from ..protect.rules.files import read_baskets, write_baskets
from ..protect.rules.hide import HidingResult
from ..protect.rules.patterns import format_pattern
from ..protect.shuffle import Shuffle
from ..release.files import save
from ..release.scratch import make_scratch_folder, remove_private_folder
from ..release.trace import Trace
from ..seed import written_seed
from .commit import TRACE, CommitResult, commit_job

if TYPE_CHECKING:
    import numpy as np

    from ..protect.rules.baskets import Baskets


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RulesOutcome:
    """A file in which patterns were hidden, as bytes, and the verdict on what was read back from these bytes."""

    name: str
    content: bytes
    hidden: HidingResult
    audit: Audit
    lineage: np.ndarray
    seed: int | bytes
    fingerprint: Fingerprint | None = None
    attempts: EarlierAttempts | None = None

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """What the audit does not cover."""
        return () if self.attempts is None else self.attempts.gaps

    @property
    def state(self) -> State:
        """Whether the file may be published, and whether anything is not covered."""
        return "not_met" if not self.audit.holds else "not_covered" if self.gaps else "met"

    def as_json(self) -> dict[str, Any]:
        """Plain values; internal, they name what was hidden."""
        return {
            **self.audit.as_json(),
            "state": self.state,
            "gaps": [gap.as_json() for gap in self.gaps],
            "attempts": None if self.attempts is None else self.attempts.as_json(),
            "absent": [format_pattern(one) for one in self.hidden.absent],
            "evidence": dict(self.hidden.evidence),
            "trace": [step.as_json(public=False) for step in self.hidden.trace],
        }


def stage_file(baskets: Baskets, name: str, *, form: Form | None, separator: str) -> tuple[bytes, Baskets]:
    """The file as it will be published, and what a reader of it has."""
    folder = make_scratch_folder()
    try:
        file = folder / name
        write_baskets(baskets, file, form=form or "long", separator=separator)
        return file.read_bytes(), read_baskets(file, form=form, separator=separator)
    finally:
        remove_private_folder(folder)


def publish_rules(outcome: RulesOutcome, out: str | Path) -> CommitResult:
    """Write all files of a job and move them into ``out`` at once; the transactions only when the audit holds."""
    return commit_job(
        Path(out),
        lambda folder: _write_folders(outcome, folder),
        state=outcome.state,
        approved=outcome.audit.holds,
        fingerprint=outcome.fingerprint,
    )


def _write_folders(outcome: RulesOutcome, folder: Path) -> None:
    import polars as pl

    public, internal = folder / "public", folder / "internal"
    if outcome.audit.holds:
        (public / outcome.name).write_bytes(outcome.content)
        trace = [
            *(step.as_json(public=True) for step in outcome.hidden.trace),
            Trace.of(Shuffle()).as_json(public=True),
        ]
        (public / TRACE).write_text(json_text(trace) + "\n", encoding="utf-8")
    (internal / "result.json").write_text(json_text(outcome.as_json()) + "\n", encoding="utf-8")
    save(pl.DataFrame({"transaction": outcome.lineage + 1}), internal / "lineage.parquet")
    (internal / "seed.txt").write_text(written_seed(outcome.seed) + "\n", encoding="utf-8")
