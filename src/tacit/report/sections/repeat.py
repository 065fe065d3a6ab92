"""How to check these numbers: for the public on the released file, for internal eyes from the plan and the seed."""

from __future__ import annotations

import json
import shlex
from importlib.metadata import version

from ...plan.attack_run import ABOUT
from ...plan.job_outcome import JobOutcome
from ...plan.outcome import Outcome
from ...plan.require import PRIVACY
from ...protect.nonreproducible import nonreproducible_methods
from ...result import format_fact
from ..audience import Audience
from ..blocks import Block, Code, Section, Text

AGAIN = 'tacit release plan.toml --seed "$(cat FOLDER/internal/seed.txt)" --out again'


def repeat_section(outcome: Outcome, audience: Audience) -> Section:
    """The command that gives the numbers again."""
    blocks: list[Block] = []
    if outcome.masked is not None and audience == "internal":
        anew = nonreproducible_methods(step.method for step in outcome.masked.trace)
        same = "The same plan on the same file with the seed kept in internal/ gives the same release again."
        blocks.append(Text(f"{same[:-1]}, except that {anew[0]}." if anew else same))
        blocks.append(Code(AGAIN))
    else:
        blocks.append(Text("The risk measures can be taken again on the file itself."))
        blocks.append(Code(_audit_command(outcome)))
    if outcome.plan_text and audience == "internal":
        blocks.append(Code(outcome.plan_text, title="The plan"))
    took = f" in {format_fact(round(outcome.seconds, 1))} seconds" if outcome.seconds and audience == "internal" else ""
    blocks.append(Text(f"Made with tacit {version('tacit')}{took}."))
    return Section(id="repeat", title="How to repeat this", blocks=tuple(blocks))


def plan_section(outcome: JobOutcome) -> Section | None:
    """The plan as it stands."""
    if not outcome.plan_text:
        return None
    return Section(id="plan", title="To repeat it", blocks=(Code(outcome.plan_text, title="The plan"),))


def _audit_command(outcome: Outcome) -> str:
    release = outcome.original if outcome.masked is None else outcome.masked.release
    file = outcome.staged.files[0].name if outcome.staged else "FILE"
    words = ["tacit", "audit", file]
    for option, columns in (("--quasi", release.quasi), ("--confidential", release.confidential)):
        words += [option, ",".join(columns)] if columns else []
    for option, column in (("--weight", release.weight), ("--household", release.household)):
        words += [option, column] if column else []
    words += ["--population", "POPULATION"] if release.population is not None else []
    if release.missing is not None:
        words += ["--missing", release.missing]
    asked = {
        name: value for name, value in (outcome.plan.get("require") or {}).items() if name not in (*ABOUT, PRIVACY)
    }
    for name, value in asked.items():
        words += ["--require", f"{name}={json.dumps(value)}"]
    for column, kind in release.declared_kinds.items():
        words += ["--kind", f"{column}={kind}"]
    return shlex.join(words)
