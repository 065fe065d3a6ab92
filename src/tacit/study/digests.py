"""The content of things as a digest: what is the same has the same one, in every process and on every day."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from types import CodeType, FunctionType, ModuleType
from typing import Any

import polars as pl

from ..release.release import Release


def digest(said: Any, *releases: Release | None) -> str:
    """Of plain data, methods, functions and releases.

    A function is known by its code, by what it has closed over, and by the global names that it uses: the name under which it
    lies in memory changes from run to run, and may be that of another one.

    >>> digest({"a": lambda x: x + 1}) == digest({"a": lambda x: x + 1}), digest(1) == digest(2)
    (True, False)
    """
    mixed = hashlib.blake2b(_canonical_json(said).encode(), digest_size=16)
    for release in releases:
        mixed.update(b"none" if release is None else release_digest(release))
    return mixed.hexdigest()


def release_digest(release: Release) -> bytes:
    """Of the cells of a release and of its description. O(cells) time and memory."""
    described = {
        "roles": dict(release.roles),
        "kinds": dict(release.declared_kinds),
        "missing": release.missing,
        "levels": dict(release.levels),
        "mixed": release.mixed,
        "hierarchies": {column: dict(ladder.spec()) for column, ladder in release.hierarchies.items()},
    }
    cells = io.BytesIO()
    pl.DataFrame({column: release.series(column) for column in release.columns}).rechunk().write_ipc(cells)
    return hashlib.blake2b(_canonical_json(described).encode() + hashlib.blake2b(cells.getvalue()).digest()).digest()


def _canonical_json(said: Any) -> str:
    return json.dumps(said, sort_keys=True, default=_to_plain)


def _to_plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, FunctionType):
        closed = [cell.cell_contents for cell in value.__closure__ or ()]
        used = {
            name: value.__globals__[name] for name in _referenced_names(value.__code__) if name in value.__globals__
        }
        known = {name: one for name, one in used.items() if one is not value}
        return [_to_plain(value.__code__), closed, value.__defaults__, value.__kwdefaults__, known]
    if isinstance(value, CodeType):
        return [value.co_code.hex(), list(value.co_consts), list(value.co_names)]
    if isinstance(value, ModuleType | type):
        return f"{value.__name__}"
    return repr(value)


def _referenced_names(code: CodeType) -> set[str]:
    """The names that a function and those inside it look up."""
    inner = [_referenced_names(one) for one in code.co_consts if isinstance(one, CodeType)]
    return {*code.co_names, *(name for names in inner for name in names)}
