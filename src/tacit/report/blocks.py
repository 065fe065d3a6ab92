"""What a page is made of: sections of paragraphs, tables, figures, lists and code, as plain values for the template."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph."""

    text: str
    kind: Literal["text"] = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table whose first column heads its rows; ``numeric`` columns stand to the right, ``folded`` ones open on demand."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()
    folded: bool = False
    kind: Literal["table"] = "table"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A chart, what it shows in words, and the numbers that it was drawn from, open at once or on demand."""

    svg: str
    caption: str
    table: Table
    open: bool = False


@dataclass(frozen=True, slots=True)
class Figures:
    """Charts beside each other, below each other on a phone."""

    figures: tuple[Figure, ...]
    kind: Literal["figures"] = "figures"


@dataclass(frozen=True, slots=True)
class Items:
    """A list of sentences."""

    items: tuple[str, ...]
    kind: Literal["items"] = "items"


@dataclass(frozen=True, slots=True)
class Steps:
    """Numbered steps: a name, a sentence, and pairs of a word and its value."""

    steps: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...]
    kind: Literal["steps"] = "steps"


@dataclass(frozen=True, slots=True)
class Code:
    """Lines to type, or a file as it stands, folded under a title when long; ``id`` is for links to it."""

    text: str
    title: str | None = None
    id: str | None = None
    kind: Literal["code"] = "code"


@dataclass(frozen=True, slots=True, kw_only=True)
class Map:
    """A chart that answers: what may stand on its axes (``risk``: the whole, so many ``kinds``, then attacks), the look of
    each strategy, and what its script reads. ``specification`` and ``data`` are JSON that is safe inside a script element.
    """

    caption: str
    risk: tuple[str, ...]
    kinds: int
    loss: tuple[str, ...]
    strategies: tuple[tuple[str, str, str], ...]
    specification: str
    data: str
    library: str
    kind: Literal["map"] = "map"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a heat map: its text, how dark it is (0 to 8), its status for colour and mark, and more to read on demand."""

    text: str
    shade: int = 0
    status: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heat:
    """A table as a heat map; rows have a head that stands in by its ``depth``. The ``legend`` explains the statuses."""

    caption: str
    corner: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, int, tuple[Cell, ...]], ...]
    legend: tuple[tuple[str, str], ...] = ()
    folded: bool = False
    kind: Literal["heat"] = "heat"


Block: TypeAlias = Text | Table | Figures | Items | Steps | Code | Map | Heat


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the page under its own heading."""

    id: str
    title: str
    blocks: tuple[Block, ...] = field(default=())
