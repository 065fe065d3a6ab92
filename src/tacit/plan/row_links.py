"""Links between rows that are released: columns, or the order of the rows, that tell which records belong together.

The household number is one such link. So is every column that the members of a household share with few others (a rent, the date
of a wedding, the doctor), and so are rows that stand as they were collected. An intruder who knows who belongs together matches whole groups
through it (:class:`tacit.attack.Household`), however many records look like a single member.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..attack._columns import why_incomparable
from ..attack.household import Household
from ..claims.judge import judge
from ..claims.scenario import Scenario
from ..claims.truth import Truth
from ..release.households import alone_where_unknown, household_numbers, joint_numbers
from ..result import Result
from ..seed import DEFAULT_SEED
from .coverage import Gap

if TYPE_CHECKING:
    from ..release.masked import Masked
    from ..release.release import Release
    from .adversary import Adversary
    from .attack_run import AttackResults


ORDER = "(order of the rows)"
"""What stands for the order in the place of a column."""
LARGEST = 20
"""A value that more records share makes no small group of its own."""
MATCHED = 64
"""Members of a household are looked for in groups of up to so many records."""
ALIKE = 0.5
"""Those who share a value belong together in life when at least so many of them agree in a column in which few people do."""
SELDOM = 0.1
"""How often two random people may agree in such a column."""
TOGETHER = 0.8
"""A column links households when at least this share of the members agree with another member where they have one."""
STANDS_OUT = 6.0
"""So many standard errors above chance count as more than chance: one in 10⁹."""
NOTABLE = 0.05
"""A link is reported when it finds this share of the people more than the attacks without it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowLink:
    """Released columns that group records, how, and what an intruder finds through them.

    ``by`` is "household" where the groups are the households of the original, "itself" where the column makes small groups
    of its own. ``found`` is the result of the attack on households with the columns in the place of the number; None for the
    order of the rows, which the attack does not use.
    """

    columns: tuple[str, ...]
    by: str
    found: Result | None = None

    @property
    def share(self) -> float | None:
        """The share of the people who are found through it."""
        return None if self.found is None else self.found.value

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"columns": list(self.columns), "by": self.by, "share": self.share}


def row_links(release: Release, scenario: Scenario, truth: Truth, original: Release) -> tuple[RowLink, ...]:
    r"""Every released column, set of columns or order that links the records of a household or of another small group.

    Where the original has households, a column links them when the members of a household agree in it (80 % of those who
    have another member do) and at most 64 records share a value on average; all such columns are tried together, too. A column makes groups
    of its own when most records share their value with 1 to 19 others, and either half of these agree in a column of the original in
    which at most a tenth of random pairs do (couples have one address), or the groups are of nearly one size, as pairs are. The order of the rows is a link
    when neighbours are of one household, or were neighbours before, more often than chance (six standard errors, about
    10⁻⁹). The household number itself is not listed: the attack on households runs by itself.

    The intruder who knows these groups, and the columns of the scenario, is then played by the attack on households. Time O(n log n) for
    each column, and that of the attack for each link.

    >>> import polars as pl
    >>> from tacit import Release
    >>> table = pl.DataFrame({"sex": ["f", "m"] * 40, "wed": [i // 2 for i in range(80)], "home": [i // 2 for i in range(80)]})
    >>> r = Release(table, quasi="sex", household="home")
    >>> truth = Truth.by_lineage(np.random.default_rng(0).permutation(80), 80)
    >>> out = r.take(truth.released).select(["sex", "wed"])
    >>> [one.columns for one in row_links(out, Scenario.worst_case(r), truth, r)]
    [('wed',)]
    """
    people = truth.released
    links: list[RowLink] = []
    if original.household is not None:
        homes = np.where(people >= 0, alone_where_unknown(household_numbers(original))[people], -1)
        links += _of_households(release, homes, scenario, truth)
    taken = {column for one in links for column in one.columns}
    links += _by_themselves(release, original, scenario, truth, taken)
    if _is_order_linked(people, None if original.household is None else homes):
        links.append(RowLink(columns=(ORDER,), by="itself" if original.household is None else "household"))
    return tuple(links)


def link_gaps(links: Sequence[RowLink], *, beside: float) -> Iterator[Gap]:
    """A gap for each link through which at least 5 % of the people more are found than ``beside`` it, and for the order."""
    for link in links:
        if link.share is None:
            yield Gap(code="row_order", columns=link.columns)
        elif link.share >= beside + NOTABLE:
            yield Gap(code="row_links", columns=link.columns, share=link.share)


def gaps_of_links(adversary: Adversary, masked: Masked, made: AttackResults) -> tuple[Gap, ...]:
    """What the links between released rows disclose beyond what the attacks of a job found; nothing where none was made."""
    scenario, people = adversary.scenario_for(masked)
    values = [one.result.value for one in made.attacks if one.result is not None]
    if not values or people.truth is None or why_incomparable(masked.release, scenario.file) is not None:
        return ()
    links = row_links(masked.release, scenario, people.truth, adversary.original)
    return tuple(link_gaps(links, beside=max(values)))


def _of_households(release: Release, homes: np.ndarray, scenario: Scenario, truth: Truth) -> list[RowLink]:
    """Columns in which the members of a household agree, alone and together."""
    offered = [column for column in release.columns if column not in (release.household, *scenario.knows)]
    shared = [column for column in offered if _shared_at_home(joint_numbers(release, [column]), homes)]
    sets: list[tuple[str, ...]] = [(column,) for column in shared]
    if len(shared) > 1:
        sets.append(tuple(shared))
    through = [columns for columns in sets if _has_small_groups(joint_numbers(release, columns))]
    return [_measure_link(release, scenario, truth, columns, "household") for columns in through]


def _by_themselves(
    release: Release, original: Release, scenario: Scenario, truth: Truth, taken: set[str]
) -> Iterator[RowLink]:
    """Columns that make small groups of their own, whose members the intruder knows as such."""
    for column in release.columns:
        if column in taken or column == release.household or column in scenario.knows or column not in original.columns:
            continue
        groups = joint_numbers(release, [column])
        mine = joint_numbers(original, [column])
        if not _is_grouping(groups) or not (
            _has_regular_sizes(groups) or _has_shared_attribute(original, column, mine)
        ):
            continue
        known = replace(scenario, households=alone_where_unknown(mine))
        yield _measure_link(release, known, truth, (column,), "itself")


def _measure_link(release: Release, scenario: Scenario, truth: Truth, columns: tuple[str, ...], by: str) -> RowLink:
    found = judge(Household(through=columns).claims(release, scenario, seed=DEFAULT_SEED), truth)
    return RowLink(columns=columns, by=by, found=found)


def _group_sizes(groups: np.ndarray) -> np.ndarray:
    return np.bincount(groups[groups >= 0])


def _has_small_groups(groups: np.ndarray) -> bool:
    """Whether the groups are small on average, as a member meets them."""
    sizes = _group_sizes(groups)
    total = int(sizes.sum())
    return total > 0 and float((sizes**2).sum()) / total <= MATCHED


def _is_grouping(groups: np.ndarray) -> bool:
    """Whether most records share their value with a few others."""
    sizes = _group_sizes(groups)
    some = sizes[(sizes >= 2) & (sizes <= LARGEST)]
    return 2 * int(some.sum()) >= len(groups) > 0


def _has_regular_sizes(groups: np.ndarray) -> bool:
    """Whether the groups are of nearly one size: values that coincide by chance make groups of all sizes."""
    sizes = _group_sizes(groups)
    sizes = sizes[sizes > 0]
    return len(sizes) >= 10 and float(sizes.var()) < 0.25 * (float(sizes.mean()) - 1.0)


def _shared_at_home(groups: np.ndarray, homes: np.ndarray) -> bool:
    """Whether the members of a household agree in a column, and people of other households less often."""
    first, second = _neighbour_pairs(homes, groups)
    if len(first) < 10:
        return False
    agree = groups[first] == groups[second]
    return float(agree.mean()) >= TOGETHER and _above_chance(agree, _agreement_by_chance(groups))


def _has_shared_attribute(original: Release, column: str, groups: np.ndarray) -> bool:
    """Whether those who share a value agree in another column in which few people do."""
    first, second = _neighbour_pairs(groups, groups)
    if len(first) < 10:
        return False
    others = (joint_numbers(original, [one]) for one in original.columns if one != column)
    return any(
        float(np.mean(values[first] == values[second])) >= ALIKE
        and _above_chance(values[first] == values[second], _agreement_by_chance(values))
        for values in others
        if _agreement_by_chance(values) <= SELDOM
    )


def _neighbour_pairs(groups: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each record beside the next one of its group, where both have a value: independent pairs, one for every two records."""
    rows = np.flatnonzero((groups >= 0) & (values >= 0))
    rows = rows[np.argsort(groups[rows], kind="stable")]
    start = np.searchsorted(groups[rows], groups[rows])
    even = np.flatnonzero((np.arange(len(rows)) - start) % 2 == 0)
    even = even[even + 1 < len(rows)]
    same = groups[rows[even]] == groups[rows[even + 1]]
    return rows[even[same]], rows[even[same] + 1]


def _agreement_by_chance(values: np.ndarray) -> float:
    """How often two random records agree."""
    sizes = _group_sizes(values).astype(float)
    total = float(sizes.sum())
    return float((sizes * (sizes - 1)).sum() / (total * (total - 1))) if total > 1 else 1.0


def _above_chance(agree: np.ndarray, chance: float) -> bool:
    spread = np.sqrt(max(chance * (1.0 - chance), 1.0 / len(agree)) / len(agree))
    return bool(float(agree.mean()) - chance > STANDS_OUT * spread)


def _is_order_linked(people: np.ndarray, homes: np.ndarray | None) -> bool:
    """Whether neighbouring rows belong together, or were neighbours before, more often than by chance."""
    real = people[people >= 0]
    if len(real) < 20:
        return False
    neighbours = np.abs(np.diff(real)) == 1
    if _above_chance(neighbours, 2.0 / len(real)):
        return True
    if homes is None:
        return False
    own = homes[people >= 0]
    return _above_chance(own[1:] == own[:-1], _agreement_by_chance(own))
