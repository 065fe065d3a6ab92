"""What a verdict covers and what it does not: the state of a job, its gaps, and the intruders that were considered.

Requirements that hold say nothing about an intruder whom no requirement is about. A job is therefore in one of three states:

``met``
    every requirement holds, and together they cover identity disclosure, every confidential attribute, and every attack that applies;
``not_covered``
    every requirement holds, but something that discloses is covered by none of them: each such thing is a :class:`Gap`;
``not_met``
    a requirement does not hold.

Codes are the interface (JSON, ``--strict``, the studio); the sentence of a gap is written here once, for all faces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any, Literal

from ..attack.attack import ProgramLimit
from ..errors import TacitError
from ..models import MODELS
from ..models.demand import LARGE, Demand
from ..models.verdict import Verdict
from ..result import Result
from ..risk import MEASURES
from ..risk.joint_uniqueness import joint_uniqueness

if TYPE_CHECKING:
    from ..release.release import Release
    from .attack_run import AttackResults
    from .require import Requirements


State = Literal["met", "not_covered", "not_met"]

WEAKEST_BOUND = 0.2
"""A bound on the share of people re-identified, or of values learnt, above this covers nothing: at 20 % every class of five
equal records meets it, the weakest threshold in use for files that leave an office (El Emam 2013, Guide to the De-Identification
of Personal Health Information, chapter 16: 0.05 to 0.33, 0.2 and below where data go to more than one trusted receiver)."""
REPEATED_SHARE = 0.01
"""Identifiers that repeat in at least this share of the rows say that a person may have several."""

GAPS: Mapping[str, str] = {
    "no_requirement": "No requirement was set.",
    "weak_guarantee": "The guarantee ({guarantee}) is so weak that it covers nothing: ε of at most {most} counts.",
    "guarantee_incomplete": "The guarantee of {methods} does not cover {columns}, which are released beside it: the release as a whole has none.",
    "decision_depends_on_data": "The file was released, or refused, by what {requirements} found in the original: this decision is outside of the guarantee ({guarantee}).",
    "rare_values_released": "{columns}: {count} categories or extremes that fewer than {fewest} people hold are in the synthetic file, and tell who was learnt from.",
    "no_quasi_identifiers": "No quasi-identifier is declared, so that no attack on identities could be made.",
    "identity_not_required": "No requirement bounds re-identification[: the worst attack re-identifies up to {share} of the people].",
    "weak_requirement": "The requirement {requirement} is so weak that it covers nothing (it allows {share}; at most 20 % counts).",
    "attribute_not_required": "No requirement bounds attribute disclosure of {columns}[: of {share} of the people it follows from their equivalence class].",
    "attack_not_run": "The attack {attack} was not run: {reason}.",
    "membership_not_required": "No requirement bounds membership disclosure, although people who are not in the data are given to compare with.",
    "undecided_columns": "Nobody decided the role of {columns}: released unchanged, they make {share} of the records unique together with the quasi-identifiers ({alone} without them).",
    "insiders_not_audited": "Sole respondents, who know their own cells, were left out by the plan (insiders = false).",
    "respondents_narrow_cells": "Respondents who know their own value narrow cells of others below their protection levels: {respondents} respondents, {cells} cells, {exact} of them exactly. The audit covers outsiders and sole respondents.",
    "respondents_not_audited": "What respondents learn by their own value in cells with others was not audited: there are too many of them. The audit covers outsiders and sole respondents.",
    "sums_of_one_respondent": "Of {respondents} respondents the sum of several suppressed cells is known more closely than their levels allow.",
    "rows_not_people": "The identifier {columns} repeats: {rows} rows are of {people} people, and every figure here counts rows. Equivalence classes may hold one person only.",
    "row_links": "{columns} tell which records belong together: through them an intruder who knows who does re-identifies {share} of the people.",
    "row_order": "The rows stand in an order that tells which records belong together.",
    "identifier_released": "{columns} is released and looks like a direct identifier: {why}[ ({share} as many different values as values)].",
    "stronger_intruder": "An intruder who {knowledge} re-identifies {share} of the people (at most {upper}): above the bound of {bound}, which is met for the declared intruder only.",
    "repeated_attempts": "The same steps on the same data did not meet the same requirements in {failed} earlier attempts (this is attempt {attempt}): that they are met now may be a lucky draw.",
}
"""Code of a gap → its sentence; ``{columns}``, ``{share}`` and the names of its facts are filled in, and what stands in brackets
is left out where no share was measured."""
REMEDIES: Mapping[str, str] = {
    "no_requirement": "Set requirements, e.g. reidentification = 0.05 under [require].",
    "weak_guarantee": "Spend less: a smaller epsilon.",
    "guarantee_incomplete": "Declare {columns} in the step with the guarantee, or drop them.",
    "decision_depends_on_data": "Decide by declarations alone: require differential_privacy = {{ epsilon = … }} and nothing that compares with the original.",
    "rare_values_released": "Merge or top-code {columns} before the synthesis, or raise fewest.",
    "no_quasi_identifiers": "Name the columns that an intruder may know: quasi = […] under [roles].",
    "identity_not_required": "Bound re-identification: reidentification = 0.05 under [require] (of synthetic files: copies or membership).",
    "weak_requirement": "Lower the bound of {requirement} to at most 0.2.",
    "attribute_not_required": "Bound what is learnt of {columns}: attribute_inference = 0.1, or l_diversity or t_closeness, under [require].",
    "attack_not_run": "Run it on a part of the file, or say in the decision that {attack} was not made.",
    "membership_not_required": "Bound membership = 0.6 or copies = 0.05 under [require].",
    "undecided_columns": "Give {columns} a role: quasi, confidential, identifier, or unrestricted where nobody outside knows them.",
    "insiders_not_audited": "Take insiders = false out of [intruder].",
    "respondents_narrow_cells": "Use coarser codes or higher levels, or accept it in the decision: no rule asks for it.",
    "respondents_not_audited": "Audit a part of the table, or accept it in the decision: no rule asks for it.",
    "sums_of_one_respondent": "Use coarser codes for the cells of these respondents.",
    "rows_not_people": "Release one row for each person, or judge the file by people: draw or aggregate the rows of {columns} first.",
    "row_links": "Round, coarsen or drop {columns}, or shuffle what links the rows.",
    "row_order": "Shuffle the rows.",
    "identifier_released": "Declare {columns} under identifier, or as unrestricted if it names nobody.",
    "stronger_intruder": "Protect against that intruder, or state in the decision why nobody has its knowledge.",
    "repeated_attempts": "Change the steps so that the requirements hold with room, and run once.",
}
"""Code of a gap → what closes it."""
MOST_NAMED = 8
"""So many columns of a gap are named in its sentence; JSON has all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Something that discloses and that no requirement covers.

    ``columns`` are those concerned, ``share`` what was measured (a share of the people or records), ``facts`` whatever else the
    sentence of the code names.

    >>> print(Gap(code="attribute_not_required", columns=("income",)))
    No requirement bounds attribute disclosure of income.
    >>> Gap(code="identity_not_required", share=0.0474).sentence(public=True)
    'No requirement bounds re-identification: the worst attack re-identifies up to 5 % of the people.'
    """

    code: str
    columns: tuple[str, ...] = ()
    share: float | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.code not in GAPS:
            raise TacitError(
                f"there is no gap called {self.code!r}", code="unknown_name", fix=f"it is one of {', '.join(GAPS)}"
            )

    def __str__(self) -> str:
        return self.sentence()

    def sentence(self, *, public: bool = False) -> str:
        """The gap in words; for the ``public`` shares are rounded up to whole per cents, which tell of no single record."""
        text = GAPS[self.code]
        text = re.sub(r"\[.*?\]", "", text) if self.share is None else re.sub(r"[\[\]]", "", text)
        more = len(self.columns) - MOST_NAMED
        columns = ", ".join(self.columns[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
        facts = {
            name: _format_share(fact, public=public)
            if isinstance(fact, float)
            else f"{fact:,}"
            if isinstance(fact, int)
            else fact
            for name, fact in {"share": self.share, **self.facts}.items()
        }
        return text.format(columns=columns, **facts)

    @property
    def remedy(self) -> str:
        """What closes the gap."""
        return REMEDIES[self.code].format(columns=", ".join(self.columns[:MOST_NAMED]), **self.facts)

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "code": self.code,
            "columns": list(self.columns),
            "share": self.share,
            "facts": dict(self.facts),
            "text": str(self),
            "remedy": self.remedy,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class IntruderConsidered:
    """An intruder whom the verdict is about: what it knows, and the attacks that were made in its name.

    A later attack says by this list which releases it concerns.
    """

    code: str
    knows: tuple[str, ...] = ()
    attacks: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"code": self.code, "knows": list(self.knows), "attacks": list(self.attacks)}


def state_of(verdicts: Sequence[Verdict], gaps: Sequence[Gap]) -> State:
    """The state of a job.

    >>> state_of([], [Gap(code="no_requirement")])
    'not_covered'
    """
    if not all(verdict.holds for verdict in verdicts):
        return "not_met"
    return "not_covered" if gaps or not verdicts else "met"


def _format_share(share: float, *, public: bool = False) -> str:
    """A share in per cent, rounded to the worse side at two digits; for the ``public`` to whole per cents.

    >>> _format_share(0.3701), _format_share(0.0004), _format_share(1.0), _format_share(0.0004, public=True)
    ('38 %', '0.040 %', '100 %', '1 %')
    """
    if share <= 0:
        return "0 %"
    places = 0 if public else max(0, 1 - floor(log10(100 * share)))
    return f"{min(100.0, ceil(100 * share * 10**places - 1e-9) / 10**places):.{places}f} %"


def gaps_of_requirements(
    requirements: Requirements | None,
    original: Release,
    *,
    made: AttackResults,
    after: Sequence[Result],
    invented: bool = False,
    outsiders: bool = False,
) -> tuple[Gap, ...]:
    """What of identity, attribute and membership disclosure no requirement covers.

    ``made`` are the attacks that were run, ``after`` the risk measures of the released file, by which a gap says how much is
    disclosed. In an ``invented`` (synthetic) file nobody can be re-identified: there, requirements on copies or membership
    cover identities. ``outsiders``: people who are not in the data are given, so that attacks on membership apply.
    """
    if requirements is None:
        return (Gap(code="no_requirement"),)
    gaps = [*_identity_gaps(requirements, original, made, invented)]
    covered = _covered_attributes(requirements, original, made)
    for column in original.confidential:
        if column not in covered:
            certain = next((one.value for one in after if (one.name, one.column) == ("inference", column)), None)
            gaps.append(Gap(code="attribute_not_required", columns=(column,), share=certain or None))
    if outsiders and not {"membership", "worst_records", "copies"} & set(requirements.attacks):
        gaps.append(Gap(code="membership_not_required"))
    for attacked in made.results:
        if isinstance(attacked.why_not, ProgramLimit):
            gaps.append(Gap(code="attack_not_run", facts={"attack": attacked.name, "reason": str(attacked.why_not)}))
    return tuple(gaps)


def gaps_of_columns(release: Release) -> tuple[Gap, ...]:
    """Columns whose role nobody decided, with the share of records that they make unique together with the quasi-identifiers.

    A column that is in no list of roles is undecided: it is released as it is, and whoever knows it may single people out.
    ``smallest_sets`` among the facts are the fewest of them that do (:func:`tacit.risk.joint_uniqueness`).
    """
    undecided = tuple(column for column, role in release.roles.items() if role == "other")
    if not undecided or not release.size:
        return ()
    measured = joint_uniqueness(release, columns=undecided)
    facts = {
        "alone": measured.share_quasi_alone,
        "smallest_sets": [one.as_json() for one in measured.smallest_sets],
    }
    return (Gap(code="undecided_columns", columns=undecided, share=measured.share_joint, facts=facts),)


def gaps_of_rows(original: Release) -> tuple[Gap, ...]:
    """Rows that may be of the same people: identifiers that repeat, while nobody declared who a row is of.

    All identifiers together have to repeat, in at least 1 % of the rows: two people may share a name. Missing ones count as
    different. One group-by.

    >>> import polars as pl
    >>> from tacit import Release
    >>> visits = Release(pl.DataFrame({"patient": [1, 1, 2, 2], "zip": ["N1"] * 4}), identifier="patient", quasi="zip")
    >>> [gap.code for gap in gaps_of_rows(visits)]
    ['rows_not_people']
    """
    columns = tuple(column for column, role in original.roles.items() if role == "identifier")
    if not columns or not original.size:
        return ()
    people = _distinct_rows(original, columns)
    if original.size - people < max(1, REPEATED_SHARE * original.size):
        return ()
    return (
        Gap(
            code="rows_not_people",
            columns=columns,
            share=1 - people / original.size,
            facts={"rows": original.size, "people": people},
        ),
    )


def intruders_considered(made: AttackResults, knows: Sequence[str]) -> tuple[IntruderConsidered, ...]:
    """The intruders in whose name attacks were run, by what they are after."""
    by_code = {
        "identity": made.attacks,
        "attribute": made.learnt,
        "presence": made.presence,
    }
    names = {
        code: tuple(dict.fromkeys(one.name for one in run if one.result is not None)) for code, run in by_code.items()
    }
    return tuple(
        IntruderConsidered(code=code, knows=tuple(knows), attacks=attacks) for code, attacks in names.items() if attacks
    )


def _identity_gaps(requirements: Requirements, original: Release, made: AttackResults, invented: bool) -> Iterator[Gap]:
    """Whether a requirement on attacks bounds re-identification, tightly enough to mean something."""
    if invented:
        if not {"copies", "membership", "worst_records"} & set(requirements.attacks):
            yield Gap(code="identity_not_required")
        return
    bound = requirements.reidentification
    if bound is None and not original.quasi:
        yield Gap(code="no_quasi_identifiers")
    elif bound is None:
        worst = max((one.result.worst_case for one in made.attacks if one.result is not None), default=None)
        yield Gap(code="identity_not_required", share=worst)
    elif bound.at_most is not None and bound.at_most > WEAKEST_BOUND:
        yield Gap(code="weak_requirement", share=bound.at_most, facts={"requirement": "reidentification"})


def _covered_attributes(requirements: Requirements, original: Release, made: AttackResults) -> set[str]:
    """The confidential columns that a model, a bound on a measure, or a bound on attacks is about, and can fail for."""
    covered: set[str] = set()
    for name, model in requirements.models.items():
        if "attribute" in MODELS[name].tags.about:
            covered |= {demand.column for demand in model.demands(original) if demand.column and _can_fail(demand)}
        if name == "interval_disclosure":
            covered |= (
                set(model.columns) if model.at_most is None else {*_numeric_confidential(original), *model.columns}
            )
    for bound in requirements.bounds:
        if "attribute" in MEASURES[bound.measure].tags.about:
            named = bound.options.get("columns") or original.confidential
            covered |= {named} if isinstance(named, str) else set(named)
    learnt = requirements.attacks.get("attribute_inference")
    if learnt is not None and learnt.at_most is not None and learnt.at_most <= WEAKEST_BOUND:
        covered |= {one.result.column for one in made.learnt if one.result is not None and one.result.column}
    return covered


def _can_fail(demand: Demand) -> bool:
    """Whether a bound on a class excludes anything: one value, a share of 1 or a distance of 1 exclude nothing."""
    return (
        demand.bound > 1 if demand.kind in LARGE else demand.kind in ("gain", "enhanced", "ratio") or demand.bound < 1
    )


def _numeric_confidential(release: Release) -> tuple[str, ...]:
    """The confidential columns that interval disclosure can be measured of."""
    return tuple(column for column in release.confidential if release.kinds.get(column) in ("continuous", "date"))


def _distinct_rows(release: Release, columns: Sequence[str]) -> int:
    """How many different combinations the columns have; a row in which all are missing is one of its own."""
    import narwhals as nw

    cells = release.scan().select(*columns)
    known = cells.filter(~nw.all_horizontal(*(nw.col(one).is_null() for one in columns), ignore_nulls=False))
    unknown = release.size - _counted_rows(known)
    return _counted_rows(known.unique()) + unknown


def _counted_rows(frame: Any) -> int:
    import narwhals as nw

    return int(frame.select(nw.len()).collect().item())
