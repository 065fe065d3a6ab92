"""The job that hides patterns in transactions: hide, shuffle, write, read again, and mine anew by another miner.

out/public/     the transactions in random order, report.html, trace.json
out/internal/   report.html, result.json, lineage.parquet, seed.txt, attempt.json
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from ..errors import TacitError
from ..models.verdict import Verdict
from ..progress import Progress
from ..protect.rules.audit import MEASURES, Audit, audit
from ..protect.rules.build import Form
from ..protect.rules.files import read_baskets, read_with_form, write_baskets
from ..protect.rules.hide import HidingResult, hide
from ..protect.rules.patterns import format_pattern
from ..protect.rules.problem import HidingMethod
from ..protect.shuffle import Shuffle
from ..release.files import save, writable_name
from ..release.scratch import make_scratch_folder, remove_private_folder
from ..release.trace import Trace
from ..seed import child_seed, secret_seed
from .job_outcome import JobFile, JobOutcome
from .register import Fingerprint, attempts_before, fingerprint_of
from .result_schema import JobKind

if TYPE_CHECKING:
    import numpy as np

    from ..protect.rules.baskets import Baskets


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesPlan:
    """What to hide in which file of transactions; ``steps`` are all options as they were given, by which it is known again."""

    file: Path
    output_folder: Path
    sensitive: tuple[str, ...]
    minsup: float
    method: HidingMethod
    minconf: float | None = None
    psi: float | None = None
    margin: float = 0.0
    spread: float = 0.0
    require: Mapping[str, float] = field(default_factory=dict)
    form: Form | None = None
    columns: tuple[str, ...] = ()
    separator: str = ";"
    more_inputs: tuple[Path, ...] = ()
    steps: Mapping[str, Any] = field(default_factory=dict)

    @property
    def inputs(self) -> tuple[Path, ...]:
        """The transactions, and the file of patterns where there is one."""
        return self.file, *self.more_inputs

    def fingerprint(self) -> Fingerprint:
        """By what the register knows the job again."""
        required = {
            "sensitive": sorted(self.sensitive),
            "minsup": self.minsup,
            "minconf": self.minconf,
            "require": dict(self.require),
        }
        return fingerprint_of([self.file], steps=self.steps, requirements=required)

    def read(self) -> tuple[Baskets, Form | None]:
        """The transactions, and how their file is laid out."""
        held, form = read_with_form(
            self.file, form=self.form, columns=list(self.columns) or None, separator=self.separator
        )
        if form == "table":
            raise TacitError(
                "records are no transactions",
                code="wrong_type",
                fix="hide rules in records with the method hide_rules of a plan",
            )
        return held, form


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RulesOutcome(JobOutcome):
    """A file in which patterns were hidden, as bytes, and the verdict on what was read back from these bytes."""

    name: str
    content: bytes
    hidden: HidingResult
    audit: Audit
    lineage: np.ndarray

    @property
    def kind(self) -> JobKind:
        """Rules and item-sets."""
        return "rules"

    @property
    def trace(self) -> tuple[Trace, ...]:
        """How the patterns were hidden, and that the transactions were put in random order."""
        return (*self.hidden.trace, Trace.of(Shuffle()))

    @property
    def absent(self) -> tuple[str, ...]:
        """Sensitive patterns that could not be mined in the first place."""
        return tuple(format_pattern(one) for one in self.hidden.absent)

    def public_files(self) -> Iterator[JobFile]:
        """The transactions, byte for byte as they were judged."""
        yield JobFile(name=self.name, write=lambda path: path.write_bytes(self.content))

    def internal_files(self) -> Iterator[JobFile]:
        """Which transaction of the original each one is, counted from 1."""
        frame = pl.DataFrame({"transaction": self.lineage + 1})
        yield JobFile(name="lineage.parquet", write=lambda path: save(frame, path))

    def details(self) -> dict[str, Any]:
        """What was hidden; internal, it names the patterns."""
        supports = self.audit.supports
        return {
            "sensitive": [
                {"pattern": format_pattern(one), "before": before, "after": after} for one, before, after in supports
            ],
            "absent": list(self.absent),
            "evidence": dict(self.hidden.evidence),
        }


def hide_patterns(
    plan: RulesPlan,
    *,
    seed: int | bytes | None = None,
    out: Path | None = None,
    strict: bool = False,
    fingerprint: Fingerprint | None = None,
    progress: Progress | None = None,
) -> RulesOutcome:
    """Hide the sensitive patterns; :func:`tacit.plan.publish.run_and_publish` puts the result into place.

    The transactions are shuffled at last. The verdict is on the file as it was written and read again.
    """
    started = time.monotonic()
    known = fingerprint or plan.fingerprint()
    attempts = attempts_before(out or plan.output_folder, known)
    key = secret_seed() if seed is None else seed
    held, form = plan.read()
    hidden = hide(
        held,
        list(plan.sensitive),
        minsup=plan.minsup,
        minconf=plan.minconf,
        method=plan.method,
        psi=plan.psi,
        margin=plan.margin,
        spread=plan.spread,
        seed=child_seed(key, "hide"),
        progress=progress,
    )
    mixed, order = hidden.baskets.shuffled(child_seed(key, "order"))
    name = plan.file.name if form is None else writable_name(plan.file.name)
    content, reread = _stage_file(mixed, name, form=form, separator=plan.separator)
    original = held.shuffled(child_seed(key, "order"))[0]
    checked = audit(
        reread, original, list(plan.sensitive), minsup=plan.minsup, minconf=plan.minconf, require=plan.require
    )
    return RulesOutcome(
        title=f"Transactions of {plan.file.name}",
        name=name,
        content=content,
        hidden=hidden,
        audit=checked,
        lineage=order,
        verdicts=tuple(_judge(checked)),
        after=tuple(one for one in checked.results if one.about != "utility"),
        losses=tuple(one for one in checked.results if one.about == "utility"),
        notes=(checked.warning,) if checked.warning else (),
        gaps=attempts.gaps,
        strict=strict,
        seed=key,
        repeatable=seed is not None,
        seconds=time.monotonic() - started,
        fingerprint=known,
        attempts=attempts,
    )


def _judge(checked: Audit) -> Iterator[Verdict]:
    """A verdict for each bound on what the other miner found."""
    found = dict(zip(MEASURES, (float(one.value) for one in checked.results), strict=False))
    for name, most in checked.required.items():
        value = found.get(name, 0.0)
        yield Verdict(
            holds=name not in checked.failing, model=name, required=float(most), found=value, margin=most - value
        )


def _stage_file(baskets: Baskets, name: str, *, form: Form | None, separator: str) -> tuple[bytes, Baskets]:
    """The file as it will be published, and what a reader of it has."""
    folder = make_scratch_folder()
    try:
        file = folder / name
        write_baskets(baskets, file, form=form or "long", separator=separator)
        return file.read_bytes(), read_baskets(file, form=form, separator=separator)
    finally:
        remove_private_folder(folder)
