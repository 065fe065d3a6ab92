"""From what a column's name and values say to a role, with the reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..kinds import Kind
from ..roles import Role
from .notion import Confidence
from .profile import Profile
from .proposal import code_read_as_number, proposed_hierarchy, proposed_kind
from .reading import FREE_TEXT, Reading
from .shapes import COMMA, GROUPED, INSIDE
from .wording import counted, percent
from .words import EMPLOYER, HOUSEHOLD, NAME_OF_SOMETHING, NUMBER, NUMBER_OF_SOMETHING, REMARKS, WEIGHT

__all__ = ["Judgement", "Suggestion", "suggestion"]

MOSTLY, NEARLY_ALL = 0.5, 0.9
FEW_PER_NAME = 0.1
FEW_PER_NUMBER = 0.02
LARGEST_HOUSEHOLD = 20
LEAST_NUMBER = 10_000
ENOUGH = 50
"""From so many values on, nearly all of them occurring once is no accident."""


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
    warning: str | None = None
    kind: Kind | None = None
    hierarchy: Mapping[str, Any] | None = None
    as_written: bool = False

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        plain = {
            name: getattr(self, name) for name in ("column", "role", "confidence", "warning", "kind", "as_written")
        }
        return plain | {"reasons": list(self.reasons), "hierarchy": dict(self.hierarchy) if self.hierarchy else None}


@dataclass(frozen=True, slots=True)
class Judgement:
    """A role with its confidence and reasons."""

    role: Role
    confidence: Confidence
    reasons: tuple[str, ...]


def suggestion(reading: Reading) -> Suggestion:
    """The role that a column seems to have: first by what it holds, then by its name, then by how it is spread."""
    profile = reading.profile
    judged = _empty(profile) or _by_shape(reading) or _by_name(reading) or _by_spread(reading)
    kind = None if judged.role == "identifier" else proposed_kind(reading)
    return Suggestion(
        column=profile.column,
        role=judged.role,
        confidence=judged.confidence,
        reasons=judged.reasons,
        warning=_warning(reading),
        kind=kind,
        hierarchy=proposed_hierarchy(profile, kind),
        as_written=code_read_as_number(reading),
    )


def _warning(reading: Reading) -> str | None:
    """What the user should know before using the column: free text, and values that were read as text by mistake."""
    profile = reading.profile
    if profile.type == "text" and profile.share("dates") == 1.0:
        return "days read as text: say how they are written, e.g. dates = 'DD.MM.YYYY' (--dates on the command line)"
    if profile.share(COMMA) == 1.0:
        return "numbers with a decimal comma read as text: say decimal = ',' (--decimal on the command line)"
    if profile.type == "text" and profile.known and profile.share(GROUPED) == 1.0:
        return "numbers with thousands separators read as text: say thousands = ',' (--thousands on the command line)"
    if code_read_as_number(reading):
        return f"codes read as numbers, 13.10 as 13.1: keep them as they are, as_written = [{profile.column!r}]"
    return FREE_TEXT if reading.is_free_text else None


def _empty(profile: Profile) -> Judgement | None:
    if profile.known == 0:
        return Judgement("other", "sure", ("has no value",))
    if profile.distinct == 1 and profile.records > 1 and profile.missing == 0:
        return Judgement("other", "sure", ("has the same value in every record",))
    return None


def _by_shape(reading: Reading) -> Judgement | None:
    profile = reading.profile
    shape = max((name for name in INSIDE if name != "dates"), key=profile.share)
    share = profile.share(shape)
    if share < MOSTLY:
        return None
    agrees = reading.notion is not None and reading.notion.role == "identifier"
    confidence: Confidence = "sure" if agrees or share >= NEARLY_ALL else "likely"
    return Judgement("identifier", confidence, (*reading.said, f"{percent(share)} of the values look like {shape}"))


def _by_name(reading: Reading) -> Judgement | None:
    notion, profile = reading.notion, reading.profile
    if notion is None or notion is REMARKS:
        return None
    if notion is WEIGHT:
        positive = profile.low is not None and profile.low > 0
        return _as_named(reading, "all values are positive") if positive else None
    if notion is HOUSEHOLD:
        return _as_household(reading)
    of_something = notion is NAME_OF_SOMETHING and not reading.one_word  # a column "name" is of people, however often
    if of_something and profile.known >= ENOUGH and profile.distinct_share < FEW_PER_NAME:
        return Judgement("quasi", "guess", (*reading.said, _repeated(profile)))
    if notion is NUMBER and profile.distinct_share < FEW_PER_NUMBER:
        return Judgement("quasi", "guess", (*reading.said, _repeated(profile)))
    if notion is EMPLOYER and profile.type == "text" and profile.known >= ENOUGH and profile.once_share >= NEARLY_ALL:
        return Judgement("identifier", "likely", (*reading.said, *_spread(profile)))  # each has a name of its own
    if notion is NUMBER_OF_SOMETHING and profile.distinct_share < MOSTLY:
        return None
    return _as_named(reading)


def _as_named(reading: Reading, *more: str) -> Judgement:
    notion, profile = reading.notion, reading.profile
    assert notion is not None
    confidence = notion.confidence
    if notion is NAME_OF_SOMETHING and reading.one_word:
        confidence = "likely"
    if notion.role == "identifier" and profile.once_share >= MOSTLY and confidence == "likely":
        confidence = "sure"
    spread = _spread(profile) if notion.role in ("identifier", "quasi") else ()
    return Judgement(notion.role, "guess" if reading.by_label else confidence, (*reading.said, *more, *spread))


def _as_household(reading: Reading) -> Judgement | None:
    profile = reading.profile
    members = profile.known / profile.distinct
    if profile.distinct_share == 1.0:
        return Judgement("identifier", "guess", (*reading.said, "every value occurs once: it numbers the records"))
    if members > LARGEST_HOUSEHOLD:
        return Judgement(
            "quasi", "guess", (*reading.said, f"{_repeated(profile)}: a sort of household, not its number")
        )
    return _as_named(reading, f"{members:.1f} records share a value on average")


def _by_spread(reading: Reading) -> Judgement:
    profile = reading.profile
    if profile.type in ("date", "datetime"):
        return Judgement("quasi", "guess", ("a date: others may know when it happened", *_spread(profile)))
    if profile.share("dates") >= MOSTLY:
        share = percent(profile.share("dates"))
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
    often: Confidence = "likely" if profile.known >= ENOUGH else "guess"
    if profile.type == "text" and profile.once_share >= NEARLY_ALL:
        return Judgement("identifier", often, _spread(profile))
    if profile.type == "integer" and profile.once == profile.known and _numbered(profile):
        return Judgement("identifier", often, ("whole numbers as records are numbered", *_spread(profile)))
    return Judgement("other", "guess", ("its name says nothing known", *_spread(profile)))


def _numbered(profile: Profile) -> bool:
    """Whether whole numbers have few gaps, or are all as long as each other: amounts are not."""
    low, high = profile.low or 0.0, profile.high or 0.0
    as_long = low >= LEAST_NUMBER and len(str(int(low))) == len(str(int(high)))
    return as_long or high - low < 2 * profile.known


def _spread(profile: Profile) -> tuple[str, ...]:
    if profile.once_share >= MOSTLY:
        return (f"{percent(profile.once_share)} of the values occur once",)
    return (f"it tells {percent(profile.separation)} of the pairs of records apart",)


def _repeated(profile: Profile) -> str:
    return f"{counted(profile.distinct, 'value')} for {counted(profile.known, 'record')}"
