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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ..errors import TacitError
from ..models.verdict import Verdict

__all__ = ["GAPS", "Gap", "IntruderConsidered", "State", "state_of"]

State = Literal["met", "not_covered", "not_met"]

GAPS: Mapping[str, str] = {
    "identity_not_required": "No requirement bounds re-identification: the worst attack re-identifies {share} of the people.",
    "attribute_not_required": "No requirement bounds attribute disclosure of {columns}.",
    "undecided_columns": "Nobody decided the role of {columns}: they are released unchanged, and together with the quasi-identifiers they make {share} of the records unique.",
    "identifying_columns": "{columns} have no role that protects them, and make {share} of the records unique together with the quasi-identifiers.",
}
"""Code of a gap → its sentence; ``{columns}`` and ``{share}`` and the names of its facts are filled in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Something that discloses and that no requirement covers.

    ``columns`` are those concerned, ``share`` what was measured (a share of the people or records), ``facts`` whatever else the
    sentence of the code names.

    >>> str(Gap(code="attribute_not_required", columns=("income",)))
    'No requirement bounds attribute disclosure of income.'
    """

    code: str
    columns: tuple[str, ...] = ()
    share: float | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.code not in GAPS:
            raise TacitError(f"there is no gap called {self.code!r}", fix=f"it is one of {', '.join(GAPS)}")

    def __str__(self) -> str:
        share = "" if self.share is None else f"{100 * self.share:.2g} %"
        return GAPS[self.code].format(columns=", ".join(self.columns), share=share, **self.facts)

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "code": self.code,
            "columns": list(self.columns),
            "share": self.share,
            "facts": dict(self.facts),
            "text": str(self),
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

    >>> state_of([], [Gap(code="attribute_not_required", columns=("income",))])
    'not_covered'
    """
    if not all(verdict.holds for verdict in verdicts):
        return "not_met"
    return "not_covered" if gaps or not verdicts else "met"
