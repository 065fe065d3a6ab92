"""What panels found, by key: in memory while the studio runs, on disk for the next time."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ...errors import TacitError
from ..project.atomic_files import read_json, write_json

MOST = 400
"""Findings that a project keeps, in memory and on disk; the oldest go first."""
TIDIED = 50
"""After so many new ones the oldest are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelState:
    """A panel as it stands: found, being worked on, failed, stopped, or waiting for somebody to ask for it."""

    panel: str
    key: str
    state: Literal["ready", "working", "failed", "stopped", "unasked"]
    question: Mapping[str, Any]
    found: Any = None
    problem: TacitError | None = None
    step: str = ""
    share: float = 0.0


class ResultCache:
    """How work ended; what was found is on disk as well, in files of a folder that are named by their keys."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ended: dict[str, PanelState] = {}
        self._stored = 0
        self._remove_oldest()

    def get(self, name: str, key: str, question: Mapping[str, Any]) -> PanelState | None:
        """How the work under a key ended; None when nobody has done it, or it is too long ago."""
        if key not in self._ended:
            stored = read_json(self._folder / f"{key}.json")
            if stored is None:
                return None
            self.put(PanelState(panel=name, key=key, state="ready", question=question, found=stored))
        return self._ended[key]

    def put(self, shown: PanelState) -> None:
        """How the work under a key ended."""
        self._ended[shown.key] = shown
        while len(self._ended) > MOST:
            del self._ended[next(iter(self._ended))]

    def forget(self, key: str) -> None:
        """It is done anew."""
        self._ended.pop(key, None)

    def store(self, key: str, found: Any) -> None:
        """Keep it for the next time; an error on a full disk."""
        write_json(self._folder / f"{key}.json", found)
        self._stored += 1
        if self._stored % TIDIED == 0:
            self._remove_oldest()

    def _remove_oldest(self) -> None:
        with suppress(OSError):  # somebody else may clear the folder at the same time
            by_age = sorted(self._folder.glob("*.json"), key=lambda file: file.stat().st_mtime_ns, reverse=True)
            for file in by_age[MOST:]:
                file.unlink(missing_ok=True)
