"""For each query a list of its nearest points, the nearest first."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numba import njit

from .kd_tree import build_tree
from .nearest import Costs, ordered_columns
from .point_distances import least_node_distance, point_distance

LEAF = 12
CHUNK = 2048
SHORT = 8
"""A list of more than one in so many points is cut from all of them, sorted."""


def near_lists(
    points: np.ndarray, queries: np.ndarray, costs: Costs, count: int, *, told: Callable[[float], None] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The ``count`` nearest points of each query, nearest first, and their distances: two arrays of m × count.

    Distances are those of :func:`.nearest.nearest`. Of points that tie for the last place any may be named. About
    O(count + log n) time for each query in few columns, up to O(n·d) in many; memory O((n + m)·d + m·count). There are
    at least ``count`` points.
    """
    points, queries, space = ordered_columns(points, queries, costs)
    tree = build_tree(points, space, LEAF)
    visit = build_tree(queries, space, LEAF).rows
    rows, distances = np.empty((len(queries), count), np.int64), np.empty((len(queries), count))
    chunks = [visit[at : at + CHUNK] for at in range(0, len(visit), CHUNK)]
    search = _list_by_sorting if count > len(points) // SHORT else _list_by_tree
    with ThreadPoolExecutor(min(os.cpu_count() or 1, len(chunks))) as pool:
        work = pool.map(lambda chunk: search(queries, chunk, tree, space, rows, distances), chunks)
        for number, _ in enumerate(work):
            if told is not None:
                told((number + 1) / len(chunks))
    return rows, distances


@njit(cache=True, nogil=True)
def _list_by_tree(queries, chunk, tree, space, rows, distances):
    stack, bound = np.empty(64, np.int64), np.empty(64)
    for q in chunk:
        query, row, far = queries[q], rows[q], distances[q]
        far[:] = np.inf
        stack[0], bound[0], waiting = 0, 0.0, 1
        while waiting:
            waiting -= 1
            v = stack[waiting]
            if bound[waiting] >= far[-1]:
                continue
            while v < tree.leaves:
                v, other = 2 * v + 1, 2 * v + 2
                here, there = least_node_distance(query, v, tree, space), least_node_distance(query, other, tree, space)
                if there < here:
                    v, other, there = other, v, here
                if there < far[-1]:
                    stack[waiting], bound[waiting] = other, there
                    waiting += 1
            for i in range(tree.start[v], tree.end[v]):
                distance = point_distance(query, tree.points, i, space)
                if distance < far[-1]:
                    _insert_point(row, far, tree.rows[i], distance)


@njit(cache=True, nogil=True)
def _list_by_sorting(queries, chunk, tree, space, rows, distances):
    every = np.empty(tree.rows.size)
    for q in chunk:
        for i in range(every.size):
            every[i] = point_distance(queries[q], tree.points, i, space)
        order = np.argsort(every)
        for place in range(rows.shape[1]):
            rows[q, place], distances[q, place] = tree.rows[order[place]], every[order[place]]


@njit(cache=True, nogil=True)
def _insert_point(row, far, point, distance):
    """The point into its place in the list; the last one falls out."""
    place = far.size - 1
    while place > 0 and far[place - 1] > distance:
        far[place], row[place] = far[place - 1], row[place - 1]
        place -= 1
    far[place], row[place] = distance, point
