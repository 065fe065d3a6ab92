"""Candidates that learn from those before them: a multi-objective optimiser, here Optuna's."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import TacitError
from ..seed import child
from .candidate import Candidate
from .front import Place
from .search import TRIES
from .space import Open, Path, Range, Strategy

if TYPE_CHECKING:
    from optuna.trial import Trial

__all__ = ["Optimiser"]

STRATEGY = "strategy"


class Optimiser:
    """Tree-structured Parzen estimators: ask where good candidates are dense and bad ones are rare.

    What takes most of the map (hypervolume) counts as good. Strategies are a parameter like the others, and each has
    parameters of its own. The first candidates are the middle and both ends of every strategy: least and most protection
    bound the front, and chance seldom meets them.

    References
    ----------
    Ozaki, Tanigaki, Watanabe and Onishi (2020), Multiobjective tree-structured Parzen estimator for computationally
    expensive optimization problems, GECCO, 533–541.
    Akiba, Sano, Yanase, Ohta and Koyama (2019), Optuna: a next-generation hyperparameter optimization framework, KDD,
    2623–2631.
    """

    def __init__(self, strategies: Sequence[Strategy], *, seed: int | bytes) -> None:
        try:
            import optuna
        except ImportError:
            raise TacitError(
                "the optimiser needs Optuna, which is not installed",
                fix="pip install 'tacit[study]', in a clone pip install -e '.[study]'; or search = \"random\"",
            ) from None
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        own = int.from_bytes(child(seed, "optimiser")[:4], "little")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            sampler = optuna.samplers.TPESampler(seed=own, multivariate=True, group=True, constant_liar=True)
        self._study = optuna.create_study(directions=["minimize", "minimize"], sampler=sampler)
        self._strategies = {strategy.name: strategy for strategy in strategies}
        for share in (0.5, 1.0, 0.0):
            for strategy in strategies:
                self._study.enqueue_trial(_across(strategy, share))
        self._asked: dict[str, list[Trial]] = {}
        self._known: dict[str, Place | None] = {}

    def ask(self, count: int) -> list[Candidate]:
        """Some that were not asked before; those asked again are answered with what is known of them."""
        found: dict[str, Candidate] = {}
        tries = 0
        while len(found) < count and tries < TRIES:
            trial = self._study.ask()
            candidate = self._suggested(trial)
            tries += 1
            if candidate.key in self._known:
                self._answer(trial, self._known[candidate.key])
                continue
            if candidate.key not in found:
                tries = 0
            found.setdefault(candidate.key, candidate)
            self._asked.setdefault(candidate.key, []).append(trial)
        return list(found.values())

    def tell(self, found: Sequence[Place | None]) -> None:
        """Answer what was asked last."""
        for (key, trials), place in zip(list(self._asked.items()), found, strict=False):
            self._known[key] = place
            for trial in trials:
                self._answer(trial, place)
            del self._asked[key]

    def _answer(self, trial: Trial, place: Place | None) -> None:
        from optuna.trial import TrialState

        if place is None:
            self._study.tell(trial, state=TrialState.FAIL)
        else:
            self._study.tell(trial, list(place))

    def _suggested(self, trial: Trial) -> Candidate:
        names = list(self._strategies)
        name = names[0] if len(names) == 1 else trial.suggest_categorical(STRATEGY, names)
        strategy = self._strategies[str(name)]
        return Candidate.of(
            strategy, {path: _value(trial, str(name), path, one) for path, one in strategy.open.items()}
        )


def _across(strategy: Strategy, share: float) -> dict[str, Any]:
    """The parameters, by their labels, of the candidate that lies this share of the way through every range and list."""
    found = {
        _label(strategy.name, path): given.at(share) if isinstance(given, Range) else given.of.index(given.at(share))
        for path, given in strategy.open.items()
    }
    return {STRATEGY: strategy.name, **found}


def _label(strategy: str, path: Path) -> str:
    return f"{strategy}: {'.'.join(map(str, path))}"


def _value(trial: Trial, strategy: str, path: Path, given: Open) -> Any:
    """What the optimiser proposes for a parameter; a choice goes by its place in the list, which may hold anything."""
    label = _label(strategy, path)
    if not isinstance(given, Range):
        return given.of[trial.suggest_categorical(label, list(range(len(given.of))))]
    if given.whole:
        return trial.suggest_int(label, int(given.low), int(given.high), log=given.log)
    return given.near(trial.suggest_float(label, given.low, given.high, log=given.log))
