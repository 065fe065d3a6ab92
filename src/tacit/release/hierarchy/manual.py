"""Hierarchies made by hand: labels are put into named groups, taken out again, and groups into larger ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ...errors import TacitError
from .base import TOP
from .table import TableHierarchy

Row = tuple[str, ...]


def complete_hierarchy(given: TableHierarchy, values: Collection[str], name: str = "") -> TableHierarchy:
    """A hierarchy with rows for the values that it lacks: in a group of that name, or each for itself.

    >>> complete_hierarchy(TableHierarchy((("Umeå", "the north", "*"),)), ["Lund", "Umeå"], "the south").rows
    (('Umeå', 'the north', '*'), ('Lund', 'the south', '*'))
    """
    known = {row[0] for row in given.rows}
    lacking = [value for value in dict.fromkeys(values) if value not in known]
    whole = TableHierarchy((*given.rows, *((*(value,) * given.height, TOP) for value in lacking)))
    return put_into(whole, 1, lacking, name) if name and lacking and given.height > 1 else whole


def put_into(given: TableHierarchy, level: int, members: Collection[str], name: str) -> TableHierarchy:
    """Put labels of the level below into a group of a level, a new one or one that is there.

    All other labels stay as they are. At the top level a new one is begun, in which every label that is not put into a
    group stands for itself. Above, the members follow their group: one that is there keeps its place; a new one stays
    where all its members were, or stands for itself. O(rows · height).

    >>> towns = TableHierarchy((("Lund", "*"), ("Umeå", "*"), ("Kiruna", "*")))
    >>> north = put_into(towns, 1, {"Umeå", "Kiruna"}, "the north")
    >>> north.rows
    (('Lund', 'Lund', '*'), ('Umeå', 'the north', '*'), ('Kiruna', 'the north', '*'))
    """
    rows = _check_members(given, level, members)
    name = _free_name(rows, level, name)
    there = next((row for row in rows if row[level] == name), None)
    above = there[level:] if there is not None else _group_labels(rows, level, members, name)
    return TableHierarchy(tuple((*row[:level], *above) if row[level - 1] in members else row for row in rows))


def taken_out(given: TableHierarchy, level: int, members: Collection[str]) -> TableHierarchy:
    """Take labels of the level below out of their groups of a level: there they stand for themselves again.

    >>> towns = TableHierarchy((("Lund", "*"), ("Umeå", "*"), ("Kiruna", "*")))
    >>> taken_out(put_into(towns, 1, {"Umeå", "Kiruna"}, "the north"), 1, {"Umeå"}).rows[1]
    ('Umeå', 'Umeå', '*')
    """
    rows = _check_members(given, level, members)
    return TableHierarchy(
        tuple(_relabel_row(row, level, row[level - 1]) if row[level - 1] in members else row for row in rows)
    )


def rename_hierarchy_group(given: TableHierarchy, level: int, before: str, after: str) -> TableHierarchy:
    """Give a group another name, also above where it stands for itself."""
    _check_members(given, level, ())
    if before not in {row[level] for row in given.rows}:
        raise TacitError(
            f"there is no group {before!r} at level {level}", code="wrong_type", fix="choose one that is there"
        )
    if after.strip() == before:
        return given
    name = _free_name(given.rows, level, after)
    if name in {row[level] for row in given.rows}:
        raise TacitError(
            f"there is a group {name!r} already",
            code="already_masked",
            fix="choose another name, or put the values into it",
        )
    return TableHierarchy(tuple(_relabel_row(row, level, name) if row[level] == before else row for row in given.rows))


def without_level(given: TableHierarchy, level: int) -> TableHierarchy:
    """Leave a level out; those above it stay."""
    if not 1 <= level < given.height:
        raise TacitError(
            f"there is no level {level} to leave out",
            code="unknown_name",
            fix=f"levels go from 1 to {given.height - 1}",
        )
    return TableHierarchy(tuple((*row[:level], *row[level + 1 :]) for row in given.rows))


def small_spec(given: TableHierarchy) -> Mapping[str, Any] | None:
    """The description for a plan, as groups where there is one level of them; None when nothing is grouped at all."""
    rows = given.rows
    if all(label == row[0] for row in rows for label in row[1:-1]):
        return None
    names = list(dict.fromkeys(row[1] for row in rows))
    if given.height != 2 or len(names) < 2:  # of one group alone a plan would take the name for that of the top
        return given.spec()
    return {"groups": {name: [row[0] for row in rows if row[1] == name] for name in names}}


def _check_members(given: TableHierarchy, level: int, members: Collection[str]) -> tuple[Row, ...]:
    """The rows, with one more level under the top when it is that one that is meant."""
    if not 1 <= level <= given.height:
        raise TacitError(f"there is no level {level}", code="unknown_name", fix=f"levels go from 1 to {given.height}")
    rows = given.rows if level < given.height else tuple((*row[:-1], row[-2], TOP) for row in given.rows)
    unknown = set(members) - {row[level - 1] for row in rows}
    if unknown:
        raise TacitError(
            f"{len(unknown)} of the values are not there any more",
            code="wrong_type",
            fix="look at the list again and choose anew",
        )
    return rows


def _free_name(rows: Sequence[Row], level: int, name: str) -> str:
    """A name that no other level has: the same text for different values could not be read in a release."""
    plain = name.strip()
    if not plain or plain == TOP:
        raise TacitError(
            "the group has no name" if not plain else f"the name {TOP!r} is that of the top",
            code="missing_parameter",
            fix="type one that says what its values have in common, e.g. 'the north'",
        )
    others = {label for row in rows for place, label in enumerate(row) if place != level}
    if plain in others and (plain not in {row[level] for row in rows} or plain in {row[level - 1] for row in rows}):
        raise TacitError(
            f"the name {plain!r} is that of a value or of a group of another level",
            code="invalid_data",
            fix="choose another name",
        )
    return plain


def _group_labels(rows: Sequence[Row], level: int, members: Collection[str], name: str) -> Row:
    """The labels of a new group, from its own level up: those above that all its members have, else its name."""
    above = {_relabel_row(row, level, name)[level:] for row in rows if row[level - 1] in members}
    if len(above) == 1:
        return above.pop()
    found, height = [name], len(rows[0]) - 1
    for place in range(1, height - level):
        at = {labels[place] for labels in above}
        found.append(at.pop() if len(at) == 1 else found[-1])
    return (*found, TOP)


def _relabel_row(row: Row, level: int, name: str) -> Row:
    """A row with another label at a level, and above as long as the old one stood for itself there."""
    changed, before = list(row), row[level]
    for place in range(level, len(row) - 1):
        if row[place] != before:
            break
        changed[place] = name
    return tuple(changed)
