"""``tacit attack MASKED --original FILE``: link a masked file back to its original."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from ..errors import TacitError
from .options import Columns, Json, Key, Ladders, Lineage, PlanFile, SameOrder, listed, original_file

if TYPE_CHECKING:
    from ..plan.reattack import Reattack
    from ..result import Result

__all__ = ["add", "attack"]


def attack(
    masked: Annotated[Path, typer.Argument(help="The masked file, as it would be published.")],
    original: Annotated[
        Path,
        typer.Option(help="The intruder's file: the original (the worst case), or any file about the same people."),
    ],
    knows: Annotated[
        Columns, typer.Option(help="Columns that the intruder knows; default: the plan's quasi-identifiers, else all.")
    ] = None,
    told: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="What was published about the masking: the trace.json of a release job."),
    ] = None,
    method: Annotated[Columns, typer.Option(help="Make this attack only; repeatable. Default: all that apply.")] = None,
    family: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            help="For the attack learned: its family of distances, e.g. weighted (the default), ordered, bilinear, choquet; "
            "all: tacit methods learned."
        ),
    ] = None,
    exact: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(
            help="For the attack learned: prove which distance finds most, within so many CPU seconds "
            "(cross-validation comes on top)."
        ),
    ] = None,
    control: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="A file of people who are NOT in the release: what the attacks believe of them is error."),
    ] = None,
    match_columns: Annotated[
        bool, typer.Option("--match-columns", help="Find out by the values which columns belong together.")
    ] = False,
    key: Key = None,
    same_order: SameOrder = False,
    lineage: Lineage = None,
    plan: PlanFile = None,
    hierarchy: Ladders = None,
    at_most: Annotated[Optional[float], typer.Option(help="Exit with 1 when more may be re-identified.")] = None,  # noqa: UP045
    report: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Write a report to this HTML file: who is at risk, which columns matter (internal)."),
    ] = None,
    seed: Annotated[Optional[int], typer.Option(help="For attacks that draw lots.")] = None,  # noqa: UP045
    as_json: Json = False,
) -> None:
    """Attack a masked file with every attack that applies, and count who is found.

    How rows belong together is for the judge alone: --key COLUMN, --same-order or --lineage FILE. Without it the claims
    are counted, and nobody says how many are right.

    Example:  tacit attack out/public/patients.csv --original patients.csv --plan plan.toml
    --told out/public/trace.json --lineage out/internal/lineage.parquet
    """
    from ..plan.pairing import Pairing
    from ..plan.reattack import Intrusion, reattacked
    from ..plan.told import read_told
    from .job import bar

    if at_most is not None and not 0 < at_most <= 1:
        raise TacitError(f"--at-most {at_most:g} is not a share", fix="give a number in (0, 1], e.g. --at-most 0.05")
    paired = key is not None or same_order or lineage is not None
    if at_most is not None and not paired:
        raise TacitError(
            "--at-most cannot be judged: it is not said which rows belong together",
            fix="give one of --key COLUMN, --same-order, --lineage FILE",
        )
    parameters = _learned(family, exact, listed(method))
    if report is not None:
        from ..report import page_target

        page_target(report)
    known = original_file(original, plan, hierarchy)
    intrusion = Intrusion(
        knows=listed(knows),
        told=() if told is None else read_told(told),
        control=None if control is None else original_file(control, plan, hierarchy),
        attacks=listed(method),
        parameters=_parameters(plan, parameters),
        match=match_columns,
    )
    pairing = Pairing(key=key, same_order=same_order, lineage=lineage) if paired else None
    with bar() as progress:
        found = reattacked(masked, known, intrusion, pairing=pairing, seed=seed, progress=progress)
    _say(found, as_json=as_json)
    held = _held(found, at_most)
    if report is not None:
        from ..plan.attack_findings import attack_findings
        from ..report import write_page

        with bar() as progress:
            title = f"Attack on {masked.name}"
            findings = attack_findings(found, title=title, required=at_most, seed=seed, progress=progress)
        write_page(findings, report)
    raise typer.Exit(0 if held else 1)


def _parameters(plan: Path | None, learned: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What the sections [[attack]] of the plan set, and what was said of the distance to be learned."""
    from ..plan import load

    said = {} if plan is None else {name: dict(given) for name, given in load(plan).attacks.items()}
    return said | {"learned": said.get("learned", {}) | learned}


def _learned(family: str | None, exact: float | None, methods: Sequence[str]) -> dict[str, Any]:
    """What was said about the distance to be learned."""
    if exact is not None and not exact > 0:
        raise TacitError(f"--exact {exact:g} leaves no time for any answer", fix="give CPU seconds, e.g. --exact 60")
    said: dict[str, Any] = {} if family is None else {"family": family}
    if methods and "learned" not in methods and (said or exact is not None):
        option = "--family" if said else "--exact"
        raise TacitError(
            f"{option} is for the attack learned, and only {', '.join(methods)} is to be made",
            fix=f"add --method learned, or leave {option} out",
        )
    return said if exact is None else {**said, "effort": "exact", "seconds": exact}


def _say(found: Reattack, *, as_json: bool) -> None:
    for match in found.matches:
        typer.echo(f"matched: {match}", err=True)
    for warning in found.warnings:
        typer.echo(f"warning: {warning}", err=True)
    if as_json:
        plain = [
            {"name": a.name, "result": a.result.as_json() if a.result else None, "not run": a.why_not}
            for a in found.attacks
        ]
        print(json.dumps(plain, ensure_ascii=False, indent=2, default=str))
        return
    for attacked in found.attacks:
        print(f"attack: {attacked.name}")
        print(f"not run: {attacked.why_not}" if attacked.result is None else _lines(attacked.result))
        print()
    if found.truth is None:
        typer.echo(
            "note: nobody said which rows belong together, so these are the intruder's beliefs; "
            "--key COLUMN, --same-order or --lineage FILE lets them be judged",
            err=True,
        )


def _lines(result: Result) -> str:
    """The result line by line, each note on a line of its own: notes are sentences."""
    notes = result.facts.get("notes", ())
    listed = [str(note) for note in notes] if isinstance(notes, list | tuple) else [str(notes)]
    rows = [row for row in result.rows() if row[0] != "notes"] + [("note", note) for note in listed]
    width = max(len(left) for left, _ in rows)
    return "\n".join(f"{left:<{width}}  {right}" for left, right in rows)


def _held(found: Reattack, at_most: float | None) -> bool:
    from ..models import Threshold

    if at_most is None:
        return True
    results = [attacked.result for attacked in found.attacks if attacked.result is not None]
    if not results:
        why = "; ".join(f"{attacked.name}: {attacked.why_not}" for attacked in found.attacks)
        raise TacitError(
            f"--at-most cannot be judged: no attack was made ({why})",
            fix="leave out --method, or give what it needs, e.g. --told",
        )
    held = all(Threshold(at_most=at_most).holds(result) for result in results)
    if held and any("left out: it has values" in warning for warning in found.warnings):
        raise TacitError(
            "--at-most cannot be judged: columns could not be compared", fix="give --plan PLAN or --hierarchy"
        )
    return held


def add(app: typer.Typer) -> None:
    """Put the command into the list."""
    app.command()(attack)
