"""What is tried when nothing is said: the usual methods for the kinds of the columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from ...errors import TacitError
from ...models import ALL as MODELS
from ...release.pairs import numeric_columns
from ...release.release import Release
from ..space import Strategy

__all__ = ["usual"]

Steps: TypeAlias = list[dict[str, Any]]
LARGEST = 50
"""Records in a group, at most."""
FEW = 5
"""An amount has more different values than these."""
NAMED = ("nominal", "code", "ordinal")


def usual(original: Release, require: Mapping[str, Any]) -> list[Strategy]:
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
            fix="declare roles, or say what is to be tried: [[study.strategy]]",
        )
    if len(known) == len(original.quasi):
        return _strategies(_of_amounts([*known, *confidential], original.size))
    after = _of_amounts(confidential, original.size) if confidential else {}
    before = _of_keys(original, require)
    both = {f"{one} + {other}": [*steps, *more] for one, steps in before.items() for other, more in after.items()}
    return _strategies({**before, **both})


def _strategies(found: Mapping[str, Steps]) -> list[Strategy]:
    return [Strategy.of(name, steps) for name, steps in found.items()]


def _of_amounts(columns: Sequence[str], size: int) -> dict[str, Steps]:
    percent = {"from": max(0.5, 200 / max(size, 1)), "to": 40.0, "scale": "log"}
    noise = {"from": 0.005, "to": 1.0, "scale": "log"}
    return {
        "microaggregation": [{"method": "mdav", "columns": columns, "k": _group(size)}],
        "rank swapping": [{"method": "rank_swap", "columns": columns, "percent": percent}],
        "noise": [{"method": "add_noise", "columns": columns, "variance": noise}],
    }


def _of_keys(original: Release, require: Mapping[str, Any]) -> dict[str, Steps]:
    others = {
        name: content
        for name, content in require.items()
        if name in MODELS and name != "k_anonymity" and "original" not in MODELS[name].needs
    }
    models = {**others, "k_anonymity": _group(original.size)}
    found: dict[str, Steps] = {
        "Mondrian": [{"method": "mondrian", "models": models}],
        "local recoding": [{"method": "local_recode", "models": models}],
    }
    if original.missing is not None:
        found["blanks"] = [{"method": "suppress_cells", "k": _group(original.size)}]
    named = [column for column in original.quasi if original.kinds.get(column) in NAMED]
    if named:
        found["PRAM"] = [{"method": "pram", "columns": named, "stay": {"from": 0.4, "to": 0.98}}]
    return found


def _group(size: int) -> dict[str, Any]:
    return {"from": 2, "to": max(2, min(LARGEST, size // 2)), "scale": "log"}
