"""Attack a masked file that is already on disk, with a file of the intruder at hand."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from ..attack.attack import Attack
from ..attack.runner import AttackResult, People
from ..attack.schema import match_schema
from ..claims import Scenario, Truth
from ..errors import Note, TacitError, check_columns, suggest_alternative
from ..progress import Progress
from ..release.read import read
from ..release.release import Release
from ..release.trace import Trace
from .attack_run import AttackSelection, check_attack_names, check_second_list, has_attack_about, run_all_attacks
from .attribute_report import AttributeReport, report_attributes
from .levels import at_their_levels, with_levels, with_original_kinds
from .pairing import Pairing, pair_rows

NOT_COMPARABLE = "column_not_comparable"
"""The code of the warning about a column whose values the original does not have."""
UNRELATED = "was left out: its numbers have nothing to do with those of the original any more"
ENOUGH, HARDLY = 50, 0.05
"""From so many pairs on, a rank correlation below this means that a column was renumbered or shuffled."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class AttackConfig:
    """What the intruder of a masked file has beside its own file.

    ``knows`` names columns (none: the quasi-identifiers, else all), ``told`` is the published trace, ``control`` a file
    of people who are not in the release, ``attacks`` the names of those to be made (none: all that apply), ``parameters``
    what to set in an attack, by its name. ``learn`` are the columns that it wants to know of people (none: the confidential
    ones), ``also`` other releases about them, ``percent`` how near a number has to be, see :class:`tacit.attack.People`;
    ``second`` the columns of a second list that it would like to join with what it knows (:class:`tacit.attack.Bridge`).
    With ``match`` the columns of the intruder's file have names and units of their own, and are matched by their values first.
    """

    knows: Sequence[str] = ()
    told: tuple[Trace, ...] = ()
    control: Release | None = None
    attacks: Sequence[str] = ()
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    match: bool = False
    learn: Sequence[str] = ()
    also: Sequence[Release] = ()
    percent: float = 10.0
    second: Sequence[str] = ()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FileAttack:
    """The attacks on a masked file, what they started from, and what could not be used; without truth nobody judged.

    ``attacks`` are on identities, ``learnt`` on values, ``presence`` on who is there; ``made`` has those on identities with
    their parameters. ``taught`` says of each column to be learnt which columns tell it, when models were asked.
    ``matches`` say which columns of the intruder's file were taken for which, when they were matched by their values.
    While a column is ``incomparable``, the attacks are weaker than a real one, and no bound on them can be judged.
    """

    release: Release
    scenario: Scenario
    truth: Truth | None
    attacks: tuple[AttackResult, ...]
    made: Mapping[str, Attack]
    learnt: tuple[AttackResult, ...] = ()
    presence: tuple[AttackResult, ...] = ()
    taught: tuple[AttributeReport, ...] = ()
    warnings: tuple[Note, ...] = ()
    matches: tuple[str, ...] = ()

    @property
    def incomparable(self) -> tuple[str, ...]:
        """The columns that no attack used because their values could not be read."""
        left_out = (note.fields["column"] for note in self.warnings if note.code == NOT_COMPARABLE)
        return tuple(str(column) for column in dict.fromkeys(left_out))

    @property
    def all_attacks(self) -> tuple[AttackResult, ...]:
        """All attacks."""
        return (*self.attacks, *self.learnt, *self.presence)


def attack_file(
    masked: Path,
    original: Release,
    intrusion: AttackConfig | None = None,
    *,
    pairing: Pairing | None,
    seed: int | bytes | None = None,
    progress: Progress | None = None,
) -> FileAttack:
    """Every attack that applies on a masked file; the pairing says who is who, to the judge alone.

    Without a pairing there are claims, but nobody can say how many are right. Columns that were generalised are compared
    at their level, found from the hierarchies of ``original``. The intruder takes everybody in its file to be in the
    release when the release is no smaller, and the other way round.
    """
    setting = _read_setting(masked, original, intrusion or AttackConfig(), pairing)
    intrusion, scenario, truth = setting.intrusion, setting.scenario, setting.truth
    attacks = AttackSelection.of(
        intrusion.parameters,
        columns=setting.learn,
        only=intrusion.attacks,
        required=["attribute_inference"] if intrusion.learn or intrusion.also else [],
        second=setting.second,
    )
    people = People(truth=truth, file=setting.original, control=intrusion.control, percent=intrusion.percent)
    made = run_all_attacks(setting.release, scenario, people, attacks, seed=seed, progress=progress)
    lessons: tuple[AttributeReport, ...] = ()
    if truth is not None and (setting.absent or "inference" in attacks.about["attribute"]):
        lessons = report_attributes(
            setting.release,
            setting.original,
            (*attacks.columns, *setting.absent),
            lineage=truth.released,
            knows=scenario.knows,
            percent=intrusion.percent,
            seed=seed,
            progress=progress,
        )
    return FileAttack(
        release=setting.release,
        scenario=scenario,
        truth=truth,
        attacks=made.attacks,
        made=attacks.about["identity"],
        learnt=made.learnt,
        presence=made.presence,
        taught=lessons,
        warnings=setting.warnings,
        matches=setting.matches,
    )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _FileSetting:
    """The two files as the attacks compare them.

    ``learn`` and ``second`` are the columns to be learnt and those of the second list that can be compared, ``absent`` those to be
    learnt that the release does not have.
    """

    release: Release
    original: Release
    scenario: Scenario
    truth: Truth | None
    intrusion: AttackConfig
    learn: tuple[str, ...]
    absent: tuple[str, ...]
    second: tuple[str, ...]
    warnings: tuple[Note, ...]
    matches: tuple[str, ...]


def _read_setting(masked: Path, original: Release, intrusion: AttackConfig, pairing: Pairing | None) -> _FileSetting:
    """Read the masked file, and find the columns and levels at which both files can be compared."""
    released = read(masked, missing=original.missing)
    key = None if pairing is None else pairing.key
    truth = None if pairing is None else Truth.by_lineage(pair_rows(released, original, pairing), original.size)
    matches: tuple[str, ...] = ()
    if intrusion.match:
        original, matches = _match_file(released, original, intrusion.knows, key)
        intrusion = replace(intrusion, knows=())
    common = _common_columns(released, original, intrusion, key)
    said = _unknown_trace_columns(intrusion.told, {*original.columns, *released.columns})
    absent = tuple(c for c in intrusion.learn if c in original.columns and c not in released.columns)
    intrusion = replace(intrusion, learn=tuple(c for c in intrusion.learn if c not in absent))
    learn = () if absent and not intrusion.learn else _to_learn(intrusion, original, common)
    open_to_all = [column for column in common if column not in (*learn, *intrusion.second, original.household)]
    chosen = check_columns(
        intrusion.knows or [column for column in original.quasi if column in common] or open_to_all, common
    )
    kept = with_original_kinds(released.select([column for column in released.columns if column != key]), original)
    second = check_second_list(check_columns(intrusion.second, common), chosen)
    release, warnings = with_levels(kept, original, list(dict.fromkeys((*chosen, *learn, *second))))
    if original.household in release.columns:
        release = release.with_metadata(roles={**release.roles, str(original.household): "household"})
    useful = tuple(
        column for column in chosen if column not in warnings and _is_related(release, original, column, truth)
    )
    lost = [column for column in chosen if column not in useful and column not in warnings]
    said += tuple(_left_out(NOT_COMPARABLE, column, why) for column, why in warnings.items())
    said += tuple(_left_out("column_unrelated", column, UNRELATED) for column in lost)
    if not useful:
        raise TacitError(
            "no column can be compared",
            code="no_usable_column",
            fix=f"give --plan PLAN or --hierarchy; {'; '.join(said)}",
        )
    _check_control(intrusion.control, useful)
    also, unlike = _comparable_releases(intrusion, original, (*chosen, *learn))
    said += tuple(
        _left_out(NOT_COMPARABLE, column, why, where=f"--also, file {place}: ")
        for (place, column), why in unlike.items()
    )
    return _FileSetting(
        release=release,
        original=original,
        scenario=replace(_make_scenario(original, release, useful, intrusion.told), also=also),
        truth=truth,
        intrusion=intrusion,
        learn=tuple(column for column in learn if column not in warnings),
        absent=absent,
        second=tuple(column for column in second if column not in warnings),
        warnings=said,
        matches=matches,
    )


def _common_columns(released: Release, original: Release, intrusion: AttackConfig, key: str | None) -> list[str]:
    """The columns that both files have; what the intruder names must be among them."""
    common = [column for column in original.columns if column in released.columns and column != key]
    if not common:
        raise TacitError(
            "the masked file and the intruder's have no column in common",
            code="no_usable_column",
            fix="name the columns alike; --match-columns finds out by their values which belong together",
        )
    check_attack_names(intrusion.attacks)
    _check_known_columns(intrusion.knows, common, {*original.columns, *released.columns})
    _check_known_columns(intrusion.second, common, {*original.columns, *released.columns})
    return common


def _left_out(code: str, column: str, why: str, *, where: str = "") -> Note:
    return Note(f"{where}column {column!r} {why}", code=code, column=column)


def _to_learn(intrusion: AttackConfig, original: Release, common: Sequence[str]) -> tuple[str, ...]:
    """The columns that the intruder wants to know: those named, else the confidential ones that the release has."""
    _check_known_columns(intrusion.learn, common, original.columns)
    both = next((column for column in intrusion.learn if column in intrusion.knows), None)
    if both is not None:
        raise TacitError(
            "is to be learnt, and the intruder knows it already",
            code="already_masked",
            column=both,
            fix="leave it out of --knows, or name another with --confidential",
        )
    named = intrusion.learn or [column for column in original.confidential if column in common]
    found = tuple(column for column in named if column not in intrusion.knows)
    if not found and (
        has_attack_about("attribute", intrusion.attacks or intrusion.parameters)
        or (intrusion.also and not intrusion.attacks)
    ):
        raise TacitError(
            "it is not said which column is to be learnt",
            code="missing_parameter",
            fix="name one with --confidential COLUMN, or give --plan",
        )
    return found


def _check_control(control: Release | None, knows: tuple[str, ...]) -> None:
    """Refuses a control group that cannot be attacked as the people are."""
    if control is None:
        return
    lacks = next((column for column in knows if column not in control.columns), None)
    if lacks is not None:
        fix = f"give the control what the intruder knows: {', '.join(knows)}; or leave it out of --knows"
        raise TacitError("is not in the file", code="unknown_column", column=lacks, fix=fix, where="--control")
    if not control.size:
        raise TacitError(
            "the file has no rows",
            code="too_few_records",
            fix="give people who are not in the release",
            where="--control",
        )


def _comparable_releases(
    intrusion: AttackConfig, original: Release, told: Sequence[str]
) -> tuple[tuple[Release, ...], dict[tuple[int, str], str]]:
    """The other releases without the columns that cannot be compared, and why not, by number of file and column of ``told``."""
    tables: list[Release] = []
    left_out: dict[tuple[int, str], str] = {}
    for place, table in enumerate(intrusion.also, start=1):
        found, why_not = at_their_levels(table, original)
        tables.append(found)
        left_out |= {(place, column): why for column, why in why_not.items() if column in told}
    return tuple(tables), left_out


def _match_file(
    released: Release, file: Release, knows: Sequence[str], key: str | None
) -> tuple[Release, tuple[str, ...]]:
    """The intruder's file under the names and units of the release, and what was taken for what."""
    mine = [column for column in check_columns(knows, file.columns) or file.columns if column != key]
    match = match_schema(released.select([column for column in released.columns if column != key]), file, columns=mine)
    return match.convert_file(file), tuple(f"{pair}: {how}" for pair, how in match.rows())


def _check_known_columns(knows: Sequence[str], common: Sequence[str], columns: Collection[str]) -> None:
    wrong = next((column for column in knows if column not in common), None)
    if wrong is not None:
        fix = f"both files have {', '.join(common)}" if wrong in columns else suggest_alternative(wrong, common)
        raise TacitError(
            "is not in both files, so that it cannot be compared", code="unknown_column", column=wrong, fix=fix
        )


def _unknown_trace_columns(told: tuple[Trace, ...], columns: Collection[str]) -> tuple[Note, ...]:
    """Columns that a step of the trace names and neither file has: what was told of them is used for none."""
    given = ((step.method, step.parameters.get("columns")) for step in told)
    listed = ((method, [one] if isinstance(one, str) else one) for method, one in given)
    return tuple(
        Note(
            f"the trace says that {method} changed column {column!r}, which neither file has",
            code="trace_column_unknown",
            column=column,
        )
        for method, named in listed
        if isinstance(named, list | tuple)
        for column in named
        if isinstance(column, str) and column not in columns
    )


def _make_scenario(file: Release, released: Release, knows: tuple[str, ...], told: tuple[Trace, ...]) -> Scenario:
    return Scenario(
        file=file,
        knows=knows,
        told=told,
        inside=file.size <= released.size,
        covers=file.size >= released.size,
    )


def _is_related(released: Release, original: Release, column: str, truth: Truth | None) -> bool:
    """Whether a number still has to do with the original's; who was told the method leaves out those that have not."""
    numbers = ("integer", "number")
    if truth is None or released.types[column] not in numbers or original.types[column] not in numbers:
        return True
    rows = np.flatnonzero(truth.released >= 0)
    pairs = pl.DataFrame(
        {"a": released.series(column)[rows], "b": original.series(column)[truth.released[rows]]}
    ).drop_nulls()
    if pairs.height < ENOUGH or pairs["a"].n_unique() < 2 or pairs["b"].n_unique() < 2:
        return True
    correlation = pairs.select(pl.corr("a", "b", method="spearman")).item()
    return bool(abs(correlation) >= HARDLY)
