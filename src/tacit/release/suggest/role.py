"""From what a column's name and values say to a role, with the reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor, log10
from typing import Any

from ...errors import Note
from ..kinds import FEW, Kind
from ..roles import QUASI, Role
from .column_evidence import FREE_TEXT, ColumnEvidence
from .nearly_unique import is_nearly_unique, looks_like_amounts, unique_beyond_chance
from .notion import Confidence, first_match
from .person_names import names_of_people
from .profile import Profile
from .shapes import CODE, COMMA, DECIMAL, GROUPED, INSIDE
from .wording import format_count, format_percent
from .words import EMPLOYER, HOUSEHOLD, NAME_OF_SOMETHING, NUMBER, NUMBER_OF_SOMETHING, REMARKS, WEIGHT, ZIP

MOSTLY, NEARLY_ALL = 0.5, 0.9

FEW_PER_NAME = 0.1

FEW_PER_NUMBER = 0.02

LARGEST_HOUSEHOLD = 20

LEAST_NUMBER = 10_000

FEWEST_NUMBERS = 2

LIGHTEST, HEAVIEST = 20.0, 500.0
"""Of people who are no infants, in kilograms or pounds."""

ENOUGH = 50
"""From so many values on, nearly all of them occurring once is no accident."""

STEPS = 20
"""A number is first cut into about so many intervals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A role for a column, how sure it is, and why; with the kind and hierarchy to start from.

    Reasons name shares and patterns, never a cell. ``as_written`` says that a CSV file is better read without taking the
    column's codes for numbers.
    """

    column: str
    role: Role
    confidence: Confidence
    reasons: tuple[str, ...]
    warning: Note | None = None
    kind: Kind | None = None
    hierarchy: Mapping[str, Any] | None = None
    as_written: bool = False

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        plain: dict[str, Any] = {
            name: getattr(self, name) for name in ("column", "role", "confidence", "kind", "as_written")
        }
        plain["warning"] = None if self.warning is None else self.warning.as_json()
        return plain | {"reasons": list(self.reasons), "hierarchy": dict(self.hierarchy) if self.hierarchy else None}


@dataclass(frozen=True, slots=True)
class Judgement:
    """A role with its confidence and reasons."""

    role: Role
    confidence: Confidence
    reasons: tuple[str, ...]


def suggest_role(reading: ColumnEvidence) -> Suggestion:
    """The role that a column seems to have: first by what it holds, then by its name, then by how it is spread."""
    profile = reading.profile
    judged = (
        _judge_constant(profile)
        or _by_shape(reading)
        or _by_person_names(reading)
        or _by_name(reading)
        or _by_spread(reading)
    )
    kind = None if judged.role == "identifier" else proposed_kind(reading)
    return Suggestion(
        column=profile.column,
        role=judged.role,
        confidence=judged.confidence,
        reasons=judged.reasons,
        warning=_warning_text(reading),
        kind=kind,
        hierarchy=proposed_hierarchy(profile, kind),
        as_written=code_read_as_number(reading),
    )


def _warning_text(reading: ColumnEvidence) -> Note | None:
    """What the user should know before using the column: free text, and values that were read as text by mistake."""
    profile = reading.profile
    if profile.type == "text" and profile.share("dates") == 1.0:
        return Note(
            "days read as text: say how they are written, e.g. dates = 'DD.MM.YYYY' (--dates on the command line)",
            code="days_read_as_text",
        )
    if profile.share(COMMA) == 1.0:
        return Note(
            "numbers with a decimal comma read as text: say decimal = ',' (--decimal on the command line)",
            code="decimal_commas_read_as_text",
        )
    if profile.type == "text" and profile.known and profile.share(GROUPED) == 1.0:
        return Note(
            "numbers with thousands separators read as text: say thousands = ',' (--thousands on the command line)",
            code="thousands_read_as_text",
        )
    if code_read_as_number(reading):
        return Note(
            f"codes read as numbers, 13.10 as 13.1: keep them as they are, as_written = [{profile.column!r}]",
            code="codes_read_as_numbers",
        )
    if profile.type == "text" and profile.share(DECIMAL) >= MOSTLY:
        return Note(
            "numbers read as text: say which texts mean missing, e.g. missing_values = ['NA'] under [data]",
            code="numbers_read_as_text",
        )
    return Note(FREE_TEXT, code="free_text") if reading.is_free_text else None


def _judge_constant(profile: Profile) -> Judgement | None:
    if profile.known == 0:
        return Judgement("unrestricted", "sure", ("has no value",))
    if profile.distinct == 1 and profile.records > 1 and profile.missing == 0:
        return Judgement("unrestricted", "sure", ("has the same value in every record",))
    return None


def _by_shape(reading: ColumnEvidence) -> Judgement | None:
    profile = reading.profile
    shape = max((name for name in INSIDE if name != "dates"), key=profile.share)
    share = profile.share(shape)
    if share < MOSTLY:
        return None
    agrees = reading.notion is not None and reading.notion.role == "identifier"
    confidence: Confidence = "sure" if agrees or share >= NEARLY_ALL else "likely"
    return Judgement(
        "identifier", confidence, (*reading.name_reasons, f"{format_percent(share)} of the values look like {shape}")
    )


def _by_person_names(reading: ColumnEvidence) -> Judgement | None:
    """Names of people in the values, whatever the column is called; free text is judged as such."""
    why = None if reading.is_free_text else names_of_people(reading.profile)
    if why is None:
        return None
    named = reading.notion is not None and reading.notion.safe_harbor == "A"
    return Judgement("identifier", "sure" if named else "likely", (*reading.name_reasons, why))


def _by_name(reading: ColumnEvidence) -> Judgement | None:
    notion, profile = reading.notion, reading.profile
    if notion is None or notion is REMARKS:
        return None
    if notion is WEIGHT:
        positive = profile.low is not None and profile.low > 0
        if positive and _like_bodies(profile):
            why = "may be a body weight as well as a sampling weight, by its values"
            return Judgement("other", "guess", (*reading.name_reasons, why))
        return _as_named(reading, "all values are positive") if positive else None
    if notion is HOUSEHOLD:
        return _as_household(reading)
    of_something = notion is NAME_OF_SOMETHING and not reading.just_name  # a column "name" is of people, however often
    if of_something and profile.known >= ENOUGH and profile.distinct_share < FEW_PER_NAME:
        return Judgement("quasi", "guess", (*reading.name_reasons, _repetition_reason(profile)))
    if notion is NUMBER and profile.distinct_share < FEW_PER_NUMBER:
        return Judgement("quasi", "guess", (*reading.name_reasons, _repetition_reason(profile)))
    if notion.role != "identifier" and profile.known >= ENOUGH and _numbers_records(reading):
        return Judgement(
            "identifier", "likely", (*reading.name_reasons, *_uniqueness_reasons(profile))
        )  # each has one of its own
    if (
        notion.role == "identifier"
        and _is_flag_like(profile)
        and notion not in (NAME_OF_SOMETHING, NUMBER_OF_SOMETHING)
    ):
        return Judgement(
            "other", "guess", (*reading.name_reasons, f"{_repetition_reason(profile)}: it says whether, not which")
        )
    if notion is NUMBER_OF_SOMETHING and profile.distinct_share < MOSTLY:
        return None
    return _as_named(reading)


def _like_bodies(profile: Profile) -> bool:
    """Whether positive numbers lie as the weights of people do, in kilograms or pounds; sampling weights may, too."""
    low, high, mean = profile.low or 0.0, profile.high or 0.0, profile.mean or 0.0
    return profile.known >= ENOUGH and low >= LIGHTEST and high <= HEAVIEST and 2 * LIGHTEST <= mean <= HEAVIEST / 2


def _as_named(reading: ColumnEvidence, *more: str) -> Judgement:
    notion, profile = reading.notion, reading.profile
    assert notion is not None
    confidence = notion.confidence
    if notion is NAME_OF_SOMETHING and reading.just_name:
        confidence = "likely"
    if notion.role == "identifier" and profile.once_share >= MOSTLY and confidence == "likely":
        confidence = "sure"
    spread = _spread_reasons(profile) if notion.role in ("identifier", *QUASI) else ()
    return Judgement(notion.role, "guess" if reading.by_label else confidence, (*reading.name_reasons, *more, *spread))


def _as_household(reading: ColumnEvidence) -> Judgement | None:
    profile = reading.profile
    members = profile.known / profile.distinct
    if profile.distinct_share == 1.0:
        return Judgement(
            "identifier", "guess", (*reading.name_reasons, "every value occurs once: it numbers the records")
        )
    if members > LARGEST_HOUSEHOLD:
        return Judgement(
            "quasi",
            "guess",
            (*reading.name_reasons, f"{_repetition_reason(profile)}: a sort of household, not its number"),
        )
    return _as_named(reading, f"{members:.1f} records share a value on average")


def _by_spread(reading: ColumnEvidence) -> Judgement:
    profile = reading.profile
    if profile.type in ("date", "datetime"):
        return Judgement("quasi", "guess", ("a date: others may know when it happened", *_spread_reasons(profile)))
    if profile.share("dates") >= MOSTLY:
        share = format_percent(profile.share("dates"))
        return Judgement(
            "quasi", "guess", (f"{share} of the values look like dates: others may know when it happened",)
        )
    if reading.is_free_text:
        why = (
            "telephone numbers or addresses stand in the texts"
            if reading.has_contacts
            else "long texts that occur once"
        )
        return Judgement("identifier", "guess", (why,))
    if profile.type == "text" and max(profile.share(COMMA), profile.share(GROUPED)) == 1.0:
        return Judgement("other", "guess", ("numbers that were read as text; its name says nothing known",))
    if profile.type == "text" and profile.share(DECIMAL) >= MOSTLY:
        return Judgement(
            "other", "guess", ("numbers and other signs that were read as text; its name says nothing known",)
        )
    often: Confidence = "likely" if profile.known >= ENOUGH else "guess"
    if profile.type == "text" and (profile.once_share >= NEARLY_ALL or is_nearly_unique(profile)):
        return Judgement("identifier", often, _uniqueness_reasons(profile))
    numbers = profile.type == "integer" and profile.once == profile.known and not looks_like_amounts(profile)
    if numbers and _is_numbering(profile):
        return Judgement("identifier", often, ("whole numbers as records are numbered", *_spread_reasons(profile)))
    if is_nearly_unique(profile) and not looks_like_amounts(profile):
        why = "an identifier until somebody says otherwise: whole numbers, nearly all different"
        return Judgement(
            "identifier", often if unique_beyond_chance(profile) else "guess", (why, *_uniqueness_reasons(profile))
        )
    return Judgement("other", "guess", ("its name says nothing known", *_spread_reasons(profile)))


def _numbers_records(reading: ColumnEvidence) -> bool:
    """Whether a column that is nearly unique numbers people or records although its name speaks of something else.

    Days, ages, postal codes and places on a map may be unique without numbering anything, and so may amounts.
    """
    notion = reading.notion
    assert notion is not None
    if not is_nearly_unique(reading.profile):
        return False
    if first_match((NUMBER, NUMBER_OF_SOMETHING), reading.profile.column, "integer") is not None:
        return True
    dated = notion.safe_harbor in ("B", "C")
    return notion.role == "quasi" and not dated and not looks_like_amounts(reading.profile)


def _is_flag_like(profile: Profile) -> bool:
    """Whether so few values stand in so many records that they number nobody."""
    return profile.known >= ENOUGH and profile.distinct <= FEWEST_NUMBERS


def _uniqueness_reasons(profile: Profile) -> tuple[str, ...]:
    if profile.once_share >= NEARLY_ALL:
        return _spread_reasons(profile)
    return (f"{format_percent(profile.distinct_share)} as many different values as values",)


def _is_numbering(profile: Profile) -> bool:
    """Whether whole numbers have few gaps, or are all as long as each other: amounts are not."""
    low, high = profile.low or 0.0, profile.high or 0.0
    as_long = low >= LEAST_NUMBER and len(str(int(low))) == len(str(int(high)))
    return as_long or high - low < 2 * profile.known


def _spread_reasons(profile: Profile) -> tuple[str, ...]:
    if profile.once_share >= MOSTLY:
        return (f"{format_percent(profile.once_share)} of the values occur once",)
    return (f"it tells {format_percent(profile.separation)} of the pairs of records apart",)


def _repetition_reason(profile: Profile) -> str:
    return f"{format_count(profile.distinct, 'value')} for {format_count(profile.known, 'record')}"


def proposed_kind(reading: ColumnEvidence) -> Kind | None:
    """The kind where the type does not tell: codes, postal codes, whole numbers with few values."""
    profile = reading.profile
    if reading.notion is ZIP:
        return "geographic"
    if code_read_as_number(reading):
        return "code"
    if profile.type == "integer" and 0 < profile.distinct <= FEW:
        return "nominal" if profile.distinct <= 2 else "ordinal"
    if profile.share("dates") == 1.0:
        return None
    return "code" if profile.type == "text" and profile.known and profile.share(CODE) == 1.0 else None


def code_read_as_number(reading: ColumnEvidence) -> bool:
    """Whether the name says occupation or industry and the values have decimals: 13.10 is a code of NACE, not 13.1."""
    return reading.notion is EMPLOYER and reading.profile.type == "number"


def proposed_hierarchy(profile: Profile, kind: Kind | None) -> Mapping[str, Any] | None:
    """Prefixes for codes of one length, intervals for numbers, units for dates."""
    if profile.type in ("date", "datetime"):
        return {"dates": ["month", "year", "decade"]}
    if profile.low is None or profile.high is None or profile.share("dates") == 1.0:
        return None  # the first characters of a day such as 24.12.1962 are what tells most
    if profile.type == "text":
        coded = kind in ("code", "geographic") and profile.low == profile.high >= 2 and profile.share(CODE) == 1.0
        return {"prefix": _prefix_lengths(int(profile.high))} if coded else None
    if kind == "geographic":
        return {"prefix": _prefix_lengths(len(str(int(profile.high))))}
    return None if kind in ("nominal", "code") else _suggest_intervals(profile.high - profile.low)


def _prefix_lengths(length: int) -> list[int]:
    """The whole code, its first half, its first sign.

    >>> _prefix_lengths(5), _prefix_lengths(2)
    ([5, 3, 1], [2, 1])
    """
    return sorted({length, (length + 1) // 2, 1}, reverse=True)


def _suggest_intervals(reach: float) -> Mapping[str, Any] | None:
    """Round widths, each twice the one before, the first about a twentieth of the reach.

    >>> _suggest_intervals(97), _suggest_intervals(8), _suggest_intervals(1)
    ({'intervals': [5, 10, 20]}, {'intervals': [2, 4, 8]}, None)
    """
    if not 2 <= reach < 1e15:
        return None
    rough = max(2.0, reach / STEPS)
    unit = 10 ** floor(log10(rough))
    width = next(int(step * unit) for step in (1, 2, 5, 10) if step * unit >= rough)
    return {"intervals": [width, 2 * width, 4 * width]}
