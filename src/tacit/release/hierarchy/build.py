"""One way in: a hierarchy from the plain description that a plan or a call gives."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import TacitError, instead
from .addresses import addresses
from .clusters import Clusters
from .cuts import Cuts
from .edges import from_edges
from .frequency import Frequency, Priority
from .ladder import Hierarchy
from .quantiles import Quantiles
from .recipe import Recipe
from .rules import Dates, Intervals, Prefix
from .table import from_file, from_groups, from_table

__all__ = ["hierarchy"]

WORDS = ("prefix", "intervals", "cuts", "dates", "ip", "file", "table", "groups", "edges")
RECIPES = ("frequency", "priority", "quantiles", "clusters")
BESIDE = {"origin": "intervals", "keep": "priority", "like": "clusters", "inner": "edges", "parents": "edges"}
"""Words that say more about another one."""


def hierarchy(given: Any, *, folder: Path | None = None) -> Hierarchy | Recipe:
    """A hierarchy from a description, a file's path, or itself; a recipe where the data decide the labels.

    ``{"prefix": [5, 3, 1]}`` · ``{"intervals": [5, 10], "origin": 0}`` · ``{"cuts": [[18, 40, 65], [40]]}`` ·
    ``{"dates": ["year", "decade"]}`` · ``{"ip": [24, 16]}`` (bits; or parts, ``[3, 2]``) ·
    ``{"file": "zip.csv"}`` · ``{"table": {value: [labels]}}`` · ``{"groups": {label: [values]}}`` ·
    ``{"edges": "terms.csv"}`` (child,parent; see :func:`from_edges`) · ``"zip.csv"``.

    Recipes, which a release turns into hierarchies when it is made: ``{"frequency": [10, 100]}`` ·
    ``{"priority": [values], "keep": [5, 2]}`` · ``{"quantiles": [20, 5]}`` · ``{"clusters": [8, 3], "like": column}``.

    >>> hierarchy({"prefix": [6, 3]}).height
    2
    """
    if isinstance(given, str | Path):
        given = {"file": given}
    if not isinstance(given, Mapping):
        if hasattr(given, "height") and (hasattr(given, "expression") or hasattr(given, "grow")):
            return given  # type: ignore[no-any-return]
        raise TacitError(
            f"a hierarchy cannot be made from {type(given).__name__}", fix="e.g. {'prefix': [5, 3, 1]} or a file's path"
        )
    words = [word for word in given if word not in BESIDE]
    if len(words) != 1 or words[0] not in (*WORDS, *RECIPES):
        odd = next((str(word) for word in words if word not in (*WORDS, *RECIPES)), "")
        said = ", ".join(map(repr, words)) or "nothing in it"
        raise TacitError(f"a hierarchy with {said} is unknown", fix=instead(odd, (*WORDS, *RECIPES)))
    alien = next((word for word, of in BESIDE.items() if word in given and of != words[0]), None)
    if alien is not None:
        raise TacitError(f"{alien!r} says nothing about {words[0]!r}", fix=f"it belongs to {BESIDE[alien]!r}")
    try:
        return (_grown if words[0] in RECIPES else _built)(words[0], given, folder)
    except (TypeError, AttributeError) as problem:
        raise TacitError(
            f"the content of {words[0]!r} is not of the form it needs", fix=f"e.g. {EXAMPLES.get(words[0], EXAMPLE)}"
        ) from problem


EXAMPLE = "{'prefix': [5, 3, 1]}"
EXAMPLES = {
    "edges": "{'edges': 'terms.csv'} with lines child,parent",
    "cuts": "{'cuts': [[18, 40, 65], [40]]}",
    "frequency": "{'frequency': [10, 100]}",
    "priority": "{'priority': ['physician', 'nurse'], 'keep': [2, 1]}",
    "quantiles": "{'quantiles': [20, 5]}",
    "clusters": "{'clusters': [8, 3], 'like': 'income'}",
}


def _grown(word: str, given: Mapping[str, Any], folder: Path | None) -> Recipe:  # noqa: ARG001 - as _built
    content = _listed(given[word])
    if word == "frequency":
        return Frequency(content)
    if word == "quantiles":
        return Quantiles(content)
    if word == "clusters":
        return Clusters(content, given.get("like"))
    return Priority(content, _listed(given.get("keep", (len(content),))))


def _listed(content: Any) -> tuple[Any, ...]:
    if isinstance(content, str):
        raise TypeError
    return tuple(content)


def _built(word: str, given: Mapping[str, Any], folder: Path | None) -> Hierarchy | Recipe:
    content = given[word]
    if word == "prefix":
        return Prefix(tuple(int(length) for length in content))
    if word == "intervals":
        return Intervals(tuple(content), int(given.get("origin", 0)))
    if word == "cuts":
        return Cuts(tuple(_listed(points) for points in content))
    if word == "dates":
        return Dates(tuple(content))
    if word == "ip":
        return addresses(tuple(int(length) for length in content))
    if word == "table":
        return from_table(content)
    if word == "groups":
        return from_groups(content)
    if word == "edges":
        edges = (folder or Path()) / content if isinstance(content, str | Path) else content
        return from_edges(edges, inner=given.get("inner", False), parents=given.get("parents", "one"))
    return from_file((folder or Path()) / content)
