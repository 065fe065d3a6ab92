"""All words of the pages in one folder for each language, ``en/SECTION.toml``: translating is copying the folder."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["Texts", "texts"]


class Texts:
    """Texts by section and key: ``say.data.title``; a key that is not there is an error, not an empty place."""

    def __init__(self, given: dict[str, Any], path: str = "") -> None:
        self._given, self._path = given, path

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_") or key not in self._given:
            raise AttributeError(f"there is no text {self._path}{key}")
        found = self._given[key]
        return Texts(found, f"{self._path}{key}.") if isinstance(found, dict) else found

    @property
    def mapping(self) -> Mapping[str, str]:
        """The texts of this section."""
        return {key: text for key, text in self._given.items() if isinstance(text, str)}

    @property
    def sections(self) -> tuple[str, ...]:
        """The names of the sections inside this one."""
        return tuple(key for key, found in self._given.items() if isinstance(found, dict))

    def get(self, key: str, default: str = "") -> str:
        """A text by a key that is computed, or another where there is none."""
        return str(self._given.get(key, default))


@cache
def texts(language: str = "en") -> Texts:
    """The texts of a language."""
    assert __package__ is not None
    found = (file for file in (files(__package__) / language).iterdir() if file.name.endswith(".toml"))
    return Texts({file.name.removesuffix(".toml"): tomllib.loads(file.read_text(encoding="utf-8")) for file in found})
