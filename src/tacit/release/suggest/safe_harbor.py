"""HIPAA's Safe Harbor, checked as far as names and value patterns go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, TypeAlias

import narwhals as nw

from ...progress import report_progress
from ...result import DisplayMixin
from ..engines.table import Type
from .column_evidence import FREE_TEXT, ColumnEvidence, notion_of, read_column
from .notion import Notion
from .person_names import names_of_people
from .profile import VALUE
from .role import Suggestion, suggest_role
from .shapes import INSIDE, as_text
from .wording import format_count, format_percent
from .words import AGE, BIRTH, DATE_PART, EVENT, ZIP

if TYPE_CHECKING:
    from ...progress import Progress
    from ..release import Release


@dataclass(frozen=True, slots=True)
class HarborIdentifier:
    """One of the eighteen: its letter in the rule, what it is, and what takes it out of a file."""

    letter: str
    title: str
    remedy: str = "drop the column"


IDENTIFIERS: Mapping[str, HarborIdentifier] = {
    one.letter: one
    for one in (
        HarborIdentifier("A", "names"),
        HarborIdentifier(
            "B",
            "places smaller than a state",
            "drop the column, or keep the first three digits of ZIP codes, and 000 for areas of 20,000 people or fewer",
        ),
        HarborIdentifier(
            "C", "dates finer than a year, and ages over 89", "keep the year only, and put all of 90 and older together"
        ),
        HarborIdentifier("D", "telephone numbers"),
        HarborIdentifier("E", "fax numbers"),
        HarborIdentifier("F", "e-mail addresses"),
        HarborIdentifier("G", "social security numbers"),
        HarborIdentifier("H", "medical record numbers"),
        HarborIdentifier("I", "health plan beneficiary numbers"),
        HarborIdentifier("J", "account numbers"),
        HarborIdentifier("K", "certificate and licence numbers"),
        HarborIdentifier("L", "vehicle identifiers and licence plates"),
        HarborIdentifier("M", "device identifiers and serial numbers"),
        HarborIdentifier("N", "web addresses"),
        HarborIdentifier("O", "IP addresses"),
        HarborIdentifier("P", "biometric identifiers"),
        HarborIdentifier("Q", "full-face photographs"),
        HarborIdentifier(
            "R",
            "other unique numbers, characteristics and codes",
            "drop the column, or put random codes in its place that are not made from it (164.514(c))",
        ),
    )
}

BY_SHAPE = {
    "e-mail addresses": "F",
    "web addresses": "N",
    "social security numbers": "G",
    "IP addresses": "O",
    "device addresses": "M",
    "telephone numbers": "D",
    "bank account numbers": "J",
    "national identity numbers": "G",
    "dates": "C",
}

OLD = 90

SPARSE = "036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893".split()
"""The ZIP areas of 20,000 people or fewer in the 2000 Census, as the guidance of the Department of Health (2012) lists them."""

DIGITS_OF_DATES = "^(1[89]|20)[0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])?$"

UNMASKED = "[0-9A-WYZa-wyz]"

MASK = r"[ *xX.-]*$"
"""What stands in for the signs of a code that were taken away."""


def last_old_year(today: date) -> int:
    """Who was born in this year turns 90; it may stand for all who were born before."""
    return today.year - OLD


def value_tests(type: Type, notion: Notion | None, *, today: date) -> dict[str, nw.Expr]:
    """What to count in a column of this type that is named so; the names are those that findings ask for."""
    value, tests = nw.col(VALUE), dict[str, nw.Expr]()
    if type in ("date", "datetime"):
        tests["inside dates"] = (value.dt.month() != 1) | (value.dt.day() != 1)
        tests["old"] = value.dt.year() < last_old_year(today)
        return tests
    shapes = _notion_patterns(notion, today)
    if type == "text":
        shapes |= {f"inside {name}": shape for name, shape in INSIDE.items()}
        shapes |= {"masked": r"^\*+$", "five digits": "^[0-9]{5}(-[0-9]{4})?$"}
    if type in ("text", "integer"):
        tests |= {name: as_text(type).str.contains(shape) for name, shape in shapes.items()}
    if type in ("integer", "number") and notion is AGE:
        tests["old"] = (value > OLD - 1) & (value != OLD)
    return tests


def _notion_patterns(notion: Notion | None, today: date) -> dict[str, str]:
    if notion is ZIP:
        sparse = "|".join(area if area[0] != "0" else f"0?{area[1:]}" for area in SPARSE)
        return {"coarse": f"^{UNMASKED}{{0,3}}{MASK}", "sparse": f"^({sparse}){MASK}"}
    if notion is AGE:
        return {"old": r"^\[?(9[1-9]|1[0-9]{2})\b"}
    if notion is BIRTH:
        return {"old": _years_before(last_old_year(today)), "digits of dates": DIGITS_OF_DATES}
    return {"digits of dates": DIGITS_OF_DATES} if notion is EVENT else {}


def _years_before(end: int) -> str:
    """Years before ``end``, decades and intervals that lie before it, as text begins with them.

    >>> import re
    >>> [bool(re.search(_years_before(1934), text)) for text in ("1933-**-**", "1934", "192*", "193*", "[1930, 1934)")]
    [True, False, True, False, True]
    """
    years = range(1800, end)
    decades = {str(year // 10) for year in years if year // 10 * 10 + 9 < end}
    until = "|".join(str(year + 1) for year in years)
    return rf"^({'|'.join(map(str, years))})([^0-9]|$)|^({'|'.join(sorted(decades))})\*|^\[[0-9]{{4}}, ({until})\)"


NEARLY_ALL = 0.9

LIMITS = (
    "names and value patterns only are looked at: a clean check is necessary, not sufficient; "
    "45 CFR 164.514(b)(2)(ii) also asks that you know of no way in which what is left could identify a person"
)

CENSUS = "the 17 ZIP areas that must become 000 are those of the 2000 Census: compare them with the current one"


@dataclass(frozen=True, slots=True, kw_only=True)
class HarborFinding:
    """An identifier of the rule in a column, why it seems to be one, and what takes it out.

    ``letter`` is that of the rule, empty for free text; ``codes`` say by what it was found.
    """

    identifier: str
    column: str
    why: str
    remedy: str
    letter: str = ""
    codes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SafeHarbor(DisplayMixin):
    """What stands against the Safe Harbor in a release; ``holds`` when nothing was found, which proves nothing."""

    findings: tuple[HarborFinding, ...]
    columns: int
    notes: tuple[str, ...]
    oldest_birth_year: int

    @property
    def holds(self) -> bool:
        """Whether no identifier was found."""
        return not self.findings

    def __bool__(self) -> bool:
        return self.holds

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees, line by line."""
        found = format_count(len(self.findings), "finding") if self.findings else "nothing found"
        yield "Safe Harbor", f"{found} in {format_count(self.columns, 'column')}"
        for one in self.findings:
            yield one.column, f"{one.identifier}: {one.why}; {one.remedy}"
        yield from (("note", note) for note in self.notes)

    def __repr__(self) -> str:
        return f"<SafeHarbor {format_count(len(self.findings), 'finding')} in {format_count(self.columns, 'column')}>"

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        findings = [{name: getattr(one, name) for name in HarborFinding.__slots__} for one in self.findings]
        return {"holds": self.holds, "findings": findings, "columns": self.columns, "notes": list(self.notes)}


def safe_harbor(release: Release, *, today: date | None = None, progress: Progress | None = None) -> SafeHarbor:
    """Look for the eighteen identifiers of HIPAA's Safe Harbor by the names of columns and the shapes of values.

    Finds what is named or looks like names, places below a state, ZIP codes finer than three digits or of a sparsely
    populated area, dates finer than a year, ages over 89 and births that tell them (counted on ``today``), telephone,
    fax, social security, record, plan, account, licence, vehicle and device numbers, e-mail, web and IP addresses,
    biometrics, photographs, names of people in the values, whatever else :func:`suggest` takes for an identifier, and free text, in which anything may stand. A clean check is
    necessary, not sufficient.

    One group-by per column on any engine; all rows are looked at. Source: 45 CFR 164.514(b)(2); US Department
    of Health and Human Services (2012), Guidance regarding methods for de-identification of protected health
    information.

    >>> import polars as pl
    >>> from tacit import Release
    >>> found = safe_harbor(Release(pl.DataFrame({"zip": ["02139", "021**"], "year": [1990, 1991]})))
    >>> [(one.column, one.identifier, one.why) for one in found.findings]
    [('zip', '(B) places smaller than a state', '50.0 % of the postal codes have more than three signs')]
    """
    day = today or date.today()
    found: list[HarborFinding] = []
    zips = False
    for place, column in enumerate(release.columns):
        report_progress(progress, "looking for identifiers", place / len(release.columns))
        notion, _ = notion_of(release, column)
        reading = read_column(release, column, value_tests(release.types[column], notion, today=day))
        zips |= notion is ZIP
        found += _find_identifiers(reading, suggest_role(reading), day)
    notes = (LIMITS, f"ages are counted on {day.isoformat()}", *((CENSUS,) if zips else ()))
    return SafeHarbor(
        findings=tuple(found), columns=len(release.columns), notes=notes, oldest_birth_year=last_old_year(day)
    )


def _find_identifiers(reading: ColumnEvidence, suggested: Suggestion, today: date) -> Iterator[HarborFinding]:
    column, profile = reading.profile.column, reading.profile
    if profile.known == 0 or profile.share("masked") == 1.0:
        return
    why: dict[str, list[tuple[str, str]]] = {}
    for letter, code, reason in (*_by_name(reading, suggested), *_by_shape(reading), *_by_value(reading, today)):
        why.setdefault(letter, []).append((code, reason))
    if reading.is_free_text:
        yield HarborFinding(
            identifier="any of the eighteen",
            column=column,
            why="free text",
            remedy=FREE_TEXT.partition(": ")[2],
            codes=("free_text",),
        )
    elif not why and suggested.role == "identifier":
        why["A" if names_of_people(profile) else "R"] = [("values", reason) for reason in suggested.reasons]
    for letter, reasons in sorted(why.items()):
        one = IDENTIFIERS[letter]
        yield HarborFinding(
            identifier=f"({letter}) {one.title}",
            column=column,
            why="; ".join(reason for _, reason in reasons),
            remedy=one.remedy,
            letter=letter,
            codes=tuple(dict.fromkeys(code for code, _ in reasons)),
        )


Reason: TypeAlias = tuple[str, str, str]
"""Letter of the rule, code, and the sentence."""


def _by_name(reading: ColumnEvidence, suggested: Suggestion) -> Iterator[Reason]:
    notion = reading.notion
    if notion is None or notion.safe_harbor is None or notion in (ZIP, BIRTH, AGE):
        return
    if suggested.role == "identifier" or notion.safe_harbor == "B" or notion is DATE_PART:
        yield notion.safe_harbor, "name", reading.name_reasons[0]


def _by_shape(reading: ColumnEvidence) -> Iterator[Reason]:
    profile = reading.profile
    for shape, letter in BY_SHAPE.items():
        records = profile.tested.get(f"inside {shape}", 0)
        if records and profile.type == "text":
            yield letter, "shape", f"{format_count(records, 'record')} with what looks like {shape}"
        elif records:
            yield letter, "shape", f"{format_count(records, 'record')} with a month or day"
    if reading.notion is None and profile.share("five digits") >= NEARLY_ALL:
        yield "B", "shape", f"{format_percent(profile.share('five digits'))} of the values look like ZIP codes"


def _by_value(reading: ColumnEvidence, today: date) -> Iterator[Reason]:
    profile, notion = reading.profile, reading.notion
    if notion is ZIP:
        fine, sparse = profile.known - profile.tested.get("coarse", 0), profile.tested.get("sparse", 0)
        if fine:
            yield (
                "B",
                "fine_zip",
                f"{format_percent(fine / profile.known)} of the postal codes have more than three signs",
            )
        if sparse:
            yield "B", "sparse_zip", f"{format_count(sparse, 'record')} in a ZIP area of 20,000 people or fewer"
    if profile.tested.get("digits of dates"):
        yield "C", "shape", f"{format_count(profile.tested['digits of dates'], 'record')} with a month or day"
    old = profile.tested.get("old", 0)
    if old and notion is AGE:
        said = f"{format_count(old, 'record')} with an age over 89 other than 90, which may stand for all of them"
        yield "C", "old_age", said
    if old and notion is BIRTH:
        said = f"{format_count(old, 'record')} born before {last_old_year(today)}, which tells an age over 89"
        yield "C", "old_birth", said
