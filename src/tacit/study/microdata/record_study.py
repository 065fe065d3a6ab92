"""Records as a study sees them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from statistics import fmean
from typing import Any, TypeAlias

from ...attack import ATTACKS
from ...attack.attack import Attack
from ...attack.runner import AttackResult
from ...errors import Cancelled, TacitError
from ...loss import LOSSES
from ...loss.headline import headline
from ...loss.score import WeightedMeasure, coarsened_columns, excluded_columns
from ...models import MODELS
from ...models.by_column import confidential_results as confidential_only
from ...models.verdict import Verdict
from ...plan.adversary import Adversary
from ...plan.attack_run import ABOUT, AttackResults, AttackSelection, attacks_about, check_attack_names, run_all_attacks
from ...plan.gate import results_behind, verdicts_on
from ...plan.load import LoadedPlan, from_text, with_models
from ...plan.original import original_of
from ...plan.protection import protect_release
from ...plan.require import Requirements
from ...protect import METHODS
from ...protect.load import from_json
from ...registry import Entry
from ...release.masked import Masked, Method, release_of
from ...release.pairs import numeric_columns
from ...release.release import Release
from ...result import Result, Results
from ...risk import MEASURES
from ..data_kind import NOTHING_REQUIRED, DataKind
from ..digests import digest
from ..evaluation import Figure, risk_share
from ..measures import can_measure, weighed_measures
from ..plan_text import as_toml
from ..space import Strategy

QUICK = ("distance", "transparency", "minimality")


"""The attacks on identities that cost little beside a masking; a release is attacked by all."""


USUAL_LOSS = ("moments", "squared_error", "hellinger", "changed", "generalisation", "suppressed")


KINDS: Mapping[str, Entry | None] = {
    **dict.fromkeys(ABOUT),
    **{name: entry for name, entry in MEASURES.items() if entry.tags.kind == "measure"},
}


"""What a risk may be made of: what attacks find, by the requirement that bounds it, and the measures of risk."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecordTask:
    """The data, who attacks them, what is weighed, and the seed of every draw.

    ``chosen`` are the attacks by what they are about: those behind a weight or a requirement. ``columns`` are those that
    each loss spoke of before the masking (:func:`.noun.spoken_of`).
    """

    noun: DataKind
    plan: LoadedPlan
    original: Release
    adversary: Adversary
    chosen: AttackSelection
    risk: tuple[WeightedMeasure, ...]
    loss: tuple[WeightedMeasure, ...]
    seed: int | bytes
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @staticmethod
    def of(noun: DataKind, plan: LoadedPlan, original: Release, *, seed: int | bytes) -> RecordTask:
        """What a plan says; an error points at its key."""
        instead = 'explore a sample that fits in memory (engine = "polars" under [data])'
        original.capabilities.require("in_memory", "a study cannot mask the data many times over", instead=instead)
        adversary = Adversary.of(plan, original)
        risk = weighed_measures(plan, "risk", KINDS, usual=lambda: _usual_risk(plan))
        loss = weighed_measures(plan, "loss", LOSSES, usual=lambda: _usual_loss(original))
        return RecordTask(
            noun=noun,
            plan=plan,
            original=original,
            adversary=adversary,
            chosen=_select_attacks(plan, original, adversary, [one.name for one in risk]),
            risk=risk,
            loss=loss,
            seed=seed,
        )

    @property
    def title(self) -> str:
        """What the map is called."""
        return self.plan.plan.title or f"Release of {self.plan.data_path.name}"

    @property
    def attacks(self) -> tuple[str, ...]:
        """The attacks on every candidate, by name."""
        return tuple(name for made in self.chosen.about.values() for name in made)

    @property
    def is_partial(self) -> bool:
        """Whether a release is attacked by more: by all that apply, and here by those that are weighed or named."""
        return bool(self.attacks)

    @property
    def risk_limits(self) -> dict[str, float]:
        """Kind of risk → the most that is allowed, as it stands on the map."""
        bounds = self.plan.requirements.attacks
        return {name: risk_share(name, bound.at_most) for name, bound in bounds.items() if bound.at_most}

    def with_all_attacks(self) -> RecordTask | None:
        """The same with all attacks on identities that a release is attacked by; None where these are made already.

        That is so when the attacks are named, and when nothing is required of re-identification.
        """
        if self.plan.plan.study.attacks or "reidentification" not in self.plan.requirements.attacks:
            return None
        about = {**self.chosen.about, "identity": attacks_about("identity", self.plan.attacks)}
        return replace(self, chosen=replace(self.chosen, about=about))

    @property
    def content_digest(self) -> str:
        """A digest of all that the outcome of a candidate depends on beside its steps: Tacit itself is a part of it.

        Weights, preferences and bounds of the study are not: they only weigh what was found.
        """
        said = {
            "version": version("tacit"),
            "require": repr(self.plan.requirements),
            "identifier": [given.model_dump() for given in self.plan.identifiers],
            "second": self.adversary.second,
            "told": self.adversary.told,
            "knows": self.adversary.scenario.knows,
            "attacks": {
                sort: {name: repr(one) for name, one in made.items()} for sort, made in self.chosen.about.items()
            },
            "risk": [(one.name, one.options) for one in self.risk],
            "loss": [(one.name, one.options) for one in self.loss],
            "seed": repr(self.seed),
        }
        others = (self.original.population, self.adversary.control, *self.adversary.scenario.also)
        return digest(said, self.original, *others)


def _usual_risk(plan: LoadedPlan) -> dict[str, Any]:
    return dict.fromkeys(plan.requirements.attacks, 1) or {"reidentification": 1}


def _usual_loss(original: Release) -> dict[str, Any]:
    """The usual losses that have a meaning for the data, each as much as the others."""
    same = Masked(original, ())
    return {name: 1 for name in USUAL_LOSS if can_measure(LOSSES[name], same, original)}


def _select_attacks(
    plan: LoadedPlan, original: Release, adversary: Adversary, weighed_risks: list[str]
) -> AttackSelection:
    """The attacks behind each weight and each requirement: those named in the study, else the quick ones or all."""
    named = plan.plan.study.attacks
    try:
        check_attack_names(named)
    except TacitError as problem:
        raise plan.locate_error(problem, "study", "attacks") from None
    wanted = {ABOUT[name] for name in (*weighed_risks, *plan.requirements.attacks) if name in ABOUT}
    about: dict[str, Mapping[str, Attack]] = {}
    for sort in ABOUT.values():
        if sort in wanted:
            own = [name for name in named if ATTACKS[name].tags.about == sort]
            only = own or (QUICK if sort == "identity" else ())
            about[sort] = attacks_about(sort, plan.attacks, only=only)
    return AttackSelection(about=about, columns=tuple(original.confidential), second=adversary.second)


Steps: TypeAlias = list[dict[str, Any]]


LARGEST = 50


"""Records in a group, at most."""


FEW = 5


"""An amount has more different values than these."""


NAMED = ("nominal", "code", "ordinal")


@dataclass(frozen=True, slots=True)
class Microdata:
    """Releases, protected by :mod:`tacit.protect`, attacked by :mod:`tacit.attack`, and compared by :mod:`tacit.loss`."""

    command: str = "tacit release"

    @property
    def methods(self) -> Mapping[str, Entry]:
        """The masking methods."""
        return METHODS

    def load(self, text: str, *, folder: Path, name: str) -> LoadedPlan:
        """The plan in a text."""
        return from_text(text, folder=folder, name=name)

    def is_plan(self, what: object) -> bool:
        """Whether this is a plan about records."""
        return isinstance(what, LoadedPlan)

    def data_of(self, what: object) -> Release | None:
        """The release in this; None when it is none."""
        return release_of(what) if isinstance(what, Release | Masked) else None

    def plan_for_data(
        self, data: Release, require: Mapping[str, Any] | None, intruder: Mapping[str, Any]
    ) -> LoadedPlan:
        """A plan for data that are in memory; the path of their file is for the user to fill in."""
        roles = {
            "identifier": list(data.identifiers),
            "quasi": list(data.quasi),
            "confidential": list(data.confidential),
            "weight": data.weight,
            "household": data.household,
        }
        sections: dict[str, dict[str, Any]] = {
            "data": {"path": "data.csv", "missing": data.missing},
            "roles": {role: columns for role, columns in roles.items() if columns},
            "kinds": dict(data.declared_kinds),
            "hierarchies": {column: dict(ladder.spec()) for column, ladder in data.hierarchies.items()},
            "require": dict(require or NOTHING_REQUIRED),
            "intruder": dict(intruder),
        }
        text = as_toml({name: section for name, section in sections.items() if section})
        plan = from_text(text, name="explore(…)")
        return plan if require else replace(plan, requirements=Requirements(models={}))

    def load_original(self, plan: LoadedPlan) -> Release:
        """The file that a plan names."""
        return original_of(plan)

    def make_task(self, plan: LoadedPlan, original: Release, *, seed: int | bytes) -> RecordTask:
        """What a plan asks of every candidate, with the columns that each loss speaks of before the masking."""
        found = RecordTask.of(self, plan, original, seed=seed)
        try:
            return replace(found, columns=spoken_of(found))
        except TacitError as problem:
            raise plan.locate_error(problem, "study", "loss") from None

    def default_strategies(self, plan: LoadedPlan, original: Release) -> list[Strategy]:
        """The usual methods for the kinds of the columns."""
        return record_strategies(original, plan.plan.require)

    def make_trial(self, task: RecordTask, steps: Sequence[Mapping[str, Any]]) -> RecordTrial:
        """The records protected by these steps."""
        return RecordTrial(task, steps)


MICRODATA = Microdata()


def record_strategies(original: Release, require: Mapping[str, Any]) -> list[Strategy]:
    """Strategies for a file, with the models of ``require`` beside k-anonymity where a method provides classes.

    Where an intruder knows amounts only: microaggregation, rank swapping and noise on these and on confidential amounts.
    Otherwise what makes records alike in the quasi-identifiers (Mondrian, local recoding, blanks) or changes categories at
    random (PRAM), alone and followed by each of the former on the confidential amounts.
    """
    amounts = [column for column in numeric_columns(original, original) if original.distinct(column) > FEW]
    confidential = [column for column in amounts if column in original.confidential]
    known = [column for column in amounts if column in original.quasi]
    if not original.quasi and not confidential:
        raise TacitError(
            "there is no quasi-identifier to protect and no confidential amount",
            code="wrong_type",
            fix="declare roles, or say what is to be tried: [[study.strategy]]",
        )
    if len(known) == len(original.quasi):
        return _build_strategies(_of_amounts([*known, *confidential], original.size))
    after = _of_amounts(confidential, original.size) if confidential else {}
    before = _of_keys(original, require)
    both = {f"{one} + {other}": [*steps, *more] for one, steps in before.items() for other, more in after.items()}
    return _build_strategies({**before, **both})


def _build_strategies(found: Mapping[str, Steps]) -> list[Strategy]:
    return [Strategy.of(name, steps) for name, steps in found.items()]


def _of_amounts(columns: Sequence[str], size: int) -> dict[str, Steps]:
    percent = {"from": max(0.5, 200 / max(size, 1)), "to": 40.0, "scale": "log"}
    noise = {"from": 0.005, "to": 1.0, "scale": "log"}
    return {
        "microaggregation": [{"method": "mdav", "columns": columns, "k": _group_size_range(size)}],
        "rank swapping": [{"method": "rank_swap", "columns": columns, "percent": percent}],
        "noise": [{"method": "add_noise", "columns": columns, "variance": noise}],
    }


def _of_keys(original: Release, require: Mapping[str, Any]) -> dict[str, Steps]:
    others = {
        name: content
        for name, content in require.items()
        if name in MODELS and name != "k_anonymity" and "original" not in MODELS[name].needs
    }
    models = {**others, "k_anonymity": _group_size_range(original.size)}
    found: dict[str, Steps] = {
        "Mondrian": [{"method": "mondrian", "models": models}],
        "local recoding": [{"method": "local_recode", "models": models}],
    }
    if original.missing is not None:
        found["blanks"] = [{"method": "suppress_cells", "k": _group_size_range(original.size)}]
    named = [column for column in original.quasi if original.kinds.get(column) in NAMED]
    if named:
        found["PRAM"] = [{"method": "pram", "columns": named, "stay": {"from": 0.4, "to": 0.98}}]
    return found


def _group_size_range(size: int) -> dict[str, Any]:
    return {"from": 2, "to": max(2, min(LARGEST, size // 2)), "scale": "log"}


class RecordTrial:
    """The records protected by some steps, and what the attacks on them have found so far."""

    def __init__(self, task: RecordTask, steps: Sequence[Mapping[str, Any]]) -> None:
        methods = tuple(from_json(with_models(step, task.plan.requirements)) for step in steps)
        self._task, self._masked = task, _mask_data(task, methods)
        self._made = AttackResults(chosen=task.chosen)

    def figures(self) -> Iterator[tuple[Figure, ...]]:
        """The figures of each measure and attack, the cheap ones first."""
        task, masked = self._task, self._masked
        for one in task.loss:
            yield (Figure("loss", one.name, _loss_value(task, masked, one)),)
        for one in task.risk:
            if one.name in MEASURES:
                yield (Figure("risk", one.name, _risk_value(task, masked, one)),)
        scenario, people = task.adversary.scenario_for(masked)
        for kind, sort in ABOUT.items():
            for name, attack in task.chosen.about.get(sort, {}).items():
                alone = AttackSelection(
                    about={sort: {name: attack}}, columns=task.chosen.columns, second=task.chosen.second
                )
                made = run_all_attacks(masked.release, scenario, people, alone, seed=task.seed)
                self._made = _merge_results(self._made, made)
                shares = {
                    _attack_label(one): share for one in made.results if (share := _attack_share(kind, one)) is not None
                }
                yield tuple(Figure("risk", kind, share, said) for said, share in shares.items())

    def verdicts(self) -> tuple[Verdict, ...]:
        """Every requirement judged by what all attacks found."""
        task, masked = self._task, self._masked
        for one in task.risk:
            if one.name in ABOUT:
                results_behind(one.name, self._made)
        rows = masked.rows()
        return verdicts_on(task.plan.requirements, masked.release, self._made, original=task.original, lineage=rows)


def spoken_of(task: RecordTask) -> dict[str, tuple[str, ...]]:
    """The columns that each loss compares when nothing is masked; a loss that has no meaning for the data is an error."""
    same = Masked(task.original, ())
    found = {}
    for one in task.loss:
        results = LOSSES[one.name].call(same, original=task.original, **one.options)
        parts = results if isinstance(results, Results) else (results,)
        found[one.name] = tuple(dict.fromkeys(part.column for part in parts if part.column in task.original.columns))
    return found


def _mask_data(task: RecordTask, methods: tuple[Method, ...]) -> Masked:
    try:
        return protect_release(replace(task.plan, steps=methods), task.original, task.seed, None)
    except Cancelled:
        raise
    except TacitError as problem:
        if not methods:
            raise
        # Its place is one under [[protect]], and the steps are not from there.
        raise problem.restate(where=None) from None


def _merge_results(one: AttackResults, other: AttackResults) -> AttackResults:
    return replace(one, results=one.results + other.results)


def _loss_value(task: RecordTask, masked: Masked, one: WeightedMeasure) -> float:
    """The loss by one measure; where nothing can be compared any more, all is lost but what another loss measures."""
    apart = excluded_columns(one.name, coarsened_columns(masked.release, task.original, task.loss))
    expected = task.columns.get(one.name, ())
    try:
        found = LOSSES[one.name].call(masked, original=task.original, **one.options)
    except Cancelled:
        raise
    except TacitError:
        return 0.0 if apart and {*expected} <= {*apart} else 1.0
    return headline(found, columns=expected, apart=apart)


def _risk_value(task: RecordTask, masked: Masked, one: WeightedMeasure) -> float:
    """A measure of risk as one share: the mean over the confidential columns, or over all where there is none."""
    entry = MEASURES[one.name]
    beside = {"original": task.original} if "original" in entry.needs else {}
    try:
        found: Result | Results = entry.call(masked, **beside, **one.options)
    except TacitError as problem:
        raise problem.with_location(one.name) from None
    if isinstance(found, Results) and beside:
        found = confidential_only(found, task.original)
    parts = list(found) if isinstance(found, Results) else [found]
    if any(part.worse != "high" or not 0 <= part.value <= 1 for part in parts):
        raise TacitError(
            f"{one.name} is no share between 0 and 1, so that it cannot be weighed",
            code="out_of_range",
            fix="require it of the release instead, under [require]",
            where=one.name,
        )
    return fmean(part.value for part in parts)


def _attack_label(found: AttackResult) -> str:
    column = found.result.column if found.result is not None else None
    return f"{found.name} of {column}" if column else found.name


def _attack_share(kind: str, found: AttackResult) -> float | None:
    """What an attack found; None when it was not run."""
    result = found.gain or found.result
    return None if result is None else risk_share(kind, float(result.value))
