"""What a run on microdata found: the verdict first, and everything that a reader needs to check it."""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import TacitError
from ..json_text import json_text
from ..release.scratch import remove_private_folder
from .commit import LEARNT
from .job_outcome import JobFile, JobOutcome, text_file
from .privacy import PrivacyGuarantee
from .result_schema import JobKind

if TYPE_CHECKING:
    from ..attack.runner import AttackResult
    from ..release.masked import Masked
    from ..release.release import Release
    from ..release.trace import Trace
    from ..risk.disclosure_curve import DisclosureCurve
    from ..risk.joint_uniqueness import JointUniqueness
    from .engine import EngineUse
    from .synthesis import Synthesis


@dataclass(frozen=True, slots=True, kw_only=True, weakref_slot=True)
class Staged:
    """The masked file, or several synthetic ones, as they will be published, in a folder that the publisher moves; it goes with this object at last."""

    folder: Path
    files: tuple[Path, ...]

    def __post_init__(self) -> None:
        weakref.finalize(self, remove_private_folder, self.folder)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outcome(JobOutcome):
    """The whole of a release job, or of an audit (then there is no ``masked``, attack, loss or staged file).

    ``attacks`` are those on identities, ``learnt`` those on values, one for each confidential column, ``presence`` those that
    tell who is in the data or single somebody out; ``curve`` says how near the released confidential numbers are to the true
    ones. ``unprotected`` is how far the columns that no role protects single records out together. ``synthesis`` is what is
    special about a synthetic release, which may be of several files (``masked`` is the first). ``before`` and ``after`` hold
    the same risk measures on the original and on the re-read masked file. ``seed``, ``masked.lineage`` and everything per
    record are for the internal report only. ``engine`` says where the data were held, and what could not be done there.
    """

    original: Release
    masked: Masked | None
    attacks: tuple[AttackResult, ...] = ()
    learnt: tuple[AttackResult, ...] = ()
    presence: tuple[AttackResult, ...] = ()
    curve: DisclosureCurve | None = None
    unprotected: JointUniqueness | None = None
    synthesis: Synthesis | None = None
    staged: Staged | None = None
    missing_codes: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    engine: EngineUse | None = None

    @property
    def kind(self) -> JobKind:
        """Whether records were masked or generated."""
        return "microdata" if self.synthesis is None else "synthesis"

    @property
    def is_release(self) -> bool:
        """Whether there is a masked file; an audit has none."""
        return self.masked is not None

    @property
    def guarantee(self) -> PrivacyGuarantee | None:
        """The guarantee of differential privacy of all that is released, if there is one."""
        return PrivacyGuarantee.of(self.masked)

    @property
    def trace(self) -> tuple[Trace, ...]:
        """The steps of the masking."""
        return () if self.masked is None else self.masked.trace

    @property
    def attacks_on_release(self) -> tuple[AttackResult, ...]:
        """The attacks on identities, on values and on membership."""
        return (*self.attacks, *self.learnt, *self.presence)

    def check_publishable(self) -> None:
        """Raise an error when the staged files are gone."""
        if self.staged is not None and not all(file.is_file() for file in self.staged.files):
            raise TacitError(
                "the staged data file is gone",
                code="invalid_plan",
                fix="run the plan again: an outcome is published once",
            )
        if self.masked is not None and self.staged is None:
            raise TacitError(
                "the outcome has no staged data file", code="invalid_plan", fix="publish what tacit.plan.run returned"
            )

    def discard_staged(self) -> None:
        """Remove the staged folder."""
        if self.staged is not None:
            remove_private_folder(self.staged.folder)

    def public_files(self) -> Iterator[JobFile]:
        """The staged files, byte for byte as they were judged."""
        for file in () if self.staged is None else self.staged.files:
            yield JobFile(name=file.name, write=partial(_link_or_copy, file))

    def internal_files(self) -> Iterator[JobFile]:
        """The codes of missing values, which rows a generator has learnt from, and where each released row comes from."""
        if self.missing_codes:
            yield text_file("missing_codes.json", json_text(self.missing_codes) + "\n")
        if self.synthesis is not None and self.synthesis.rows is not None:
            yield JobFile(name=LEARNT, write=self._write_training_rows)
        if self.masked is not None and self.masked.lineage is not None:
            yield JobFile(name="lineage.parquet", write=self._write_lineage)

    def _write_training_rows(self, path: Path) -> None:
        import polars as pl

        assert self.synthesis is not None
        pl.DataFrame({"row": self.synthesis.rows}).write_parquet(path)

    def _write_lineage(self, path: Path) -> None:
        """For each row of the released file, or files, that of the original, counted from 0, −1 for an invented one."""
        import polars as pl

        assert self.masked is not None
        made = self.synthesis
        tables = [pl.DataFrame({"row": one.rows()}) for one in ([self.masked] if made is None else made.files)]
        if made is not None and made.rows is not None:
            place = pl.when(pl.col("row") >= 0).then(pl.col("row"))
            rows = pl.Series("row", made.rows)
            tables = [one.select(pl.lit(rows).gather(place).fill_null(-1)) for one in tables]
        if len(tables) > 1:
            tables = [one.with_columns(file=pl.lit(number)) for number, one in enumerate(tables, start=1)]
        pl.concat(tables).write_parquet(path)

    def attack_entries(self) -> Iterator[dict[str, Any]]:
        """Every attack on the release."""
        for attacked in self.attacks_on_release:
            yield {"on": "release", "intruder": "declared", **attacked.as_json()}

    def details(self) -> dict[str, Any]:
        """The sizes and roles, the columns that nobody protects, the engine, interval disclosure and the synthesis."""
        released = None if self.masked is None else self.masked.release.size
        return {
            "records": {"original": self.original.size, "released": released},
            "roles": dict(self.original.roles),
            "unprotected": None if self.unprotected is None else self.unprotected.as_json(),
            "engine": None if self.engine is None else self.engine.as_json(),
            "interval_disclosure": [] if self.curve is None else self.curve.as_json(),
            "synthesis": None if self.synthesis is None else self.synthesis.as_json(),
        }


def _link_or_copy(file: Path, target: Path) -> None:
    """The file at another place without copying it where the system can."""
    try:
        os.link(file, target)
    except OSError:
        shutil.copyfile(file, target)
