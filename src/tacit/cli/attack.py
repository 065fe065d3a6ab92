"""``tacit attack MASKED --original FILE``: who is found in a masked file, and what is learnt about people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import TacitError, check_columns
from .options import (
    Columns,
    Hierarchies,
    Json,
    Key,
    Lineage,
    PlanFile,
    SameOrder,
    make_pairing,
    original_file,
    other_file,
    split_names,
)
from .terminal import check_page, print_json, print_warning, progress_bar

if TYPE_CHECKING:
    from ..plan.attack_file import FileAttack
    from ..release.release import Release
    from ..result import Result


NEEDS = {
    "bridge": "--second COLUMNS",
    "composition": "--also FILE",
    "household": "--household COLUMN (or --plan), and a masked file that has it",
    "membership": "--control FILE",
    "minimality": "--told FILE",
    "transparency": "--told FILE",
}
"""Attack → the option without which it cannot be made."""

Masked = Annotated[Path, typer.Argument(help="The masked file, as it would be published.")]
Original = Annotated[
    Path, typer.Option(help="The intruder's file: the original (the worst case), or any file about the same people.")
]
Knows = Annotated[
    Columns, typer.Option(help="Columns that the intruder knows; default: the plan's quasi-identifiers, else all.")
]
Told = Annotated[
    Path | None, typer.Option(help="What was published about the masking: the trace.json of a release job.")
]
Methods = Annotated[
    Columns,
    typer.Option(
        help="Make this attack only; repeatable. Default: all that find people, and with --confidential all that learn values."
    ),
]
Wanted = Annotated[
    Columns,
    typer.Option(
        help="Columns that the intruder wants to know of people; default for attacks on values: the plan's confidential ones."
    ),
]
Percent = Annotated[
    float,
    typer.Option(help="A claimed number is right when it is off by at most so many % of the standard deviation."),
]
Estimator = Annotated[
    str | None, typer.Option(help="For the attack inference: boosting (the default), linear, neighbours or tree.")
]
Also = Annotated[
    list[Path] | None,
    typer.Option(
        help="Another release about the same people, for the attack composition (of membership: people like them); repeatable."
    ),
]
Second = Annotated[
    Columns,
    typer.Option(
        help="Columns of a second list of the intruder, for the attack bridge, which joins it with --knows through the release."
    ),
]
Family = Annotated[
    str | None,
    typer.Option(
        help="For the attack learned: its family of distances, e.g. weighted (the default), ordered, bilinear, choquet; "
        "all: tacit methods learned."
    ),
]
ExactSeconds = Annotated[
    float | None,
    typer.Option(
        help="For the attack learned: prove which distance finds most, within so many CPU seconds "
        "(cross-validation comes on top)."
    ),
]
HouseholdIds = Annotated[
    str | None, typer.Option(help="Column of household ids, for the attack household; default: the plan's.")
]
Members = Annotated[
    float | None,
    typer.Option(
        help="For the attack household: the intruder knows so many members (1, 2, …) or this share of them (below 1); default: all."
    ),
]
Through = Annotated[
    Columns,
    typer.Option(
        help="For the attack household: columns that group the records in the place of the household number, e.g. a rent."
    ),
]
Control = Annotated[
    Path | None,
    typer.Option(help="A file of people who are NOT in the release: what the attacks believe of them is error."),
]
MatchColumns = Annotated[
    bool, typer.Option("--match-columns", help="Find out by the values which columns belong together.")
]
AtMost = Annotated[
    float | None,
    typer.Option(
        help="Exit with 1 when more may be re-identified, or learnt about people above what the rest of them teach; "
        "of membership it bounds the area under the ROC curve."
    ),
]
Lots = Annotated[int | None, typer.Option(help="For attacks that draw lots.")]
InternalReport = Annotated[
    Path | None,
    typer.Option(help="Write a report to this HTML file: who is at risk, which columns matter (internal)."),
]


def attack(
    masked: Masked,
    original: Original,
    knows: Knows = None,
    told: Told = None,
    method: Methods = None,
    confidential: Wanted = None,
    percent: Percent = 10.0,
    estimator: Estimator = None,
    also: Also = None,
    second: Second = None,
    family: Family = None,
    exact: ExactSeconds = None,
    household: HouseholdIds = None,
    members: Members = None,
    through: Through = None,
    control: Control = None,
    match_columns: MatchColumns = False,
    key: Key = None,
    same_order: SameOrder = False,
    lineage: Lineage = None,
    plan: PlanFile = None,
    hierarchy: Hierarchies = None,
    at_most: AtMost = None,
    report: InternalReport = None,
    seed: Lots = None,
    as_json: Json = False,
) -> None:
    """Attack a masked file with every attack that applies, and count who is found and what is learnt.

    How rows belong together is for the judge alone: --key COLUMN, --same-order or --lineage FILE. Without it the claims
    are counted, and nobody says how many are right.

    Example:  tacit attack out/public/patients.csv --original patients.csv --plan plan.toml
    --told out/public/trace.json --lineage out/internal/lineage.parquet

    What is learnt:  tacit attack masked.csv --original patients.csv --same-order --knows zip,birth --confidential diagnosis
    """
    from ..plan.attack_file import AttackConfig, attack_file
    from ..plan.trace_file import read_trace

    methods, pairing = split_names(method), make_pairing(key, same_order, lineage)
    _check_threshold(at_most, methods, paired=pairing is not None)
    parameters = _parameters_from_options(
        methods, family=family, exact=exact, estimator=estimator, members=members, through=split_names(through)
    )
    _check_option_used("--also", bool(also), ("composition", "membership"), methods)
    _check_option_used("--second", bool(second), ("bridge",), methods)
    check_page(report)
    known = _with_household(original_file(original, plan, hierarchy), household)
    config = AttackConfig(
        knows=split_names(knows),
        told=() if told is None else read_trace(told),
        control=None if control is None else other_file(control, "--control", plan=plan, hierarchies=hierarchy),
        attacks=methods,
        parameters=_merge_parameters(plan, parameters),
        match=match_columns,
        learn=split_names(confidential),
        also=[other_file(table, "--also", plan=plan) for table in also or ()],
        percent=percent,
        second=split_names(second),
    )
    with progress_bar() as progress:
        found = attack_file(masked, known, config, pairing=pairing, seed=seed, progress=progress)
    _check_any_attack_run(found, methods)
    _print_results(found, as_json=as_json)
    held = _is_requirement_met(found, at_most)
    if report is not None:
        _write_report(found, report, title=f"Attack on {masked.name}", required=at_most, seed=seed)
    raise typer.Exit(0 if held else 1)


def _check_threshold(at_most: float | None, methods: Sequence[str], *, paired: bool) -> None:
    """Refuse a bound that cannot be judged, or can never hold."""
    if at_most is None:
        return
    if not 0 < at_most <= 1:
        raise TacitError(
            f"--at-most {at_most:g} is not a share",
            code="out_of_range",
            fix="give a number in (0, 1], e.g. --at-most 0.05",
        )
    if not paired:
        raise TacitError(
            "--at-most cannot be judged: it is not said which rows belong together",
            code="conflicting_parameters",
            fix="give one of --key COLUMN, --same-order, --lineage FILE",
        )
    if at_most <= 0.5 and "membership" in methods:
        raise TacitError(
            f"--at-most {at_most:g} can never hold for membership: it bounds an area under the ROC curve, and guessing has 0.5",
            code="cannot_be_met",
            fix="give a number above 0.5, e.g. --at-most 0.6",
        )


def _with_household(known: Release, household: str | None) -> Release:
    """The intruder's file with this column of household ids, and no other."""
    if household is None:
        return known
    check_columns(household, known.columns)
    others = {column: "other" for column, role in known.roles.items() if role == "household"}
    return known.with_metadata(roles={**known.roles, **others, household: "household"})


def _write_report(found: FileAttack, report: Path, *, title: str, required: float | None, seed: int | None) -> None:
    from ..plan.attack_findings import attack_findings
    from ..report import write_page

    with progress_bar() as progress:
        findings = attack_findings(found, title=title, required=required, seed=seed, progress=progress)
    write_page(findings, report)


def _merge_parameters(plan: Path | None, given: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """What the sections [[attack]] of the plan set, and over it what was said on the command line."""
    from ..plan import load

    said = {} if plan is None else {name: dict(found) for name, found in load(plan).attacks.items()}
    return said | {name: said.get(name, {}) | found for name, found in given.items()}


def _parameters_from_options(
    methods: Sequence[str],
    *,
    family: str | None,
    exact: float | None,
    estimator: str | None,
    members: float | None,
    through: Sequence[str],
) -> dict[str, dict[str, Any]]:
    """Parameters of attacks that have an option of their own; one for an attack that is not to be made is a mistake."""
    if exact is not None and not exact > 0:
        raise TacitError(
            f"--exact {exact:g} leaves no time for any answer",
            code="out_of_range",
            fix="give CPU seconds, e.g. --exact 60",
        )
    number = int(members) if members is not None and float(members).is_integer() else members
    options: tuple[tuple[str, str, dict[str, Any] | None], ...] = (
        ("--family", "learned", None if family is None else {"family": family}),
        ("--exact", "learned", None if exact is None else {"effort": "exact", "seconds": exact}),
        ("--estimator", "inference", None if estimator is None else {"estimator": estimator}),
        ("--members", "household", None if number is None else {"members": number}),
        ("--through", "household", {"through": tuple(through)} if through else None),
    )
    found: dict[str, dict[str, Any]] = {}
    for option, attack, set_to in options:
        _check_option_used(option, set_to is not None, (attack,), methods)
        if set_to is not None:
            found[attack] = found.get(attack, {}) | set_to
    return found


def _check_option_used(option: str, given: bool, attacks: Sequence[str], methods: Sequence[str]) -> None:
    """Refuses an option of attacks none of which is to be made."""
    if given and methods and not set(attacks) & set(methods):
        raise TacitError(
            f"{option} is for the attack {' or '.join(attacks)}, and only {', '.join(methods)} is to be made",
            code="conflicting_parameters",
            fix=f"add --method {attacks[0]}, or leave {option} out",
        )


def _print_results(found: FileAttack, *, as_json: bool) -> None:
    for match in found.matches:
        typer.echo(f"matched: {match}", err=True)
    for warning in found.warnings:
        print_warning(warning, as_json=as_json)
    if as_json:
        plain = [*(one.as_json() for one in found.all_attacks), *(one.as_json() for one in found.taught)]
        print_json(plain)
        return
    for attacked in found.all_attacks:
        print(f"attack: {attacked.name}")
        print(f"not run: {attacked.why_not}" if attacked.result is None else _format_result(attacked.result))
        print()
    for lesson in found.taught:
        print(f"what teaches {lesson.column}")
        parts = [str(part) for part in (lesson.sets, lesson.agreement) if part is not None]
        print("\n".join([*parts, *(f"not found out: {note}" for note in lesson.notes)]), end="\n\n")
    if found.truth is None:
        typer.echo(
            "note: nobody said which rows belong together, so these are the intruder's beliefs; "
            "--key COLUMN, --same-order or --lineage FILE lets them be judged",
            err=True,
        )


def _format_result(result: Result) -> str:
    """The result line by line, each note on a line of its own: notes are sentences."""
    notes = result.facts.get("notes", ())
    listed = [str(note) for note in notes] if isinstance(notes, list | tuple) else [str(notes)]
    rows = [row for row in result.rows() if row[0] != "notes"] + [("note", note) for note in listed]
    width = max(len(left) for left, _ in rows)
    return "\n".join(f"{left:<{width}}  {right}" for left, right in rows)


def _check_any_attack_run(found: FileAttack, methods: Sequence[str]) -> None:
    """Refuses that none of the attacks asked for could be made: silence would pass for a result."""
    if methods and not found.taught and not any(one.result for one in found.all_attacks):
        why = [f"{one.name}: {one.why_not}" for one in found.all_attacks] or found.warnings
        gives = [f"{one} needs {NEEDS[one]}" for one in methods if one in NEEDS]
        fix = "; ".join([*gives, "mend that, or leave out --method to make the attacks that apply"])
        raise TacitError(f"no attack was made ({'; '.join(dict.fromkeys(why))})", code="not_applicable", fix=fix)


def _is_requirement_met(found: FileAttack, at_most: float | None) -> bool:
    from ..models import Threshold

    if at_most is None:
        return True
    results = [result for attacked in found.all_attacks if (result := attacked.gain or attacked.result) is not None]
    if not results:
        why = "; ".join(f"{attacked.name}: {attacked.why_not}" for attacked in found.all_attacks)
        raise TacitError(
            f"--at-most cannot be judged: no attack was made ({why})",
            code="not_applicable",
            fix="leave out --method, or give what it needs, e.g. --told",
        )
    held = all(Threshold(at_most=at_most).holds(result) for result in results)
    if held and found.incomparable:
        listed = ", ".join(found.incomparable)
        raise TacitError(
            f"--at-most cannot be judged: columns could not be compared ({listed})",
            code="not_comparable",
            fields={"columns": list(found.incomparable)},
            fix="give --plan PLAN or --hierarchy",
        )
    return held
