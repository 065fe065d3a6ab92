"""A release beside editions that were released before about the same people: what all of them tell together."""

from __future__ import annotations

import filecmp
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..attack._candidates import why_unusable
from ..attack.composition import CompositionResult, compose
from ..errors import Note, TacitError, check_columns
from ..progress import Progress, sub_progress
from ..release.release import Release
from ..result import Result
from .levels import with_levels, with_original_kinds

ROLES = "name them: --knows zip,birth --confidential diagnosis; or give --plan PLAN"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class EarlierReleases:
    """What was released before, by the name of its file, and what the intruder knows and wants to learn.

    Without names these are the quasi-identifiers and the confidential columns of the original.
    """

    earlier: Mapping[str, Release]
    knows: Sequence[str] = ()
    learn: Sequence[str] = ()


def check_files(earlier: Sequence[Path], *, original: Path, masked: Path) -> None:
    """Refuse an edition that is a file which is there already: it would tell nothing new, or all."""
    seen = {masked: "the masked file itself", original: "the original itself"}
    for path in earlier:
        for other, what in seen.items():
            if path.is_file() and other.is_file() and filecmp.cmp(path, other, shallow=False):
                raise TacitError(
                    f"{path.name!r} is {what}",
                    code="invalid_plan",
                    fix="give an edition that was released before",
                    where="--earlier",
                )
        seen[path] = "an edition that was given already"


def measure_composition(
    masked: Release, original: Release, editions: EarlierReleases, *, progress: Progress | None = None
) -> tuple[tuple[Result, ...], tuple[Note, ...]]:
    """For each confidential column how many people each edition determines and how many all of them do; and warnings.

    The value is the share of the people of the original of whom one edition, or all together, leave one value:
    editions that contradict each other, as masked numbers do, take nothing back of what one of them says. The
    people know their true values, so that ``right`` and its ``baseline`` say how much of what is left is true.
    The cost is that of :func:`tacit.attack.compose`, once for each edition.
    """
    known = check_columns(editions.knows, original.columns) or original.quasi
    learn = check_columns(editions.learn, original.columns) or original.confidential
    learn = tuple(column for column in learn if column not in known)
    if not known or not learn:
        lacking = "what an intruder knows" if not known else "which column is confidential that it does not know"
        raise TacitError(f"it is not said {lacking}", code="missing_parameter", fix=ROLES, where="--earlier")
    tables, left = _comparable_releases(masked, original, editions, known, learn)
    found = []
    for place, column in enumerate(learn):
        share = sub_progress(progress, place / len(learn), (place + 1) / len(learn))
        one = _compose_column(tables, original, column, known, progress=share)
        found += [one] if one is not None else []
    if not found:
        raise _nothing_learnt_error(tables, original, learn, known, [column for _, column in left])
    warnings = [
        Note(f"{name}: column {column!r} {why}", code="column_not_comparable", column=column)
        for (name, column), why in left.items()
    ]
    return tuple(found), (*warnings, *_averaging_warnings(masked, found))


def _comparable_releases(
    masked: Release, original: Release, editions: EarlierReleases, known: Sequence[str], learn: Sequence[str]
) -> tuple[dict[str, Release], dict[tuple[str, str], str]]:
    """All editions, this one first, at their levels and without the columns that cannot be compared; and why not."""
    tables: dict[str, Release] = {}
    every: dict[tuple[str, str], str] = {}
    for name, table in {"this edition": masked, **editions.earlier}.items():
        common = [column for column in (*known, *learn) if column in table.columns]
        found, why_not = with_levels(with_original_kinds(table, original), original, common, strangers=True)
        # Other people may have values that nobody here has; a column of which all are strange has labels of its own.
        left = {c: why for c, why in why_not.items() if c in known or not _has_common_values(table, original, c)}
        tables[name] = found.select([column for column in common if column not in left])
        every |= {(name, column): why for column, why in left.items()}
    return tables, every


def _averaging_warnings(masked: Release, found: Sequence[Result]) -> list[Note]:
    """Numbers that do not agree: an intruder would take their mean, of which nothing is measured here."""
    said = "the editions contradict each other about {:,} people: numbers are compared exactly, and it is not measured \
how near their mean comes to the truth; noise drawn anew for each edition is averaged away"
    return [
        Note(
            f"column {one.column!r}: {said.format(one.facts['contradicted'])}",
            code="releases_contradict",
            column=one.column,
        )
        for one in found
        if one.facts["contradicted"] and masked.types[str(one.column)] in ("integer", "number")
    ]


def _has_common_values(table: Release, original: Release, column: str) -> bool:
    """Whether the two have a value of the column in common."""
    values, others = (side.series(column).cast(str).drop_nulls().unique() for side in (table, original))
    return bool(values.is_in(others.implode()).any())


def _compose_column(
    tables: Mapping[str, Release],
    original: Release,
    column: str,
    known: tuple[str, ...],
    *,
    progress: Progress | None,
) -> Result | None:
    """One column; None where this edition, or all the others, say nothing about it."""
    this, *others = tables
    people = original.select(known)
    if column not in tables[this].columns or why_unusable(tables[this], tables[this], people, column):
        return None
    usable = [name for name in others if why_unusable(tables[name], tables[this], people, column) is None]
    if not usable:
        return None
    alone: dict[str, CompositionResult] = {}
    for place, name in enumerate([this, *usable]):
        order = [name, *(other for other in (this, *usable) if other != name)]
        alone[name] = compose(
            [tables[one] for one in order],
            people=original,
            column=column,
            knows=known,
            progress=sub_progress(progress, place / (len(usable) + 1), (place + 1) / (len(usable) + 1)),
        )
    return _composition_result(column, alone)


def _composition_result(column: str, alone: Mapping[str, CompositionResult]) -> Result:
    first, together = next(iter(alone.values())), next(iter(alone.values())).frame().row(-1, named=True)
    before = np.logical_or.reduce([one.determined[:, 0] for one in alone.values()])
    singles = {name: one.frame().row(0, named=True) for name, one in alone.items()}
    facts: dict[str, object] = {"people": len(first.left), "editions": len(alone)}
    facts["determined by each alone"] = {name: int(one["determined"]) for name, one in singles.items()}
    facts["determined by all"] = int(together["determined"])
    facts["determined only together"] = int((first.determined[:, -1] & ~before).sum())
    facts["values left by each alone"] = {name: float(one["values left"]) for name, one in singles.items()}
    facts["values left by all"] = float(together["values left"])
    facts["contradicted"] = int(together["contradicted"])
    if first.right is not None:
        facts["right by each alone"] = {name: float(one["right"]) for name, one in singles.items()}
        facts["right by all"] = float(together["right"])
        facts["baseline"] = float(together["baseline"])
        facts["determined by all and right"] = int(together["determined and right"])
    share = float((first.determined[:, -1] | before).mean())
    return Result(name="composition", column=column, value=share, worse="high", about="attribute", facts=facts)


def _nothing_learnt_error(
    tables: Mapping[str, Release],
    original: Release,
    learn: Sequence[str],
    known: tuple[str, ...],
    left_out: Sequence[str],
) -> TacitError:
    """Why no column could be learnt from this edition and an earlier one; some were left out that cannot be compared."""
    this, *others = tables
    people = original.select(known)
    shown = next((column for column in learn if column in tables[this].columns), None)
    if shown is None:
        return TacitError(
            f"the masked file has none of {', '.join(learn)}, or not at a level that can be compared",
            code="no_usable_column",
            fix="name another with --confidential; if it was generalised, give its hierarchy (--plan or --hierarchy)",
            where="--earlier",
        )
    own = why_unusable(tables[this], tables[this], people, shown)
    reasons = {name: why_unusable(tables[name], tables[this], people, shown) for name in others}
    why = f"the masked file {own}" if own else "; ".join(f"{name!r} {reason}" for name, reason in reasons.items())
    fix = (
        f"an edition needs columns of {', '.join(known)}, and one of {', '.join(learn)}, at levels that can be compared"
    )
    if left_out:
        fix += f"; give the hierarchies of {', '.join(dict.fromkeys(left_out))} (--plan or --hierarchy)"
    return TacitError(why, code="already_masked", fix=fix, where="--earlier")
