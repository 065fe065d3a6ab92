"""One way in: a hierarchy from the plain description that a plan or a call gives."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import TacitError, instead
from .ladder import Hierarchy
from .rules import Dates, Intervals, Octets, Prefix
from .table import from_file, from_groups, from_table

__all__ = ["hierarchy"]

WORDS = ("prefix", "intervals", "dates", "ip", "file", "table", "groups")


def hierarchy(given: Any, *, folder: Path | None = None) -> Hierarchy:
    """A hierarchy from a description, a file's path, or itself.

    ``{"prefix": [5, 3, 1]}`` · ``{"intervals": [5, 10], "origin": 0}`` · ``{"dates": ["year", "decade"]}`` ·
    ``{"ip": [3, 2]}`` ·
    ``{"file": "zip.csv"}`` · ``{"table": {value: [labels]}}`` · ``{"groups": {label: [values]}}`` · ``"zip.csv"``.

    >>> hierarchy({"prefix": [6, 3]}).height
    2
    """
    if isinstance(given, str | Path):
        given = {"file": given}
    if not isinstance(given, Mapping):
        if hasattr(given, "expression") and hasattr(given, "height"):
            return given  # type: ignore[no-any-return]
        raise TacitError(
            f"a hierarchy cannot be made from {type(given).__name__}", fix="e.g. {'prefix': [5, 3, 1]} or a file's path"
        )
    words = [word for word in given if word != "origin"]
    if len(words) != 1 or words[0] not in WORDS:
        odd = next((str(word) for word in words if word not in WORDS), "")
        said = ", ".join(map(repr, words)) or "nothing in it"
        raise TacitError(f"a hierarchy with {said} is unknown", fix=instead(odd, WORDS))
    return _built(words[0], given, folder)


def _built(word: str, given: Mapping[str, Any], folder: Path | None) -> Hierarchy:
    content = given[word]
    try:
        if word == "prefix":
            return Prefix(tuple(int(length) for length in content))
        if word == "intervals":
            return Intervals(tuple(content), int(given.get("origin", 0)))
        if word == "dates":
            return Dates(tuple(content))
        if word == "ip":
            return Octets(tuple(int(part) for part in content))
        if word == "table":
            return from_table(content)
        if word == "groups":
            return from_groups(content)
        return from_file((folder or Path()) / content)
    except (TypeError, AttributeError) as problem:
        raise TacitError(
            f"the content of {word!r} is not of the form it needs", fix="e.g. {'prefix': [5, 3, 1]}"
        ) from problem
