"""From a release to a file, with the two last guards: no identifier leaves, and the rows are in random order."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from ..errors import TacitError
from .files import save
from .masked import Masked, release_of
from .release import Release


def write(release: Release | Masked, path: str | Path, *, order: Literal["random", "kept"] = "random") -> None:
    """Write a release to a file whose suffix names the format; the file appears whole or not at all.

    Refuses a release that still has an identifier column, and one whose rows stand in the order of the original (the
    order alone links every record back): shuffle it, or insist with ``order="kept"``.
    """
    release = release_of(release)
    if release.identifiers:
        raise TacitError(
            "is an identifier",
            code="unsuitable_column",
            column=release.identifiers[0],
            fix="drop it or pseudonymise it before writing",
        )
    if order == "random" and not release.shuffled:
        raise TacitError(
            "the rows stand in the order of the original, which links every record back",
            code="invalid_data",
            fix="mask it with tacit.protect.Shuffle() first, or insist with order='kept'",
        )
    instead = "let the engine write it, e.g. release.to_native().write.parquet(…)"
    release.capabilities.require("can_read_columns", "a release cannot be written to a file", instead=instead)
    save(release.to_native(), path, labels=release.labels, value_labels=release.value_labels)
