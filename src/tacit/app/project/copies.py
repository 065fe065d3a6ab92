"""Copies of files that were dropped on the page: they stay in the project until somebody removes them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...files import PREFIX
from .atomic_files import disk_errors
from .project import Project


def list_unused_copies(project: Project) -> list[Path]:
    """Files in the project's folder ``data`` that neither the present plans nor a named variant read."""
    texts = [*project.documents.values(), *(text for one in project.variants.values() for text in one.values())]
    named = {(project.folder / name).resolve() for text in texts for name in _texts_in(_parse_toml(text))}
    files = (path for path in sorted((project.folder / "data").rglob("*")) if path.is_file())
    return [path for path in files if path.resolve() not in named and not path.name.startswith(PREFIX)]


def remove_unused_copies(project: Project) -> int:
    """Remove these files from the disk, and say how many; undoing a step does not bring them back."""
    unused = list_unused_copies(project)
    with disk_errors(project.folder):
        for path in unused:
            path.unlink(missing_ok=True)
    return len(unused)


def _parse_toml(text: str) -> Any:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def _texts_in(value: Any) -> Iterator[str]:
    """Every text in plain values, whatever it stands for: a file is kept rather than missed."""
    if isinstance(value, str) and "\0" not in value and len(value) < 4096:
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _texts_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts_in(part)
