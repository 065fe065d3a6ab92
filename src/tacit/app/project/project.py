"""A project: its folder, its documents and their history."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ...errors import TacitError
from ...plan.load import LoadedPlan, from_text
from ...plan.parse import text_of
from ...plan.table.load import table_plan
from .atomic_files import disk_errors, draft_file, read_json, write_json
from .leftovers import drop_drafts, drop_results

DOCUMENTS = {"plan": "plan.toml", "table": "table.toml"}
"""The documents of a project and their files: the plan of the microdata, and that of a table."""

MOST = 20


class Stale(TacitError):
    """The page that asked shows an older state: another window was faster."""

    def __init__(self, what: str, *, fix: str) -> None:
        super().__init__(what, code="stale", fix=fix)


class Project:
    """What the studio works on.

        project/plan.toml, table.toml   the present plans, for ``tacit release`` and ``tacit table protect``
        project/data/                   files that were dropped into the page
        project/out/                    what was released
        project/.studio/                history, notices, named variants, and what was computed already

    All of it is on disk at all times, so that a reload or a crash loses nothing.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        self._own = self.folder / ".studio"
        with disk_errors(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            self._own.mkdir(mode=0o700, exist_ok=True)  # what was found shows records
            (self._own / "states").mkdir(exist_ok=True)
            (self._own / "found").mkdir(exist_ok=True)
        self._lock = acquire_lock(self._own / "lock")
        drop_drafts((self.folder, self.folder / "data", self._own, self._own / "states", self.cache_folder))
        self.history = History(self._own)
        self.notices = Notices(self._own / "notices.json")
        self._variants: dict[str, dict[str, str]] = read_json(self._own / "variants.json") or {}
        if not len(self.history):
            self.history.add("a new project", dict.fromkeys(DOCUMENTS, ""))
        self._take_up()
        with self._write_documents(self.documents):
            pass
        drop_results(self.output_folders)

    @property
    def cache_folder(self) -> Path:
        """The folder of what was computed already."""
        return self._own / "found"

    @property
    def output_folders(self) -> list[Path]:
        """The folders that the present plans name for their results."""
        plans = [self.raw(name) for name in DOCUMENTS]
        return [self.folder / plan.get("output", {}).get("directory", "out") for plan in plans]

    @property
    def version(self) -> int:
        """Grows with every change."""
        return self.history.version

    @property
    def documents(self) -> Mapping[str, str]:
        """The present texts of the documents."""
        return self.history.current_state.documents

    def raw(self, document: str = "plan") -> dict[str, Any]:
        """A document as plain values; empty before anything was chosen."""
        return tomllib.loads(self.documents.get(document, ""))

    def draft(self) -> LoadedPlan | None:
        """The plan as far as it is written, or None without a file to work on."""
        text = self.documents["plan"]
        return from_text(text, folder=self.folder, name=DOCUMENTS["plan"], draft=True) if text else None

    def change(self, said: str, documents: Mapping[str, str], *, version: int | None = None) -> State:
        """A new state; refused when the page that asks for it shows an older one."""
        self.check_version(version)
        texts = {**self.documents, **documents}
        with self._write_documents(texts):
            return self.history.add(said, texts)

    def go_to(self, move: Callable[[int], int], *, version: int | None = None) -> State:
        """Undo or do again, to the place that ``move`` makes of the present one."""
        self.check_version(version)
        place = move(self.history.position)
        with self._write_documents(self.history.state_at(place).documents):
            return self.history.go_to(place)

    @property
    def variants(self) -> Mapping[str, Mapping[str, str]]:
        """States that got a name, for comparison: name → texts of the documents."""
        return self._variants

    def name_variant(self, name: str) -> None:
        """Give the present state a name; one of that name is replaced."""
        if not name.strip():
            raise TacitError("the variant has no name", code="missing_parameter", fix="type one, e.g. with noise")
        self._keep_variants({**self._variants, name.strip(): dict(self.documents)})

    def forget_variant(self, name: str) -> None:
        """Take a name away; the history stays as it is."""
        self._keep_variants({other: texts for other, texts in self._variants.items() if other != name})

    def _keep_variants(self, variants: dict[str, dict[str, str]]) -> None:
        write_json(self._own / "variants.json", variants)
        self._variants = variants

    def seed(self, draw: Callable[[], bytes]) -> bytes:
        """The seed of what the page shows, drawn once: a release has one of its own."""
        path = self._own / "seed.json"
        kept_seed = read_json(path)
        if not isinstance(kept_seed, str):
            kept_seed = draw().hex()
            write_json(path, kept_seed)
        return bytes.fromhex(kept_seed)

    def _take_up(self) -> None:
        """What others wrote into the files of the documents becomes a state, so that no change of ours overwrites it.

        A text that some state has is our own: of before a crash between a state and its file.
        """
        there = {name: self.folder / file for name, file in DOCUMENTS.items() if (self.folder / file).is_file()}
        written = {name: text_of(file) for name, file in there.items()}
        theirs = {name: text for name, text in written.items() if not self.history.has_text(name, text)}
        if theirs:
            check_readable(theirs, self.folder)
            files = " and ".join(DOCUMENTS[name] for name in theirs)
            self.history.add(f"{files} as it was changed elsewhere", {**self.documents, **theirs})

    def check_version(self, version: int | None) -> None:
        """Refuse what comes from a page that shows an older state; what others wrote into the files is taken up first."""
        self._take_up()
        if version is not None and version != self.version:
            raise Stale(
                "the project was changed in another window or program in the meantime",
                fix="the page now shows its present state: look at it, then do it again",
            )

    @contextmanager
    def _write_documents(self, texts: Mapping[str, str]) -> Iterator[None]:
        """The files of the documents, after the history has them: a disk that is full is noticed before either changes.

        A crash between the two leaves files of an earlier state, which the next start knows and writes again.
        """
        with ExitStack() as drafts:
            for name, file in DOCUMENTS.items():
                if texts.get(name):
                    drafts.enter_context(draft_file(self.folder / file, texts[name]))
            yield
        with disk_errors(self.folder):
            for name, file in DOCUMENTS.items():
                if not texts.get(name):
                    (self.folder / file).unlink(missing_ok=True)


def check_readable(texts: Mapping[str, str], folder: Path) -> None:
    """Check that documents can be read, as far as they are written; an error says where not."""
    if texts.get("plan"):
        from_text(texts["plan"], folder=folder, name=DOCUMENTS["plan"], draft=True)
    if texts.get("table"):
        table_plan(texts["table"], folder=folder, name=DOCUMENTS["table"], draft=True)


def acquire_lock(path: Path) -> int:
    """Take the lock for as long as this process lives; an error when another studio has it."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock_handle(handle)
    except OSError:
        os.close(handle)
        raise TacitError(
            f"another studio has the project {path.parent.parent.name!r} open",
            code="cannot_write",
            fix="go on in its page, or end it; or name another folder with --project",
        ) from None
    return handle


def _lock_handle(handle: int) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
        return
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """What happened, as :meth:`TacitError.as_json` tells it; ``times`` counts how often, ``about`` says of which form."""

    number: int
    problem: Mapping[str, Any]
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

    def add_problem(self, problem: TacitError, about: str = "") -> Notice:
        """An error as a notice; the same one again is counted, and another one about the same form takes its place."""
        told = problem.as_json()
        same = next((one for one in self._kept if one.problem == told), None)
        number = max((one.number for one in self._kept), default=0) + 1
        new = Notice(number=number, problem=told, times=same.times + 1 if same else 1, about=about)
        others = (one for one in self._kept if one is not same and not (about and one.about == about))
        self._kept = [*others, new][-MOST:]
        self._write_file()
        return new

    def dismiss(self, number: int) -> None:
        """Take a notice away."""
        self._kept = [one for one in self._kept if one.number != number]
        self._write_file()

    def clear_form(self, about: str) -> None:
        """Take away what was wrong with a form that is accepted now."""
        if any(one.about == about for one in self._kept):
            self._kept = [one for one in self._kept if one.about != about]
            self._write_file()

    def _write_file(self) -> None:
        try:
            write_json(self._path, [asdict(one) for one in self._kept])
        except TacitError:
            return  # on a full disk the notice that says so is still shown


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
        index = _read_index(folder / "history.json")
        self._said: list[tuple[int, str]] = [(int(n), str(said)) for n, said in index["states"]] if index else []
        self._place: int = int(index["place"]) if index else -1
        self.version: int = int(index["version"]) if index else 0
        self._present: State | None = None

    def __len__(self) -> int:
        return len(self._said)

    @property
    def descriptions(self) -> tuple[tuple[int, str], ...]:
        """Number and description of every state, oldest first."""
        return tuple(self._said)

    @property
    def position(self) -> int:
        """Where the present state stands in the list."""
        return self._place

    @property
    def current_state(self) -> State:
        """The present state, read once: every part of a page asks for it."""
        if self._present is None:
            self._present = self.state(self._said[self._place][0])
        return self._present

    def state(self, number: int) -> State:
        """A state by its number."""
        said = dict(self._said).get(number)
        documents = read_json(self._state_file(number))
        if said is None or documents is None:
            raise TacitError(
                f"there is no state {number} in this project", code="unknown_name", fix="choose one from the list"
            )
        return State(number=number, said=said, documents=documents)

    def has_text(self, document: str, text: str) -> bool:
        """Whether a document has this text in some state; the present one is looked at first."""
        if self.current_state.documents.get(document) == text:
            return True
        states = (read_json(self._state_file(number)) or {} for number, _ in reversed(self._said))
        return any(state.get(document) == text for state in states)

    def add(self, said: str, documents: Mapping[str, str]) -> State:
        """A new present state, after the one that was."""
        number = max((number for number, _ in self._said), default=0) + 1
        write_json(self._state_file(number), dict(documents))
        gone = self._said[self._place + 1 :]
        self._write_index([*self._said[: self._place + 1], (number, said)], self._place + 1)
        for undone, _ in gone:
            with suppress(OSError):  # it is out of the list, whether its file goes or not
                self._state_file(undone).unlink()
        self._present = State(number=number, said=said, documents=dict(documents))
        return self._present

    def state_at(self, place: int) -> State:
        """The state at a place of the list."""
        if not 0 <= place < len(self._said):
            raise TacitError(
                "there is nothing to undo or to do again", code="wrong_type", fix="choose a step from the list"
            )
        return self.state(self._said[place][0])

    def go_to(self, place: int) -> State:
        """Another state becomes the present one; those after it stay, to be done again."""
        wanted = self.state_at(place)  # before anything is written: its file may be damaged
        self._write_index(self._said, place)
        self._present = wanted
        return wanted

    def _write_index(self, states: list[tuple[int, str]], place: int) -> None:
        version = self.version + 1
        write_json(self._folder / "history.json", {"version": version, "place": place, "states": states})
        self._said, self._place, self.version, self._present = list(states), place, version, None

    def _state_file(self, number: int) -> Path:
        return self._folder / "states" / f"{number}.json"


def _read_index(path: Path) -> Any:
    """The index, or None for a new project; one that is there and cannot be read is not written over."""
    found = read_json(path)
    if found is None and path.exists():
        raise TacitError(
            f"the history of the project {path.parent.parent.name!r} cannot be read",
            code="cannot_read",
            fix=f"make {path.parent.name}/{path.name} readable, or move {path.parent.name} away to begin a new history: "
            "the plans beside it are taken up as they are",
        )
    return found
