"""One way in: a hierarchy from the plain description that a plan or a call gives."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv6Address, IPv6Network
from pathlib import Path
from typing import Any, Literal, TypeAlias

import narwhals as nw
import numpy as np
import polars as pl

from ...errors import TacitError, format_value, suggest_alternative
from ..engines.table import Type
from .base import TOP, Hierarchy
from .clusters import Clusters
from .cuts import Cuts
from .frequency import Frequency, Priority
from .recipe import Recipe, Tally, check_falling
from .rules import Dates, Intervals, Prefix
from .table import TableHierarchy, from_file, from_groups, from_table

WORDS = ("prefix", "intervals", "cuts", "dates", "ip", "file", "table", "groups", "edges")


RECIPES = ("frequency", "priority", "quantiles", "clusters")


BESIDE = {"origin": "intervals", "keep": "priority", "like": "clusters", "inner": "edges", "parents": "edges"}


"""Words that say more about another one."""


Parents: TypeAlias = Literal["one", "shortest"]


HEADER = ("child", "parent")


def hierarchy(given: Any, *, folder: Path | None = None) -> Hierarchy | Recipe:
    """A hierarchy from a description, a file's path, or itself; a recipe where the data decide the labels.

    ``{"prefix": [5, 3, 1]}`` · ``{"intervals": [5, 10], "origin": 0}`` · ``{"cuts": [[18, 40, 65], [40]]}`` ·
    ``{"dates": ["year", "decade"]}`` · ``{"ip": [24, 16]}`` (bits; or parts, ``[3, 2]``) ·
    ``{"file": "zip.csv"}`` · ``{"table": {value: [labels]}}`` · ``{"groups": {label: [values]}}`` ·
    ``{"edges": "terms.csv"}`` (child,parent; see :func:`from_edges`) · ``"zip.csv"``.

    Recipes, which a release turns into hierarchies when it is made: ``{"frequency": [10, 100]}`` ·
    ``{"priority": [values], "keep": [5, 2]}`` · ``{"quantiles": [20, 5]}`` · ``{"clusters": [8, 3], "like": column}``.

    >>> hierarchy({"prefix": [6, 3]}).height
    2
    """
    if isinstance(given, str | Path):
        given = {"file": given}
    if not isinstance(given, Mapping):
        if hasattr(given, "height") and (hasattr(given, "expression") or hasattr(given, "grow")):
            return given  # type: ignore[no-any-return]
        raise TacitError(
            f"a hierarchy cannot be made from {type(given).__name__}",
            code="cannot_write",
            fix="e.g. {'prefix': [5, 3, 1]} or a file's path",
        )
    words = [word for word in given if word not in BESIDE]
    if len(words) != 1 or words[0] not in (*WORDS, *RECIPES):
        odd = next((str(word) for word in words if word not in (*WORDS, *RECIPES)), "")
        said = ", ".join(map(repr, words)) or "nothing in it"
        raise TacitError(
            f"a hierarchy with {said} is unknown", code="unknown_name", fix=suggest_alternative(odd, (*WORDS, *RECIPES))
        )
    alien = next((word for word, of in BESIDE.items() if word in given and of != words[0]), None)
    if alien is not None:
        raise TacitError(
            f"{alien!r} says nothing about {words[0]!r}",
            code="conflicting_parameters",
            fix=f"it belongs to {BESIDE[alien]!r}",
        )
    try:
        return (_make_recipe if words[0] in RECIPES else _make_hierarchy)(words[0], given, folder)
    except (TypeError, AttributeError) as problem:
        raise TacitError(
            f"the content of {words[0]!r} is not of the form it needs",
            code="wrong_type",
            fix=f"e.g. {EXAMPLES.get(words[0], EXAMPLE)}",
        ) from problem


EXAMPLE = "{'prefix': [5, 3, 1]}"


EXAMPLES = {
    "edges": "{'edges': 'terms.csv'} with lines child,parent",
    "cuts": "{'cuts': [[18, 40, 65], [40]]}",
    "frequency": "{'frequency': [10, 100]}",
    "priority": "{'priority': ['physician', 'nurse'], 'keep': [2, 1]}",
    "quantiles": "{'quantiles': [20, 5]}",
    "clusters": "{'clusters': [8, 3], 'like': 'income'}",
}


def _make_recipe(word: str, given: Mapping[str, Any], folder: Path | None) -> Recipe:  # noqa: ARG001 - as _built
    content = _as_tuple(given[word])
    if word == "frequency":
        return Frequency(content)
    if word == "quantiles":
        return Quantiles(content)
    if word == "clusters":
        return Clusters(content, given.get("like"))
    return Priority(content, _as_tuple(given.get("keep", (len(content),))))


def _as_tuple(content: Any) -> tuple[Any, ...]:
    if isinstance(content, str):
        raise TypeError
    return tuple(content)


def _make_hierarchy(word: str, given: Mapping[str, Any], folder: Path | None) -> Hierarchy | Recipe:
    content = given[word]
    if word == "prefix":
        return Prefix(tuple(int(length) for length in content))
    if word == "intervals":
        return Intervals(tuple(content), int(given.get("origin", 0)))
    if word == "cuts":
        return Cuts(tuple(_as_tuple(points) for points in content))
    if word == "dates":
        return Dates(tuple(content))
    if word == "ip":
        return address_hierarchy(tuple(int(length) for length in content))
    if word == "table":
        return from_table(content)
    if word == "groups":
        return from_groups(content)
    if word == "edges":
        edges = (folder or Path()) / content if isinstance(content, str | Path) else content
        return from_edges(edges, inner=given.get("inner", False), parents=given.get("parents", "one"))
    return from_file((folder or Path()) / content)


def from_edges(
    given: str | Path | Mapping[Any, Any] | Iterable[Sequence[Any]], *, inner: bool = False, parents: str = "one"
) -> TableHierarchy:
    """A hierarchy from child → parent: a CSV with two columns, a mapping, or pairs.

    The one node without a parent is the root and becomes ``*``; a line may say so with an empty parent. Branches may
    differ in length: a node stands at the level that its depth gives it, and a short branch repeats its leaf below. The
    values are the leaves; with ``inner`` every node but the root is one, because records may say "physician" where
    others say "surgeon". A first line ``child,parent`` is a header.

    A node with two parents is refused, because a hierarchy is a tree; with ``parents="shortest"`` it keeps the parent
    that is nearest to the root, the first listed of several. O(edges + nodes · height).

    >>> from_edges({"surgeon": "health", "nurse": "health", "health": "work", "clerk": "work"}).rows
    (('surgeon', 'health', '*'), ('nurse', 'health', '*'), ('clerk', 'clerk', '*'))
    """
    if parents not in ("one", "shortest"):
        raise TacitError(
            f"parents={format_value(parents)} is unknown",
            code="unknown_name",
            parameter="parents",
            fix="'one' refuses a second parent, 'shortest' chooses",
        )
    if not isinstance(inner, bool):
        raise TacitError(
            f"inner={format_value(inner)} is neither true nor false",
            code="not_boolean",
            parameter="inner",
            fix="inner = true makes every node a value",
        )
    if isinstance(given, str | Path):
        file = Path(given)
        try:
            return _tree_from_edges(_read_edges(file), inner=inner, parents=parents)
        except TacitError as problem:
            raise problem.with_location(file.name) from None
    return _tree_from_edges(_edge_pairs(given), inner=inner, parents=parents)


def _edge_pairs(given: Mapping[Any, Any] | Iterable[Sequence[Any]]) -> list[tuple[str, str]]:
    """The edges as texts; a child may have a list of parents, and no parent is empty."""
    found: list[tuple[str, str]] = []
    edges = list(given.items()) if isinstance(given, Mapping) else [tuple(pair) for pair in given]
    if any(len(edge) != 2 for edge in edges):
        raise TacitError(
            "an edge is not a pair of child and parent", code="wrong_type", fix="e.g. [['surgeon', 'health'], …]"
        )
    for child, above in edges:
        several = above if isinstance(above, list | tuple) else (above,)
        found += [(str(child), "" if parent is None else str(parent)) for parent in several]
    return found


def _read_edges(file: Path) -> list[tuple[str, str]]:
    import csv

    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError as problem:
        raise TacitError(
            "the file is not there", code="wrong_type", fix="check the path; it is relative to the plan file"
        ) from problem
    except (OSError, UnicodeDecodeError) as problem:
        raise TacitError(
            "the file cannot be read as UTF-8 text", code="cannot_read", fix="save it as UTF-8 CSV"
        ) from problem
    separator = max(";,\t", key=text.split("\n", 1)[0].count)
    rows = [(number, row) for number, row in enumerate(csv.reader(text.splitlines(), delimiter=separator), 1) if row]
    for number, row in rows:
        if len(row) != 2:
            raise TacitError(
                f"line {number} has {len(row)} cells where a child and its parent are needed",
                code="too_few_records",
                fix="write one edge a line: child,parent; quote names with commas",
            )
    found = [(row[0].strip(), row[1].strip()) for _, row in rows]
    header = found[:1] and tuple(cell.casefold() for cell in found[0]) == HEADER
    return found[1:] if header else found


def _tree_from_edges(edges: Sequence[tuple[str, str]], *, inner: bool, parents: str) -> TableHierarchy:
    above: dict[str, list[str]] = {}
    for child, parent in edges:
        if not child or child == parent:
            raise TacitError(
                f"{child!r} is the parent of itself" if child else "an edge has no child",
                code="invalid_data",
                fix="write one edge a line: child,parent; leave the root's line out",
            )
        if parent not in above.setdefault(child, []) and parent:
            above[child].append(parent)
    root = _find_root(above)
    depth = _node_depths(above, root)
    _check_parents(above, parents)
    parent_of = {child: min(several, key=depth.__getitem__) for child, several in above.items() if several}
    with_children = set(parent_of.values())
    values = [node for node in depth if node != root and (inner or node not in with_children)]
    height = max(depth.values())
    return TableHierarchy(tuple(_hierarchy_row(value, parent_of, depth, height) for value in _in_order(values, above)))


def _find_root(above: Mapping[str, Sequence[str]]) -> str:
    """The one node without a parent; where a line declares it, others without one are unknown."""
    declared = [child for child, several in above.items() if not several]
    listed = [parent for several in above.values() for parent in several if parent not in above]
    roots = list(dict.fromkeys([*declared, *listed]))
    if not roots:
        raise TacitError(
            "no node is without a parent" if above else "there is no edge",
            code="missing_parameter",
            fix="one node is the root: it has no line of its own, or one with an empty parent",
        )
    if len(roots) > 1 and len(declared) == 1:
        raise TacitError(
            f"{roots[1]!r} is a parent and has no line of its own, although the root is {roots[0]!r}",
            code="invalid_data",
            fix=f"add a line for it, e.g. {roots[1]},{roots[0]}, or correct its spelling",
        )
    if len(roots) > 1:
        raise TacitError(
            f"{len(roots)} nodes have no parent, among them {roots[0]!r} and {roots[1]!r}",
            code="invalid_data",
            fix="put them under one root, and see whether a parent is misspelt",
        )
    return roots[0]


def _node_depths(above: Mapping[str, Sequence[str]], root: str) -> dict[str, int]:
    """The fewest steps from the root to each node; what cannot be reached goes round in a circle."""
    below = _children_of(above)
    depth, queue = {root: 0}, deque([root])
    while queue:
        node = queue.popleft()
        for child in below.get(node, ()):
            if child not in depth:
                depth[child] = depth[node] + 1
                queue.append(child)
    circular = next((child for child in above if child not in depth), None) or _on_circle(above, root)
    if circular is not None:
        raise TacitError(
            f"{circular!r} lies above or under a node that is its own ancestor",
            code="invalid_data",
            fix="follow its parents, and cut the circle",
        )
    return depth


def _children_of(above: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    below: dict[str, list[str]] = {}
    for child, several in above.items():
        for parent in several:
            below.setdefault(parent, []).append(child)
    return below


def _on_circle(above: Mapping[str, Sequence[str]], root: str) -> str | None:
    """A node that a circle of second parents leaves over when nodes are taken away from the root down."""
    waits = {child: len(several) for child, several in above.items() if child != root}
    below, free = _children_of(above), [root]
    while free:
        for child in below.get(free.pop(), ()):
            waits[child] -= 1
            if not waits[child]:
                free.append(child)
    return next((child for child, count in waits.items() if count > 0), None)


def _check_parents(above: Mapping[str, Sequence[str]], parents: str) -> None:
    several = [child for child, found in above.items() if len(found) > 1]
    if several and parents == "one":
        first = several[0]
        raise TacitError(
            f"{len(several)} nodes have more than one parent, the first of them {first!r}, under {above[first][0]!r} and "
            f"{above[first][1]!r}",
            code="out_of_range",
            fix="keep one, or say parents = 'shortest' to take the one nearest to the root",
        )


def _in_order(values: Sequence[str], above: Mapping[str, Sequence[str]]) -> list[str]:
    """In the order of their lines."""
    place = {child: number for number, child in enumerate(above)}
    return sorted(values, key=place.__getitem__)


def _hierarchy_row(value: str, parent_of: Mapping[str, str], depth: Mapping[str, int], height: int) -> tuple[str, ...]:
    path = [value]
    while path[-1] in parent_of:
        path.append(parent_of[path[-1]])
    return (*(value,) * (height - depth[value]), *path[:-1], TOP)


@dataclass(frozen=True, slots=True)
class Quantiles:
    """Intervals of about equal counts: with groups = (20, 5) twentieths of the records, then fifths.

    Each level keeps those cut points of the one below that lie nearest to its quantiles, so that intervals nest. A
    value that many records share cannot be cut: there are fewer intervals then. Every cut point is a value that occurs.
    O(v log v) for v different values, after one group-by.

    >>> import polars as pl
    >>> from tacit import Release
    >>> ages = Release(pl.DataFrame({"age": range(100)}), hierarchies={"age": {"quantiles": [4, 2]}})
    >>> ages.hierarchies["age"].spec()
    {'cuts': [[25, 50, 75], [50]]}
    """

    groups: tuple[int, ...]

    def __post_init__(self) -> None:
        check_falling("quantiles", self.groups, least=2)

    @property
    def height(self) -> int:
        """The number of the top level."""
        return len(self.groups) + 1

    def check_type(self, column: str, type: Type) -> None:
        """Only numbers have quantiles here."""
        if type not in ("integer", "number"):
            raise TacitError(
                f"holds {type}, which has no quantiles",
                code="wrong_kind",
                column=column,
                fix="use dates, a prefix or { frequency = [10, 100] }",
            )

    def grow(self, column: str, tally: Tally) -> Cuts:
        """The cut points of each level."""
        counted = tally([column])
        below = np.cumsum(counted["count"].to_numpy()) - counted["count"].to_numpy()
        records = int(counted["count"].sum())
        places = np.arange(1, len(below))
        levels = []
        for groups in self.groups:
            places = _nearest_cuts(below, places, np.arange(1, groups) * records / groups)
            levels.append(tuple(counted["0"].gather(places).to_list()))
        return Cuts(tuple(levels))

    def spec(self) -> Mapping[str, Any]:
        """``{"quantiles": groups}``."""
        return {"quantiles": list(self.groups)}


def _nearest_cuts(below: np.ndarray, places: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Of the places where a cut may be, those with the records below them nearest to what is wanted; the lower of two."""
    if not len(places):
        return places
    counts = below[places]
    right = np.clip(np.searchsorted(counts, wanted), 0, len(places) - 1)
    left = np.maximum(right - 1, 0)
    chosen = np.where(wanted - counts[left] <= counts[right] - wanted, left, right)
    kept: np.ndarray = places[np.unique(chosen)]
    return kept


NARROWEST, NARROWEST6 = 31, 127


"""Bits of the narrowest networks with more than one address, IPv4 and IPv6."""


WIDEST = 8


"""Bits below which a network would be a fraction of the whole net and not a place in it."""


PART = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"


"""ASCII digits: the regular expressions of some engines count those of other scripts too."""


ADDRESS = rf"^{PART}(\.{PART}){{3}}$"


def address_hierarchy(lengths: tuple[int, ...]) -> Addresses | Addresses6:
    """Networks from the number of bits or, up to 3, of parts of the address that each level keeps, narrowest first.

    ``(24, 16, 8)`` and ``(3, 2, 1)`` are the same of IPv4; with a number above 31 the addresses are those of IPv6.
    """
    falling = all(a > b for a, b in zip(lengths, lengths[1:], strict=False))
    parts = bool(lengths) and 1 <= lengths[-1] <= lengths[0] <= 3
    if not falling or not parts and not (lengths and WIDEST <= lengths[-1] <= lengths[0] <= NARROWEST6):
        raise TacitError(
            f"kept bits {list(lengths)} do not fall from {NARROWEST} (IPv6: {NARROWEST6}) to {WIDEST} or more",
            code="out_of_range",
            fix="e.g. ip = [24, 16, 8] bits or ip = [3, 2, 1] parts of IPv4 addresses, ip = [64, 48, 32] of IPv6",
        )
    bits = tuple(8 * length for length in lengths) if parts else lengths
    return Addresses6(bits) if bits[0] > NARROWEST else Addresses(bits)


@dataclass(frozen=True, slots=True)
class Addresses:
    """The network of an IPv4 address: with 16 bits 172.169.2.132 becomes 172.169.0.0, then ``*``."""

    bits: tuple[int, ...]

    @property
    def height(self) -> int:
        """The number of the top level."""
        return len(self.bits) + 1

    def check_type(self, column: str, type: Type) -> None:
        """Addresses are text."""
        _check_text(column, type)

    def expression(self, column: str, level: int) -> nw.Expr:
        """The address with its last bits 0; what is no IPv4 address becomes missing, which the caller must notice."""
        whole, rest = divmod(self.bits[level - 1], 8)
        address = nw.when(nw.col(column).str.contains(ADDRESS)).then(nw.col(column))
        kept = address.str.replace_all(r"(\.\d{1,3}){" + str(4 - whole) + "}$", "")
        if not rest:
            return nw.concat_str([kept, nw.lit(".0" * (4 - whole))])
        part = address.str.replace_all(r"^(\d{1,3}\.){" + str(whole) + "}", "").str.replace_all(r"\..*$", "")
        number = part.cast(nw.Int64)
        masked = (number - number % (1 << (8 - rest))).cast(nw.String)
        return nw.concat_str([kept, nw.lit("."), masked, nw.lit(".0" * (3 - whole))])

    def domain(self, present: pl.Series) -> pl.Series:
        """The values present."""
        return present

    def spec(self) -> Mapping[str, Any]:
        """``{"ip": bits}``."""
        return {"ip": list(self.bits)}


@dataclass(frozen=True, slots=True)
class Addresses6:
    """The network of an IPv6 address: with 32 bits 2001:db8:1::7 becomes 2001:db8::, then ``*``.

    An address can be written in many ways, which no engine reads: the networks of those present are listed once, so
    that this is a recipe. O(different addresses) time and memory.
    """

    bits: tuple[int, ...]

    @property
    def height(self) -> int:
        """The number of the top level."""
        return len(self.bits) + 1

    def check_type(self, column: str, type: Type) -> None:
        """Addresses are text."""
        _check_text(column, type)

    def grow(self, column: str, tally: Tally) -> TableHierarchy:
        """The addresses that occur with their networks."""
        values = tally([column])["0"].to_list()
        rows, odd = [], 0
        for value in values:
            try:
                number = int(IPv6Address(value))
            except AddressValueError:
                odd += 1
                continue
            rows.append((value, *(str(IPv6Network((number, bits), strict=False)[0]) for bits in self.bits), TOP))
        if odd or not rows:
            raise TacitError(
                f"has {odd} different values that are no IPv6 addresses" if odd else "has no address",
                code="wrong_type",
                column=column,
                fix="correct or remove them; for IPv4 addresses give at most 31 bits, e.g. ip = [24, 16]",
            )
        return TableHierarchy(tuple(rows))

    def spec(self) -> Mapping[str, Any]:
        """``{"ip": bits}``."""
        return {"ip": list(self.bits)}


def _check_text(column: str, type: Type) -> None:
    if type != "text":
        raise TacitError(f"holds {type}, not IP addresses", code="wrong_kind", column=column, fix="read it as text")
