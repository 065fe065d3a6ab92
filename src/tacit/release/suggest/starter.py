"""A plan to start from: the suggestions as TOML, with their reasons as comments."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...toml_text import to_inline_toml, toml_key, toml_string
from ..roles import CONFIDENTIAL, QUASI
from .role import Suggestion

if TYPE_CHECKING:
    from .safe_harbor import HarborFinding, SafeHarbor


FIRST_LEVEL = {"prefix": 1, "intervals": 1, "dates": 3}
"""Where generalisation starts: half of a code, the narrowest interval, the decade."""

K = 5

OLDEST = 90
"""Ages of 90 and older are put together."""

AREA = 3
"""So many signs of a ZIP code may stay."""


def starter_plan(
    suggested: Sequence[Suggestion], path: str, reading: Mapping[str, str], *, harbor: SafeHarbor | None = None
) -> str:
    """The text of a plan (design: data, roles, kinds, hierarchies, require, protect, output); valid TOML.

    With ``harbor`` what it found is dropped, or coarsened as far as the Safe Harbor asks.
    """
    columns = apply_safe_harbor(suggested, harbor)
    sections = [
        _data_section(path, reading, columns),
        _roles_section(columns),
        _kinds_section(columns),
        _hierarchies_section(columns),
        _require_section(columns),
    ]
    sections += [_top_code(columns, harbor), _protect_section(columns), ["[output]", 'directory = "out"']]
    return "\n\n".join("\n".join(lines) for lines in sections if lines) + "\n"


def first_levels(hierarchies: Mapping[str, Any]) -> dict[str, int]:
    """Where generalisation of each column starts, by its hierarchy as a plan writes it.

    >>> first_levels({"zip": {"prefix": [3, 2]}, "birth": {"dates": "day"}, "town": "towns.csv"})
    {'zip': 1, 'birth': 3, 'town': 1}
    """
    words = {
        column: next(iter(given)) if isinstance(given, Mapping) else "file" for column, given in hierarchies.items()
    }
    return {column: FIRST_LEVEL.get(word, 1) for column, word in words.items()}


def _data_section(path: str, reading: Mapping[str, str], columns: Sequence[Suggestion]) -> list[str]:
    codes = [one.column for one in columns if one.as_written]
    return [
        "# Suggested from names and values: every line is yours to confirm or change.",
        "[data]",
        f"path = {toml_string(path)}",
        *(f"{name} = {toml_string(value)}" for name, value in reading.items()),
        *(
            [f"as_written = [{', '.join(map(toml_string, codes))}]  # codes, not numbers: 13.10 is not 13.1"]
            if codes
            else []
        ),
        'missing = "own"  # a missing key is a category of its own; "any": it may match every value',
    ]


def _roles_section(columns: Sequence[Suggestion]) -> list[str]:
    lines = ["[roles]"]
    for role in ("identifier", "quasi", "confidential", "unrestricted"):
        both = ("quasi_confidential",) if role in ("quasi", "confidential") else ()
        chosen = [one for one in columns if one.role in (role, *both)]
        lines += [f"{role} = [", *(f"    {toml_string(one.column)},  {_reason_comment(one)}" for one in chosen), "]"]
    for role in ("weight", "household"):
        lines += [f"{role} = {toml_string(one.column)}  {_reason_comment(one)}" for one in columns if one.role == role]
    return lines + _undecided_lines(columns)


def _undecided_lines(columns: Sequence[Suggestion]) -> list[str]:
    """The columns of which the suggestions do not say what they are: a person decides, line by line."""
    open_ones = [one for one in columns if one.role == "other"]
    said = [
        "# Undecided: move each of these lines into one of the lists above, into unrestricted when the column may be released",
        "# as it is. Until then no verdict on this plan is complete.",
    ]
    return (
        [
            *said,
            *(
                f"{_one_line_comment('    ' + toml_string(one.column) + ',')}  {_reason_comment(one)}"
                for one in open_ones
            ),
        ]
        if open_ones
        else []
    )


def _kinds_section(columns: Sequence[Suggestion]) -> list[str]:
    doubt = '  # few whole numbers: "ordinal", "nominal", or "continuous" if they are amounts'
    lines = [
        f"{toml_key(one.column)} = {toml_string(one.kind)}{doubt if one.kind in ('ordinal', 'nominal') else ''}"
        for one in _without_identifiers(columns)
        if one.kind is not None
    ]
    return ["[kinds]", *lines] if lines else []


def _hierarchies_section(columns: Sequence[Suggestion]) -> list[str]:
    lines = []
    for one in _quasi_identifiers(columns):
        if one.hierarchy is not None:
            lines.append(f"{toml_key(one.column)} = {to_inline_toml(one.hierarchy)}")
        else:
            lines.append(
                _one_line_comment(
                    f"{toml_key(one.column)} = {{ file = {toml_string(one.column + '.csv')} }} to generalise it"
                )
            )
    return ["[hierarchies]", *lines] if lines else []


def _require_section(columns: Sequence[Suggestion]) -> list[str]:
    lines = ["[require]", f"k_anonymity = {K}  # choose: every record is like {K - 1} others at least"]
    if any(one.role in CONFIDENTIAL for one in columns):
        lines.append("# l_diversity = 3  # choose: so many confidential values among those who are alike")
    return lines


def _top_code(columns: Sequence[Suggestion], harbor: SafeHarbor | None) -> list[str]:
    lines: list[str] = []
    for column, bound, value in top_coded(columns, harbor):
        step = [
            "[[protect]]",
            'method = "top_bottom_code"',
            f"column = {toml_string(column)}",
            f"{bound} = {json.dumps(value)}",
        ]
        lines += [*([""] if lines else []), *step]
    return [*lines[:-1], f"{lines[-1]}  # Safe Harbor: all of 90 and older together"] if lines else []


def _protect_section(columns: Sequence[Suggestion]) -> list[str]:
    levels = first_levels({one.column: one.hierarchy for one in _quasi_identifiers(columns) if one.hierarchy})
    generalise = ["[[protect]]", 'method = "generalise"', f"levels = {to_inline_toml(levels)}", ""] if levels else []
    return [*generalise, "[[protect]]", 'method = "suppress_cells"', f"k = {K}"]


def _without_identifiers(columns: Iterable[Suggestion]) -> Iterator[Suggestion]:
    return (one for one in columns if one.role != "identifier")


def _quasi_identifiers(columns: Iterable[Suggestion]) -> Iterator[Suggestion]:
    return (one for one in columns if one.role in QUASI)


def _reason_comment(one: Suggestion) -> str:
    warned = f"; WARNING: {one.warning}" if one.warning else ""
    return _one_line_comment(f"{one.confidence}: {'; '.join(one.reasons)}{warned}")


def _one_line_comment(text: str) -> str:
    """A comment in one line: a column's name may hold line ends and control signs, which TOML refuses there."""
    return "# " + "".join(letter if letter.isprintable() else " " for letter in text)


def apply_safe_harbor(columns: Sequence[Suggestion], harbor: SafeHarbor | None) -> list[Suggestion]:
    """The suggestions under which nothing that was found is released.

    Ages and births of the oldest stay, because they are top-coded, days that were read as such, because their hierarchy
    starts above years, and postal codes whose hierarchy has a level of three signs. Whatever else was found is dropped.
    """
    if harbor is None:
        return list(columns)
    found = {one.column: [finding for finding in harbor.findings if finding.column == one.column] for one in columns}
    return [_apply_safe_harbor(one, found[one.column]) if found[one.column] else one for one in columns]


def top_coded(columns: Sequence[Suggestion], harbor: SafeHarbor | None) -> list[tuple[str, str, int | str]]:
    """Column, bound and its value for ages over 89, and for births that tell them: as a step top_bottom_code takes it."""
    found: list[tuple[str, str, int | str]] = []
    if harbor is None:
        return found
    for one in columns:
        codes = {code for finding in harbor.findings if finding.column == one.column for code in finding.codes}
        if one.role != "quasi" or not codes & {"old_age", "old_birth"}:
            continue
        year = harbor.oldest_birth_year
        birth: int | str = f"{year}-01-01" if "dates" in (one.hierarchy or {}) else year
        found.append((one.column, "top", OLDEST) if "old_age" in codes else (one.column, "bottom", birth))
    return found


def _apply_safe_harbor(one: Suggestion, findings: Sequence[HarborFinding]) -> Suggestion:
    reasons = tuple(f"Safe Harbor {finding.identifier}" for finding in findings)
    if one.role == "quasi" and _is_resolved_by_plan(one, findings):
        return replace(one, reasons=(*one.reasons, *reasons))
    return replace(one, role="identifier", confidence="likely", reasons=(*one.reasons, *reasons), kind=None)


def _is_resolved_by_plan(one: Suggestion, findings: Sequence[HarborFinding]) -> bool:
    """Whether the steps of a starter plan take out all that was found, so that the column need not be dropped."""
    hierarchy, letters = one.hierarchy or {}, {finding.letter for finding in findings}
    codes = {code for finding in findings for code in finding.codes}
    if letters == {"C"}:
        return "dates" in hierarchy or ("intervals" in hierarchy and codes <= {"old_age", "old_birth"})
    return letters == {"B"} and codes == {"fine_zip"} and AREA in hierarchy.get("prefix", ())
