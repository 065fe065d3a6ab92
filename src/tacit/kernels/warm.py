"""Compile every kernel once, so that no user waits for it later."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from ..seed import DEFAULT_SEED


def _read_only(values: np.ndarray) -> np.ndarray:
    """The same values to be read only, which numba takes for another type."""
    seen = values.view()
    seen.flags.writeable = False
    return seen


def _warm_groups() -> None:
    from .groups import group_members, group_rows, offset_codes

    small = [np.arange(9, dtype=np.int32), np.zeros(9, dtype=np.int32)]
    group_rows(small, [9, 1])
    group_rows(small, [2**40, 1])
    group_rows([small[0], np.zeros((9, 2), dtype=np.int32)[:, 0], _read_only(small[1])], [9, 1, 1])
    group_members(np.zeros(9, dtype=np.int32), 1)
    for values in (np.arange(9), _read_only(np.arange(9))):
        offset_codes(values, 0, 9)


def _warm_diversity() -> None:
    from .class_spread import ENTROPY, HIERARCHICAL, ORDERED, whole_of
    from .diversity import distinct_and_variational, group_spreads, spreads_of_counts

    start, rows, codes = np.array([0, 9]), np.arange(9, dtype=np.int32), np.arange(9, dtype=np.int32)
    whole = whole_of(np.ones(9, dtype=np.int64))
    for shown in (codes, _read_only(codes)):
        distinct_and_variational(start, rows, shown, 9)
        for kind in (ORDERED, ENTROPY, HIERARCHICAL):
            group_spreads(start, rows, shown, kind, 0.0, whole)
    spreads_of_counts(start, np.arange(9), np.ones(9, dtype=np.int64), ORDERED, 0.0, whole)


def _rank_intervals() -> None:
    from .rank_intervals import counts_before, within_ranks

    values = np.arange(3.0)
    within_ranks(values, values, counts_before(values, values, False), counts_before(values, values, True), 1)


def _warm_ranks() -> None:
    from .ranks import aimed_pairs, bucket_pairs, exchange_values, mix_ties, neighbour_pairs

    neighbour_pairs(9, 2, np.linspace(0, 0.9, 4))
    bucket_pairs(9, 2, np.linspace(0, 0.9, 4), np.linspace(0, 0.9, 4))
    aimed_pairs(9, np.ones(9, dtype=np.int64))
    mix_ties(np.arange(3), np.ones(2, dtype=bool), np.zeros(2))
    for kind in (np.float64, np.int64, np.int32):
        exchange_values(np.zeros(2, dtype=kind), np.array([1, 0], dtype=np.int32))


def _warm_overlaps() -> None:
    from .overlaps import overlap_weights

    overlap_weights(np.ones((1, 2), dtype=np.bool_), np.ones(2, dtype=np.int64))


def _row_space() -> None:
    from .row_space import add_row, reduce_vector, single_entry_rows

    rows, pivots, vector = np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.int64), np.ones(2, dtype=np.int64)
    reduce_vector(rows, pivots, np.arange(2), vector, 7)
    single_entry_rows(add_row(rows, np.int64(0), vector, 7))


def _warm_partners() -> None:
    from .partners import draw_partners, free_units

    units = free_units(np.zeros(4, dtype=np.int64), np.arange(4), np.arange(4))
    draw_partners(np.arange(4), units, np.zeros(4), 2, np.full(4, -1))


def _warm_microaggregation() -> None:
    from .microaggregation import mdav
    from .univariate_groups import univariate_groups
    from .v_mdav import v_mdav

    points = np.arange(18, dtype=np.float64).reshape(9, 2)
    mdav(points, 2)
    v_mdav(points, 2, 0.2)
    univariate_groups(points[:, 0], 2)


def _group_search() -> None:
    from .group_blocks import add_near, cut_blocks
    from .group_search import DRAWS, search_groups
    from .group_state import groups_of

    points = np.arange(18, dtype=np.float64).reshape(9, 2)
    near, apart = np.zeros((9, 3), dtype=np.int32), np.full((9, 3), np.inf)
    add_near(points, *cut_blocks(points, 4, 2), near, apart)
    search_groups(groups_of(points, np.arange(9) // 5, 4), near, 4, 1, np.full((1, DRAWS), 0.5), 0.0)


def _warm_wildcards() -> None:
    from .wildcards import fill_again

    codes, free = np.zeros((3, 2), dtype=np.int32), np.zeros((3, 2), dtype=bool)
    matches, inside = np.full((3, 1), 3), np.ones((1, 2), dtype=bool)
    fill_again(codes, free, free.copy(), np.ones(3, dtype=np.int64), matches, inside, np.full(1, 2))


def _warm_suppression() -> None:
    from .suppression import differing_columns, equal_weight, matching_weight

    codes, free = np.zeros((3, 2), dtype=np.int32), np.zeros((3, 2), dtype=bool)
    weight, rows = np.ones(3, dtype=np.int64), np.arange(3)
    equal_weight(codes, np.array([1, 1]), 1, weight, rows)
    matching_weight(codes, free, weight, rows, np.ones(2, dtype=bool))
    differing_columns(codes, free, rows)


def _warm_dummies() -> None:
    from .dummies import distribution_distance, rows_to_add

    tally, share = np.array([1, 1]), np.full(2, 0.5)
    distribution_distance(tally, 2, share, True, 2)
    rows_to_add(tally, np.array([0, 2]), share, np.array([False]), np.array([2]), 0.5, 1)


def _warm_nearest() -> None:
    from .near_lists import near_lists
    from .nearest import PILOT, Costs, distinct_rows, nearest_points
    from .transport import ship_supplies, transport_graph

    points = np.arange(18, dtype=np.float64).reshape(9, 2)
    ones = np.ones(2)
    distinct_rows(points)
    costs = Costs(np.array([0, 1]), ones, ones, ones)
    nearest_points(points, points, costs)
    many = np.arange(4.0 * PILOT).repeat(2).reshape(-1, 2)
    nearest_points(many, many, costs)
    near_lists(points, points, costs, 1)
    rows, distances = near_lists(points, points, costs, 2)
    edges = transport_graph(np.arange(0, 19, 2), rows.ravel(), distances.ravel())
    ship_supplies(edges, np.ones(9, dtype=np.int64), np.ones(9, dtype=np.int64))


def _household_matching() -> None:
    from .household_matching import EQUAL, Lists, feasible_groups, nearest_groups
    from .nearest import Costs, ordered_columns

    points, ones = np.arange(4, dtype=np.float64).reshape(2, 2), np.ones(2)
    homes, fits = Lists(np.array([0, 2]), np.arange(2)), Lists(np.arange(3), np.arange(2))
    feasible_groups(homes, homes, fits, EQUAL)
    space = ordered_columns(points, points, Costs(np.array([0, 1]), ones, ones, ones))
    nearest_groups(homes, homes, Lists(np.array([0, 1]), np.zeros(1, dtype=np.int64)), *space)


def _warm_terms() -> None:
    from .every_pair import nearest_places, own_or_rival
    from .forms import BILINEAR, form_of, sides_of
    from .nearest import Costs
    from .terms import rows_of

    points, ones, rows = np.arange(8, dtype=np.float64).reshape(4, 2), np.ones(2), np.arange(4)
    sides = sides_of(points, points, Costs(np.array([0, 1]), ones, ones, ones), squared=False)
    form, parameters = form_of(BILINEAR, np.empty(0, dtype=np.int64)), np.ones(3)
    own_or_rival(sides, rows, form, parameters)
    nearest_places(sides, form, parameters)
    rows_of(sides, form, rows, rows, rows, np.empty((4, 3)))


def _warm_undominated() -> None:
    from .undominated import undominated_rows

    undominated_rows(np.eye(2), np.array([0, 2]))


def _same_mean() -> None:
    from .same_mean import same_mean

    points, rows = np.arange(18, dtype=np.float64).reshape(9, 2), np.arange(9)
    same_mean(points, rows, rows[None], points[:1] + points[1:2], np.ones(2), 2, 99)


def _warm_range_search() -> None:
    from .nearest import Costs
    from .range_search import Tables, Windows, search_ranges

    points, ones = np.arange(18, dtype=np.float64).reshape(9, 2), np.ones(2)
    windows = Windows(points - 1.0, points + 1.0)
    tables = Tables(np.zeros(0), np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64))
    search_ranges(points, points, Costs(np.array([0, 1]), ones, ones, ones), windows, tables)


def _mean_reciprocal() -> None:
    from .mean_reciprocal import mean_reciprocal_approx

    mean_reciprocal_approx(np.arange(1, 9), np.full(8, 0.1))


def _warm_rules() -> None:
    from .class_spread import DISTINCT, spread_measure, whole_of
    from .rules import Cells, Rules, meets_rules

    one, none = np.ones(1, dtype=np.int64), np.zeros(0, dtype=np.int64)
    room, present = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    whole = whole_of(one)
    spread_measure(DISTINCT, 0.0, one, present, 1, 1, whole)
    cells = Cells(one, none, np.array([[0, 1]]), np.zeros(1, dtype=np.int64), one, np.array([0, 1]))
    parts = whole.share, whole.cumulated, whole.prefix, np.zeros((0, 1), dtype=np.int64), room, one
    rules = Rules(1, 0, 0.0, 1.0, np.zeros(1, dtype=np.int64), one - 1, np.zeros(1), np.ones(1), *parts)
    meets_rules(rules, cells, np.zeros(1, dtype=np.int64), room, present)


def _minimal_uniques() -> None:
    from .minimal_uniques import minimal_uniques

    codes = np.arange(18, dtype=np.int32).reshape(2, 9) % 9
    minimal_uniques(codes, np.array([9, 9]), np.ones(9, dtype=bool), 2)


def _warm_traces() -> None:
    from .traces import points_to_single_out

    one = np.array([0, 1])
    points_to_single_out(one, np.zeros(1, dtype=np.int64), one, np.zeros(1, dtype=np.int64), 1)


def _warm_lattice() -> None:
    from .lattice import Lattice, pack_keys, project_groups, roll_cells, roll_up, stack_of
    from .lattice_search import BestNodes, EvaluatedNodes, mark_failures, path_of, search_lattice
    from .rules import Cells, Rules

    zero, one = np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64)
    two, none, real = np.ones(2, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros((1, 2))
    fields = zero, zero, one, np.array([[0, 3, 5]]), np.zeros(5, dtype=np.int64), np.zeros(5), real, real
    lattice = Lattice(*fields, np.ones(1), zero, one, 2, 0, 0, -1, False)
    cells = Cells(two, none, np.array([[0, 1, 2]]), two - 1, two, np.array([0, 1]))
    whole = np.ones(1), np.ones(1), np.zeros(2), np.zeros((0, 1), dtype=np.int64), zero, one
    rules = Rules(2, 0, 0.0, 1.0, zero, zero, np.zeros(1), np.ones(1), *whole)
    stack = stack_of(3, 2, 1, cells)
    stack.groups[0], stack.sizes[0] = 2, 1
    for level in (zero, np.zeros((2, 2), dtype=np.int64)[:, 0]):
        pack_keys(np.array([[0], [1]]), np.arange(6) % 3, np.array([[0, 3]]), level, zero, zero, stack.keys[0])
    stack.start[0], stack.code[0], stack.number[0] = cells.start, cells.code, cells.number
    project_groups(stack, 0, np.full(1, -1, dtype=np.int64), 1)
    roll_cells(stack, 0, 1)
    roll_up(stack, 0, 0, lattice.up, lattice)
    best = BestNodes(np.full(1, np.inf), np.zeros((1, 1), dtype=np.int64), zero.copy(), np.array([np.inf]))
    seen = EvaluatedNodes(zero.copy(), np.empty((9, 1), dtype=np.int64), np.empty(9), np.empty(9, dtype=np.int64))
    search_lattice(lattice, rules, rules, stack, path_of(lattice, 1), best, seen, 10)
    mark_failures(rules, stack)


def _warm_clusters() -> None:
    from .box_tree import box_tree
    from .clusters import agglomerate_clusters, clusters_of, improve_clusters, room_of
    from .mondrian import mondrian, table_of
    from .rules import Cells, Rules
    from .shapes import Shapes, group_states, summed_widths

    n, whole, real = 40, np.zeros(1, dtype=np.int64), np.zeros(1)
    form, none = np.arange(3), np.zeros(0, dtype=np.int64)
    place, parent = np.array([0.0, 0.5, 3.0, 0.0, 0.0, 0.0, 1.0, 1.0]), np.array([-1, -1, -1, 6, 6, 7, 7, 7])
    shapes = Shapes(form, place, parent, np.array([0.0, 0.0, 0.5]), np.array([0, 0, 4]))
    values = np.column_stack([np.arange(n) % 2, 3 + np.arange(n) // 2 % 2, 1 + np.arange(n) // 4 % 2])
    cells = Cells(np.ones(n, dtype=np.int64), none, np.zeros((1, n + 1), dtype=np.int64), none, none, np.array([0, 1]))
    parts = np.ones(1), np.ones(1), np.zeros(2), np.zeros((0, 1), dtype=np.int64), whole, whole + 1
    rules = Rules(3, 0, 0.0, 1.0, none, none, real[:0], real[:0], *parts)
    tree, room = box_tree(values, shapes), room_of(n, 3, 1)
    summed_widths(shapes, *group_states(shapes, values, np.arange(n), n))
    clusters = clusters_of(shapes, values, cells.size, np.arange(n))
    agglomerate_clusters(tree, shapes, rules, cells, clusters, room)
    improve_clusters(tree, shapes, rules, cells, clusters, values, 1, room)
    mondrian(table_of(values, cells.size, 1), shapes, rules, cells, False, 1)


def _warm_transitions() -> None:
    from .transitions import Moves, move_categories, tally_values

    values, out = np.arange(3), np.empty(3, dtype=np.int64)
    values.flags.writeable = False
    upto, guide = np.full((3, 3), 2**32, dtype=np.uint64), np.zeros(12, dtype=np.int32)
    moves = Moves(0, upto, np.arange(3), guide, 2)
    move_categories(values, np.zeros(3, dtype=np.uint32), moves, np.empty(3, dtype=np.int32), out)
    tally_values(values, 0, 3)


def _exact_sums() -> None:
    from .exact_sums import exact_sums, min_max_nan

    values, sums = np.arange(9.0).reshape(1, 9) / 9, np.zeros((1, 2, 2))
    values.flags.writeable = False
    min_max_nan(values[0])
    for group in (np.zeros(0, dtype=np.int64), np.zeros(9, dtype=np.int64)):
        exact_sums(values, np.zeros(1), np.ones(1), group, sums, (24.0, 2.0**-44))


def _warm_centroids() -> None:
    from .centroids import group_centroids

    line, own = np.zeros((3, 2), dtype=np.int32), np.ones((3, 2), dtype=bool)
    group_centroids(np.array([0, 3]), np.arange(3), np.ones(3, dtype=np.int64), line, own, True)


def _warm_normals() -> None:
    from .normals import add_normals, settle_outside

    words, values = np.zeros(9, dtype=np.uint64), np.frombuffer(bytes(72))
    outside = add_normals(words, values, 1.0, np.empty(9))
    settle_outside(words, outside, 0, words, 0, 1.0, np.empty(9))


def _warm_agreement() -> None:
    from .agreement import agreeing_pairs
    from .agreement_scan import Pairs, best_pairs, pattern_counts, pattern_keys

    codes, one = np.zeros((2, 1), dtype=np.int32), np.ones(2, dtype=np.int64)
    rows, blocks, columns = np.arange(2, dtype=np.int32), np.array([0, 2], dtype=np.int32), np.array([0, 1])
    agreeing_pairs(codes, one, np.array([False, True]), columns, rows, blocks)
    points, ends = np.zeros((1, 1)), np.ones(1, dtype=np.int64)
    pairs = Pairs(points, points, points, columns, np.ones(1, dtype=bool), False, ends - 1, ends)
    pattern_counts(pairs, ends, (ends, ends), ends - 1, np.zeros(2, dtype=np.int64))
    pattern_keys(pairs, ends, 0)
    best_pairs(pairs, np.zeros((1, 2)), points, ends - 1)


def _least_norm() -> None:
    from .factor import append_column, inner_product, remove_column, solve_weights
    from .least_norm import RowPool, least_norm, mark_positive

    values, start, one = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0, 1, 2]), np.ones(2, dtype=bool)
    whole = np.zeros(2, dtype=np.int64)
    pool = RowPool(np.empty((9, 2)), np.zeros(9, dtype=np.int64), np.zeros(9, dtype=np.int64), ~one, whole)
    least_norm(values, start, pool, one, np.ones(2), values, 1e-9)
    mark_positive(values, start, np.ones(2), one)
    basis, triangle = np.zeros((3, 2)), np.zeros((3, 3))
    append_column(basis, triangle, 0, values[0])
    append_column(basis, triangle, 1, values[1])
    solve_weights(basis, triangle, 2, np.zeros(2))
    remove_column(basis, triangle, 2, 0)
    inner_product(values[0], values[1])


def _warm_interval_stabbing() -> None:
    from .interval_stabbing import (
        LineSearchState,
        LineTrials,
        climb_directions,
        mark_lowest,
        settle_state,
        tightest_rows,
    )

    start, margin, found = np.array([0, 1, 2]), np.empty(2), np.empty(2, dtype=bool)
    state = LineSearchState(
        np.eye(2), start, np.eye(2), np.ones(2), np.ones(2), margin, margin.copy(), np.empty(2), found
    )
    settle_state(state)
    climb_directions(state, LineTrials(np.eye(2), np.full(2, -np.inf), np.full(2, np.inf), np.full(2, 0.5)))
    mark_lowest(margin, start, 1, found)
    tightest_rows(margin, start)


def _edge_set() -> None:
    from .edge_set import edge_set

    edge_set(np.array([[0, 1]]), 2)


def _degree_start() -> None:
    from .degree_start import degree_start

    degree_start(np.arange(2), np.ones(2, dtype=np.int64))


def _warm_switches() -> None:
    from .edge_set import edge_set
    from .switches import switch_edges

    edges = np.array([[0, 1], [2, 3]])
    switch_edges(edges, edge_set(edges, 4), 4, np.array([[0, 2]]))


def _warm_stub_joining() -> None:
    from ..seed import make_generator
    from .stub_joining import NearCandidates, join_stubs, stubs_of, walk_stubs

    near = NearCandidates(np.array([0, 1, 2]), np.array([1, 0], dtype=np.int32), np.ones(2))
    stubs, rng = stubs_of(np.ones(2, dtype=np.int64), near), make_generator(DEFAULT_SEED)
    join_stubs(near, stubs, np.arange(2), rng, np.empty((1, 2), dtype=np.int64))
    walk_stubs(near, stubs, np.arange(2), np.zeros((2, 2)), rng, 1)


def _degree_classes() -> None:
    from .degree_classes import cheapest_cuts

    for both in (True, False):
        cheapest_cuts(np.arange(4), 2, both)


def _item_sets() -> None:
    from .item_sets import deep_sets, pack_bits

    bits = pack_bits(np.zeros(2, dtype=np.int64), np.arange(2), 1, 2)
    deep_sets(bits, np.array([2]), 1, 2, 9)


CALLS: dict[str, Callable[[], None]] = {
    "agreement": _warm_agreement,
    "groups": _warm_groups,
    "household_matching": _household_matching,
    "diversity": _warm_diversity,
    "rank_intervals": _rank_intervals,
    "ranks": _warm_ranks,
    "row_space": _row_space,
    "overlaps": _warm_overlaps,
    "partners": _warm_partners,
    "microaggregation": _warm_microaggregation,
    "group_search": _group_search,
    "wildcards": _warm_wildcards,
    "suppression": _warm_suppression,
    "dummies": _warm_dummies,
    "nearest": _warm_nearest,
    "range_search": _warm_range_search,
    "terms": _warm_terms,
    "undominated": _warm_undominated,
    "same_mean": _same_mean,
    "mean_reciprocal": _mean_reciprocal,
    "rules": _warm_rules,
    "lattice": _warm_lattice,
    "least_norm": _least_norm,
    "minimal_uniques": _minimal_uniques,
    "traces": _warm_traces,
    "clusters": _warm_clusters,
    "centroids": _warm_centroids,
    "exact_sums": _exact_sums,
    "normals": _warm_normals,
    "transitions": _warm_transitions,
    "interval_stabbing": _warm_interval_stabbing,
    "degree_classes": _degree_classes,
    "edge_set": _edge_set,
    "degree_start": _degree_start,
    "switches": _warm_switches,
    "stub_joining": _warm_stub_joining,
    "item_sets": _item_sets,
}
"""Kernel module → a call of each of its functions on a few numbers, of the types that the package uses."""


LONGEST = (
    "clusters",
    "lattice",
    "group_search",
    "interval_stabbing",
    "diversity",
    "microaggregation",
    "nearest",
    "terms",
)
"""What takes longest to compile begins first, so that no core waits at the end."""
JOB = (
    *(
        "interval_stabbing",
        "diversity",
        "nearest",
        "terms",
        "groups",
        "rank_intervals",
        "ranks",
        "suppression",
        "agreement",
    ),
    *("mean_reciprocal", "range_search", "minimal_uniques", "household_matching"),
)
"""What the job of the demo calls."""


def has_uncompiled(names: Collection[str]) -> bool:
    """Whether one of the kernel modules has no compiled code beside it."""
    kept = Path(__file__).parent / "__pycache__"
    return not all(any(kept.glob(f"{name}.*.nbi")) for name in names)


def _call_kernel(name: str) -> None:
    CALLS[name]()


def warm_kernels(told: Callable[[str, float], object] | None = None, *, only: Collection[str] | None = None) -> None:
    """Call every kernel once, or those of ``only`` some modules, one process per core; numba keeps the code on disk."""
    wanted = set(CALLS if only is None else only)
    order = [name for name in (*LONGEST, *(name for name in CALLS if name not in LONGEST)) if name in wanted]
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        waiting = {pool.submit(_call_kernel, name): name for name in order}
        for done, call in enumerate(as_completed(waiting)):
            call.result()
            if told is not None:
                told(waiting[call], (done + 1) / len(order))
