"""Every state that the documents of a project were in, and which of them is the present one."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import TacitError
from .disk import read_json, write_json


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What was done, and the texts of the documents after it (name → TOML)."""

    number: int
    said: str
    documents: Mapping[str, str]


class History:
    """States on disk, one file each, and an index that says which of them are undone.

    A state is written before the index that names it, so that a crash between the two loses nothing that was there.
    Doing something after an undo ends the states that were undone. O(1) files written for each change.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        index = _index(folder / "history.json")
        self._said: list[tuple[int, str]] = [(int(n), str(said)) for n, said in index["states"]] if index else []
        self._place: int = int(index["place"]) if index else -1
        self.version: int = int(index["version"]) if index else 0
        self._present: State | None = None

    def __len__(self) -> int:
        return len(self._said)

    @property
    def said(self) -> tuple[tuple[int, str], ...]:
        """Number and description of every state, oldest first."""
        return tuple(self._said)

    @property
    def place(self) -> int:
        """Where the present state stands in the list."""
        return self._place

    @property
    def present(self) -> State:
        """The present state, read once: every part of a page asks for it."""
        if self._present is None:
            self._present = self.state(self._said[self._place][0])
        return self._present

    def state(self, number: int) -> State:
        """A state by its number."""
        said = dict(self._said).get(number)
        documents = read_json(self._file(number))
        if said is None or documents is None:
            raise TacitError(f"there is no state {number} in this project", fix="choose one from the list")
        return State(number=number, said=said, documents=documents)

    def had(self, document: str, text: str) -> bool:
        """Whether a document has this text in some state; the present one is looked at first."""
        if self.present.documents.get(document) == text:
            return True
        states = (read_json(self._file(number)) or {} for number, _ in reversed(self._said))
        return any(state.get(document) == text for state in states)

    def add(self, said: str, documents: Mapping[str, str]) -> State:
        """A new present state, after the one that was."""
        number = max((number for number, _ in self._said), default=0) + 1
        write_json(self._file(number), dict(documents))
        gone = self._said[self._place + 1 :]
        self._write([*self._said[: self._place + 1], (number, said)], self._place + 1)
        for undone, _ in gone:
            with suppress(OSError):  # it is out of the list, whether its file goes or not
                self._file(undone).unlink()
        self._present = State(number=number, said=said, documents=dict(documents))
        return self._present

    def at(self, place: int) -> State:
        """The state at a place of the list."""
        if not 0 <= place < len(self._said):
            raise TacitError("there is nothing to undo or to do again", fix="choose a step from the list")
        return self.state(self._said[place][0])

    def go(self, place: int) -> State:
        """Another state becomes the present one; those after it stay, to be done again."""
        wanted = self.at(place)  # before anything is written: its file may be damaged
        self._write(self._said, place)
        self._present = wanted
        return wanted

    def _write(self, states: list[tuple[int, str]], place: int) -> None:
        version = self.version + 1
        write_json(self._folder / "history.json", {"version": version, "place": place, "states": states})
        self._said, self._place, self.version, self._present = list(states), place, version, None

    def _file(self, number: int) -> Path:
        return self._folder / "states" / f"{number}.json"


def _index(path: Path) -> Any:
    """The index, or None for a new project; one that is there and cannot be read is not written over."""
    found = read_json(path)
    if found is None and path.exists():
        raise TacitError(
            f"the history of the project {path.parent.parent.name!r} cannot be read",
            fix=f"make {path.parent.name}/{path.name} readable, or move {path.parent.name} away to begin a new history: "
            "the plans beside it are taken up as they are",
        )
    return found
