"""Attacks made and judged: the one way in which a job, a command and a call run them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..claims.beliefs import summarise_unjudged
from ..claims.claims import LinkClaims
from ..claims.comparability import comparability_notes
from ..claims.judge import judge
from ..progress import report_progress, sub_progress
from ..seed import child_seed
from .default_scenario import with_known_links

if TYPE_CHECKING:
    from ..claims.roc import Roc
    from ..claims.scenario import Scenario
    from ..claims.truth import Truth
    from ..progress import Progress
    from ..release.release import Release
    from ..result import Result
    from .attack import Attack


NOBODYS = "no record of the file is anybody's, so that nobody can be found in it"


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackResult:
    """One attack on the release: its result beside guessing, or why it was not run.

    Of attacks on values ``gain`` is what they learn of people only because these are in the release, see :func:`.values.learnt.learnt`;
    of copies, how many there are above those of outsiders. Of attacks on membership ``roc`` is who is found at which cost in
    false alarms, and ``worst`` how sure an intruder may be of the one member in a hundred who is found most easily.
    """

    name: str
    result: Result | None
    why_not: str | None = None
    gain: Result | None = None
    roc: Roc | None = None
    worst: Result | None = None

    def as_json(self) -> dict[str, Any]:
        """Plain values for ``result.json`` and ``--json``."""
        found = {"name": self.name, "result": self.result.as_json() if self.result else None, "not run": self.why_not}
        more = {"gain": self.gain, "worst": self.worst}
        return found | {word: one.as_json() for word, one in more.items() if one is not None}


def run_attacks(
    release: Release,
    scenario: Scenario,
    truth: Truth | None,
    attacks: Mapping[str, Attack],
    *,
    control: Scenario | None = None,
    seed: int | bytes | None = None,
    progress: Progress | None = None,
) -> tuple[AttackResult, ...]:
    """Every attack that applies, each judged against the truth; the others with the reason.

    One that does not concern the data at all (households, where there are none) is left out unless it is the only one. Without a truth, what the intruder believes is said and nothing judged; in a synthetic file there is nobody to find. ``control`` is the scenario of people who are
    not in the release. Attacks that learn do so from the links of other people (:func:`.setting.with_known_links`); each attack draws from a seed of its own. What weakens a comparison (see
    :func:`tacit.claims.comparability`) stands among the notes of each result.
    """
    done: list[AttackResult] = []
    notes: tuple[str, ...] | None = None
    scenario = with_known_links(scenario, truth)
    control = None if control is None else replace(control, acquaintances=scenario.acquaintances)
    for place, (name, attack) in enumerate(attacks.items()):
        concerns = getattr(attack, "concerns", None)
        if concerns is not None and len(attacks) > 1 and not concerns(release, scenario):
            continue
        report_progress(progress, f"attacking: {name}", place / len(attacks))
        why_not = NOBODYS if truth is not None and truth.is_synthetic() else attack.applies(release, scenario)
        result = None
        if why_not is None:
            drawn = None if seed is None else child_seed(seed, "attack", name)
            share = sub_progress(progress, place / len(attacks), (place + 1) / len(attacks))
            claims = attack.claims(release, scenario, seed=drawn, progress=share)
            others = None if control is None else attack.claims(release, control, seed=drawn)
            notes = comparability_notes(release, scenario) if notes is None else notes
            if truth is None and not isinstance(claims, LinkClaims):
                why_not = "without the truth nobody can judge claims other than links"
            else:
                result = summarise_unjudged(claims, others) if truth is None else judge(claims, truth, others)
                result = prepend_notes(result, notes)
        done.append(AttackResult(name=name, result=result, why_not=why_not))
    return tuple(done)


def prepend_notes(result: Result, notes: tuple[str, ...]) -> Result:
    """The result with notes in front of its own."""
    return result.with_facts(notes=[*notes, *notes_of(result)]) if notes else result


def notes_of(result: Result) -> list[str]:
    """What a result tells its reader beside its numbers."""
    own = result.facts.get("notes", [])
    assert isinstance(own, list)
    return own
