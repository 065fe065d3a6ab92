"""The attacks of a job or a command: which are chosen, by what they are about, and what they found."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..attack import ATTACKS
from ..attack.attack import Attack
from ..attack.runner import AttackResult, People, run_attacks
from ..claims import Scenario
from ..errors import TacitError, suggest_alternative
from ..progress import Progress
from ..release.release import Release

ABOUT: Mapping[str, str] = {
    "reidentification": "identity",
    "attribute_inference": "attribute",
    "membership": "membership",
    "worst_records": "membership",
    "copies": "copies",
    "singling_out": "singling out",
    "linkability": "linkability",
}
"""Requirement on attacks → what the attacks behind it are about."""
SHARES = frozenset(ABOUT) - {"membership"}
"""Those of them that hold a share to a bound; that on membership bounds an area under the ROC curve."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AttackSelection:
    """The attacks to be made, by what they are about, and the confidential ``columns`` to be learnt.

    ``second`` are the columns of a second list of the intruder, which a bridge joins with the columns that it knows. ``asking``
    are those by which it is asked who is in the data, where they are others than the known ones; ``beside`` are attacks that
    are not made, with the reason.
    """

    about: Mapping[str, Mapping[str, Attack]]
    columns: tuple[str, ...] = ()
    second: tuple[str, ...] = ()
    asking: tuple[str, ...] = ()
    beside: tuple[AttackResult, ...] = ()

    @staticmethod
    def of(
        parameters: Mapping[str, Mapping[str, Any]],
        *,
        columns: Collection[str],
        only: Collection[str] = (),
        required: Collection[str] = (),
        second: Collection[str] = (),
    ) -> AttackSelection:
        """Those named by ``only``; else all on identities, and on values and presence what is set or ``required``."""
        wanted = {ABOUT[name] for name in required} | {"identity"} | ({"linkability"} if second else set())
        about = {}
        for sort in ABOUT.values():
            made = has_attack_about(sort, only) if only else sort in wanted or has_attack_about(sort, parameters)
            about[sort] = attacks_about(sort, parameters, only=only) if made else {}
        return AttackSelection(about=about, columns=tuple(columns), second=tuple(second))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AttackResults:
    """What the attacks found: ``results``, one for each attack and, of attacks on values, for each column."""

    results: tuple[AttackResult, ...] = ()
    chosen: AttackSelection = field(default_factory=lambda: AttackSelection(about={}))

    @property
    def attacks(self) -> tuple[AttackResult, ...]:
        """Those on identities."""
        return tuple(one for one in self.results if one.about == "identity")

    @property
    def learnt(self) -> tuple[AttackResult, ...]:
        """Those on values."""
        return tuple(one for one in self.results if one.about == "attribute")

    @property
    def presence(self) -> tuple[AttackResult, ...]:
        """Those that find nobody's record: on copies, membership, singling out and linkability."""
        return tuple(one for one in self.results if one.about not in ("identity", "attribute"))

    def attacks_behind(self, requirement: str) -> tuple[AttackResult, ...]:
        """The attacks that a requirement is judged by."""
        named = self.chosen.about.get(ABOUT[requirement], {})
        return tuple(one for one in self.results if one.name in named)


def run_all_attacks(
    release: Release,
    scenario: Scenario,
    people: People,
    chosen: AttackSelection,
    *,
    seed: int | bytes | None = None,
    progress: Progress | None = None,
) -> AttackResults:
    """Every chosen attack that applies, judged against the truth about the people."""
    if people.truth is None and any(sort != "identity" and attacks for sort, attacks in chosen.about.items()):
        raise TacitError(
            "what is learnt about people cannot be judged: it is not said which rows belong together",
            code="conflicting_parameters",
            fix="give one of --key COLUMN, --same-order, --lineage FILE",
        )
    attacks = {name: one for sort in ABOUT.values() for name, one in chosen.about.get(sort, {}).items()}
    people = replace(people, columns=chosen.columns, second=chosen.second, asked=chosen.asking)
    found = run_attacks(release, scenario, people, attacks, seed=seed, progress=progress)
    return AttackResults(results=(*found, *chosen.beside), chosen=chosen)


def attacks_about(
    about: str, parameters: Mapping[str, Mapping[str, Any]], *, only: Collection[str] = ()
) -> dict[str, Attack]:
    """Every attack about that, or the named ones among them, with parameters."""
    chosen = {
        name: entry for name, entry in ATTACKS.items() if entry.tags.about == about and (not only or name in only)
    }
    return {name: entry.call(**parameters.get(name, {})) for name, entry in chosen.items()}


def check_attack_names(names: Collection[str]) -> None:
    """Refuse a name that is no attack's."""
    unknown = next((name for name in names if name not in ATTACKS), None)
    if unknown is not None:
        raise TacitError(
            f"the attack {unknown!r} is unknown", code="unknown_name", fix=suggest_alternative(unknown, list(ATTACKS))
        )


def has_attack_about(about: str, names: Collection[str]) -> bool:
    """Whether one of the named attacks is about that."""
    return any(ATTACKS[name].tags.about == about for name in names if name in ATTACKS)


def check_second_list(second: Sequence[str], knows: Sequence[str]) -> tuple[str, ...]:
    """The columns of the second list, none of which the intruder may know already: it would join the lists by it."""
    both = next((column for column in second if column in knows), None)
    if both is not None:
        raise TacitError(
            "is in both lists of the intruder, which are then joined without the release",
            code="duplicate",
            column=both,
            fix="leave it out of what the intruder knows, or out of the second list",
        )
    return tuple(second)
