"""One tree of codes from the trees of several tables, when they agree."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import TacitError
from ..dimension import Dimension

__all__ = ["joined"]


def joined(trees: Sequence[Dimension], *, crossing: bool = False) -> Dimension:
    """The tree that all the given ones are part of: one may be finer than another, or leave a level out (G-06).

    Trees agree when each code has the same finest codes below it in all of them, as far as they go down. Otherwise an error
    names the code. Those that are ``crossing`` need only the same total: of them the first is returned. O(codes × levels × trees).

    >>> coarse = Dimension.flat("region", ["North", "South"])
    >>> fine = Dimension.tree("region", {"North": "Total", "South": "Total", "Oslo": "South", "Moss": "South"})
    >>> joined([coarse, fine]).codes
    ('Total', 'North', 'South', 'Oslo', 'Moss')
    """
    first = trees[0]
    if all(one.codes == first.codes and one.parents == first.parents for one in trees[1:]):
        return first
    other = next((one for one in trees if one.total != first.total), None)
    if other is not None:
        raise TacitError(
            f"has the total {first.total!r} in one table and {other.total!r} in another",
            column=first.name,
            fix="give both the same total, or the two dimensions different names if they span different populations",
        )
    if crossing:
        return first
    candidates: dict[str, dict[str, None]] = {}
    for tree in trees:
        for place, code in enumerate(tree.codes[1:], 1):
            candidates.setdefault(code, {})[tree.codes[tree.parents[place]]] = None
    over = _over(first.name, candidates)
    tree = Dimension.tree(
        first.name,
        {code: _lowest(first.name, code, list(found), over) for code, found in candidates.items()},
        total=first.total,
    )
    for one in trees:
        _check(tree, one)
    return tree


def _over(name: str, candidates: dict[str, dict[str, None]]) -> dict[str, set[str]]:
    """Code → all codes above it in any of the trees."""
    found: dict[str, set[str]] = {}

    def climb(code: str, way: tuple[str, ...]) -> set[str]:
        if code in way:
            raise TacitError(
                f"has {code!r} below {way[-1]!r} in one table and above it in another",
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


def _lowest(name: str, code: str, uppers: Sequence[str], over: dict[str, set[str]]) -> str:
    """Of the codes that tables put directly above one, that which lies under all the others."""
    found = next((one for one in uppers if all(other == one or other in over.get(one, ()) for other in uppers)), None)
    if found is None:
        raise TacitError(
            f"has {code!r} under {uppers[0]!r} in one table and under {uppers[1]!r} in another, and neither lies within the other",
            column=name,
            fix=f"give the tables one hierarchy for this dimension; if both are meant, say crossing={name!r}",
        )
    return found


def _check(tree: Dimension, part: Dimension) -> None:
    """Each sum of a table's own tree must be one in the joint tree as well."""
    leaves = _leaves(tree)
    for place, below in part.sums:
        code = part.codes[place]
        within = [leaf for one in below for leaf in leaves[part.codes[one]]]
        extra = next((leaf for leaf in leaves[code] if leaf not in set(within)), None)
        if extra is not None:
            raise TacitError(
                f"has {extra!r} within {code!r} in one table, while another adds {code!r} up without it",
                column=tree.name,
                fix=f"add {extra!r} to the other table, or give its sum another code than {code!r}",
            )


def _leaves(tree: Dimension) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for place in range(len(tree.codes) - 1, -1, -1):
        below = tree.children[place]
        found[tree.codes[place]] = (
            tuple(leaf for one in below for leaf in found[tree.codes[one]]) if below else (tree.codes[place],)
        )
    return found
