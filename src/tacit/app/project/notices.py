"""Errors, which stay until somebody dismisses them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from ...errors import TacitError
from .disk import read_json, write_json

__all__ = ["Notice", "Notices"]

MOST = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """What happened and what mends it; ``times`` counts how often, ``about`` says which form it is about."""

    number: int
    what: str
    fix: str
    times: int = 1
    about: str = ""


class Notices:
    """The notices of a project, oldest first; kept on disk, so that a reload or a crash does not lose an error."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept: list[Notice] = []
        with suppress(TypeError):  # what another version wrote
            self._kept = [Notice(**one) for one in read_json(path) or []]

    def __iter__(self) -> Iterator[Notice]:
        return iter(self._kept)

    def problem(self, problem: TacitError, about: str = "") -> Notice:
        """An error as a notice; the same one again is counted, and another one about the same form takes its place."""
        what, fix = problem.told, problem.fix
        same = next((one for one in self._kept if (one.what, one.fix) == (what, fix)), None)
        number = max((one.number for one in self._kept), default=0) + 1
        new = Notice(number=number, what=what, fix=fix, times=same.times + 1 if same else 1, about=about)
        others = (one for one in self._kept if one is not same and not (about and one.about == about))
        self._kept = [*others, new][-MOST:]
        self._write()
        return new

    def dismiss(self, number: int) -> None:
        """Take a notice away."""
        self._kept = [one for one in self._kept if one.number != number]
        self._write()

    def settle(self, about: str) -> None:
        """Take away what was wrong with a form that is accepted now."""
        if any(one.about == about for one in self._kept):
            self._kept = [one for one in self._kept if one.about != about]
            self._write()

    def _write(self) -> None:
        try:
            write_json(self._path, [asdict(one) for one in self._kept])
        except TacitError:
            return  # on a full disk the notice that says so is still shown
