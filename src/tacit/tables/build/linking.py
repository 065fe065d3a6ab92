"""Several tables that share cells as one system: protected together or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
import scipy.sparse as sp

from ...errors import TacitError, check_columns, suggest_alternative
from ..dimension import Dimension
from ..equations import Equations
from ..table import COUNT, RESPONSE, Contributions, Table
from .additivity import check_additive, nearest_additive, summand_magnitude

UNITS = 3.0
"""So many units of the last digit two roundings of one figure may differ, one up, one down, each made to add up."""


def link_tables(
    tables: Mapping[str, Table], *, tolerance: float | None = None, crossing: str | Iterable[str] = ()
) -> Table:
    """All cells and equations of several tables as one table; a cell that stands in two of them is one cell.

    A cell is told by its codes in all dimensions of all tables, with the total where its table does not span one, and by
    the response where these differ (a label column ``response``). Dimensions of one name are one dimension: a table may
    have finer codes than another, or leave a level out, but they must agree: codes lie in one tree. Where they are grouped in
    two ways on purpose (municipalities by county, and by type), name the dimension in ``crossing``: then each table keeps
    its own sums over the common codes, and the joint table has cells and equations but no trees (``dimensions`` is empty).
    ``parts`` tells the cells of each table.

    A cell must have the same figure everywhere, to within ``tolerance``; without one, to within three units of the last digit
    where figures had been rounded. What rounding leaves is then spread so that the whole adds up. What stands behind the cells (contributors, largest contributions) is kept when all tables tell it; owners are taken to be
    numbered alike, which tables of the same records are. Time and memory O(cells + equations).

    >>> from .records import tabulate
    >>> firms = pl.DataFrame({"region": ["N", "N", "S"], "size": ["1", "2", "2"], "form": ["a", "b", "b"]})
    >>> joint = link_tables({"a": tabulate(firms, by=["region", "size"]), "b": tabulate(firms, by=["region", "form"])})
    >>> joint
    <Table of counts by region (3) × size (3) × form (3): 15 cells, 11 equations>
    """
    if not tables or not isinstance(tables, Mapping):
        raise TacitError(
            "there are no tables with names to link",
            code="wrong_type",
            fix="e.g. linked({'first': one, 'second': other})",
        )
    parts = list(tables.values())
    dimensions = _joint_dimensions(tables, check_columns(crossing))
    labels, cells = _joint_labels(parts, dimensions)
    responses = list(dict.fromkeys(table.response for table in parts))
    union = _Union(cells=cells, size=labels.height)
    joint = Table(
        labels=labels,
        values=_joint_figures(tables, union, labels, tolerance),
        equations=union.equations([table.equations for table in parts]),
        dimensions=() if check_columns(crossing) else tuple(dimensions),
        response=responses[0] if len(responses) == 1 else " and ".join(one or COUNT for one in responses),
        contributors=union.first_known([table.contributors for table in parts]),
        contributions=union.contributions([table.contributions for table in parts]),
        shadow=union.first_known([table.shadow for table in parts]),
        more={
            name: found
            for name in parts[0].more
            if (found := union.first_known([table.more.get(name) for table in parts])) is not None
        },
        parts=dict(zip(tables, cells, strict=True)),
        unit=max(table.unit for table in parts),
    )
    return nearest_additive(joint)


def cells_of_table(joint: Table, name: str) -> np.ndarray:
    """The numbers of the cells of one table of a linked set, in the order they had there."""
    if name not in joint.parts:
        raise TacitError(
            f"the set has no table {name!r}", code="invalid_table", fix=suggest_alternative(name, list(joint.parts))
        )
    return joint.parts[name]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Union:
    """Where the cells of each table stand among all."""

    cells: Sequence[np.ndarray]
    size: int

    def first_known(self, parts: Sequence[np.ndarray | None]) -> np.ndarray | None:
        """What the first table that has a cell says of it; nothing when a table does not tell."""
        if any(part is None for part in parts):
            return None
        first = next(part for part in parts if part is not None)
        found = np.zeros((self.size, *first.shape[1:]), dtype=first.dtype)
        for part, at in reversed(list(zip(parts, self.cells, strict=True))):
            found[at] = part
        return found

    def contributions(self, parts: Sequence[Contributions | None]) -> Contributions | None:
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        top = min(part.values.shape[1] for part in known)
        values, owners, weights = (
            self.first_known([getattr(part, name)[:, :top] for part in known])
            for name in ("values", "owners", "weights")
        )
        assert values is not None and owners is not None and weights is not None
        return Contributions(values=values, owners=owners, weights=weights)

    def equations(self, parts: Sequence[Equations]) -> Equations:
        """All equations over all cells, each once."""
        moved = []
        for part, at in zip(parts, self.cells, strict=True):
            one = part.matrix.tocoo()
            moved.append(sp.csr_matrix((one.data, (one.row, at[one.col])), shape=(len(part), self.size)))
        stacked = Equations.of(sp.vstack(moved), np.concatenate([part.constants for part in parts]))
        starts, columns, signs = stacked.matrix.indptr, stacked.matrix.indices, stacked.matrix.data
        first: dict[tuple[bytes, bytes, float], int] = {}
        for row in range(len(stacked)):
            inside = slice(starts[row], starts[row + 1])
            first.setdefault((columns[inside].tobytes(), signs[inside].tobytes(), float(stacked.constants[row])), row)
        kept = list(first.values())
        return Equations.of(stacked.matrix[kept], stacked.constants[kept])


def _joint_dimensions(tables: Mapping[str, Table], crossing: Sequence[str]) -> list[Dimension]:
    """The dimensions of all tables together, in the order in which they come up."""
    trees: dict[str, list[Dimension]] = {}
    for name, table in tables.items():
        spanned = [one.name for one in table.dimensions]
        if list(table.labels.columns) != spanned or RESPONSE in spanned:
            raise TacitError(
                f"the table {name!r} "
                + (f"has a dimension {RESPONSE!r}" if RESPONSE in spanned else "has cells without dimensions"),
                code="missing_parameter",
                fix="rename it" if RESPONSE in spanned else "link all tables at once, each with its dimensions",
            )
        for one in table.dimensions:
            trees.setdefault(one.name, []).append(one)
    check_columns(crossing, list(trees))
    return [join_trees(found, crossing=name in crossing) for name, found in trees.items()]


def _joint_labels(parts: Sequence[Table], dimensions: Sequence[Dimension]) -> tuple[pl.DataFrame, list[np.ndarray]]:
    """The labels of all cells, and where those of each table stand among them."""
    several = len({table.response for table in parts}) > 1
    extended = []
    for table in parts:
        frame = table.labels.select(
            *(
                pl.col(one.name) if one.name in table.labels.columns else pl.lit(one.total).alias(one.name)
                for one in dimensions
            ),
            *([pl.lit(table.response or COUNT).alias(RESPONSE)] if several else []),
        )
        extended.append(frame)
    every = pl.concat(extended)
    labels = every.unique(maintain_order=True)
    numbered = every.join(labels.with_row_index("cell"), on=labels.columns, how="left", maintain_order="left")
    cells = np.split(numbered["cell"].to_numpy().astype(np.int64), np.cumsum([table.size for table in parts])[:-1])
    return labels, cells


def _joint_figures(
    tables: Mapping[str, Table], union: _Union, labels: pl.DataFrame, tolerance: float | None
) -> np.ndarray:
    """The figure of every cell; tables that contradict one another in a figure or in who is behind it are refused."""
    unit = max(table.unit for table in tables.values())
    rooms = {}
    for name, table in tables.items():
        check_additive(table, tolerance)
        dust = 1e-9 * np.abs(table.values) + 1e-12 * summand_magnitude(table)
        rooms[name] = dust + (UNITS * unit if tolerance is None else tolerance)
    counted = {name: table.contributors for name, table in tables.items() if table.contributors is not None}
    if len(counted) == len(tables):
        exact = {name: 1e-6 * np.abs(one) for name, one in counted.items()}
        _check_agreement(counted, exact, union, labels, "number of contributors")
    return _check_agreement({name: table.values for name, table in tables.items()}, rooms, union, labels, "figure")


def _check_agreement(
    told: Mapping[str, np.ndarray], rooms: Mapping[str, np.ndarray], union: _Union, labels: pl.DataFrame, what: str
) -> np.ndarray:
    """What the first table that has a cell tells of it, if all others tell the same."""
    found, source = np.full(union.size, np.nan), np.zeros(union.size, dtype=np.int64)
    for number, ((name, values), at) in enumerate(zip(told.items(), union.cells, strict=True)):
        known = ~np.isnan(found[at])
        off = np.flatnonzero(known & (np.abs(np.where(known, found[at], 0.0) - values) > rooms[name]))
        if len(off):
            cell = int(at[off[0]])
            said = ", ".join(f"{column} = {code!r}" for column, code in labels.row(cell, named=True).items())
            raise TacitError(
                f"the cell {said} has one {what} in {list(told)[source[cell]]!r} and another in {name!r}"
                + (f", and so have {len(off) - 1} more" if len(off) > 1 else ""),
                code="invalid_table",
                fix="make both tables from the same records"
                + (
                    ", or state how far rounded figures may differ: tolerance=…"
                    if what == "figure"
                    else " and holdings"
                ),
            )
        found[at[~known]], source[at[~known]] = values[~known], number
    return found


def join_trees(trees: Sequence[Dimension], *, crossing: bool = False) -> Dimension:
    """The tree that all the given ones are part of: one may be finer than another, or leave a level out.

    Trees agree when each code has the same finest codes below it in all of them, as far as they go down. Otherwise an error
    names the code. Those that are ``crossing`` need only the same total: of them the first is returned. O(codes × levels × trees).

    >>> coarse = Dimension.flat("region", ["North", "South"])
    >>> fine = Dimension.tree("region", {"North": "Total", "South": "Total", "Oslo": "South", "Moss": "South"})
    >>> join_trees([coarse, fine]).codes
    ('Total', 'North', 'South', 'Oslo', 'Moss')
    """
    first = trees[0]
    if all(one.codes == first.codes and one.parents == first.parents for one in trees[1:]):
        return first
    other = next((one for one in trees if one.total != first.total), None)
    if other is not None:
        raise TacitError(
            f"has the total {first.total!r} in one table and {other.total!r} in another",
            code="unsuitable_column",
            column=first.name,
            fix="give both the same total, or the two dimensions different names if they span different populations",
        )
    if crossing:
        return first
    candidates: dict[str, dict[str, None]] = {}
    for tree in trees:
        for place, code in enumerate(tree.codes[1:], 1):
            candidates.setdefault(code, {})[tree.codes[tree.parents[place]]] = None
    over = _codes_above(first.name, candidates)
    tree = Dimension.tree(
        first.name,
        {code: _lowest_parent(first.name, code, list(found), over) for code, found in candidates.items()},
        total=first.total,
    )
    for one in trees:
        _check_sums_kept(tree, one)
    return tree


def _codes_above(name: str, candidates: dict[str, dict[str, None]]) -> dict[str, set[str]]:
    """Code → all codes above it in any of the trees."""
    found: dict[str, set[str]] = {}

    def climb(code: str, way: tuple[str, ...]) -> set[str]:
        if code in way:
            raise TacitError(
                f"has {code!r} below {way[-1]!r} in one table and above it in another",
                code="unsuitable_column",
                column=name,
                fix="give the two tables the same hierarchy",
            )
        if code not in found:
            uppers = candidates.get(code, {})
            found[code] = set(uppers).union(*(climb(upper, (*way, code)) for upper in uppers))
        return found[code]

    for code in candidates:
        climb(code, ())
    return found


def _lowest_parent(name: str, code: str, uppers: Sequence[str], over: dict[str, set[str]]) -> str:
    """Of the codes that tables put directly above one, that which lies under all the others."""
    found = next((one for one in uppers if all(other == one or other in over.get(one, ()) for other in uppers)), None)
    if found is None:
        raise TacitError(
            f"has {code!r} under {uppers[0]!r} in one table and under {uppers[1]!r} in another, and neither lies within the other",
            code="unsuitable_column",
            column=name,
            fix=f"give the tables one hierarchy for this dimension; if both are meant, say crossing={name!r}",
        )
    return found


def _check_sums_kept(tree: Dimension, part: Dimension) -> None:
    """Each sum of a table's own tree must be one in the joint tree as well."""
    leaves = _leaves_below(tree)
    for place, below in part.sums:
        code = part.codes[place]
        within = [leaf for one in below for leaf in leaves[part.codes[one]]]
        extra = next((leaf for leaf in leaves[code] if leaf not in set(within)), None)
        if extra is not None:
            raise TacitError(
                f"has {extra!r} within {code!r} in one table, while another adds {code!r} up without it",
                code="missing_parameter",
                column=tree.name,
                fix=f"add {extra!r} to the other table, or give its sum another code than {code!r}",
            )


def _leaves_below(tree: Dimension) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for place in range(len(tree.codes) - 1, -1, -1):
        below = tree.children[place]
        found[tree.codes[place]] = (
            tuple(leaf for one in below for leaf in found[tree.codes[one]]) if below else (tree.codes[place],)
        )
    return found
