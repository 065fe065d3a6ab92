"""k-anonymity of attributes and links together."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...errors import TacitError, check_columns
from ...result import Result
from ..graph import Graph
from ..masked import MaskedGraph
from ..structure.colours import refine_colours
from .sizes import graph_of, smallest_class


def attribute_k(
    graph: Graph | MaskedGraph, *, rounds: int | None, columns: str | Iterable[str] | None = None
) -> Result:
    """The size of the smallest class of nodes with equal attributes and equal structure.

    The attributes are ``columns``, or the quasi-identifiers of ``graph.attributes``; the structure is that of
    ``rounds`` of refinement (0: attributes alone, 1: degrees too, None: as far as refinement leads). A missing
    attribute is a value of its own. Neither k-anonymity of the attributes nor that of the degrees promises anything of
    both together: fact ``by attributes alone`` and ``by structure alone`` beside it show the difference. ``per_record``
    is the size of each node's class.

    Identity disclosure, a Boolean model. Time O(m log m) a round and O(n · columns), memory O(n + m).

    >>> import polars as pl
    >>> from tacit import Release
    >>> people = Release(pl.DataFrame({"sex": ["f", "m", "m", "f"]}), quasi="sex")
    >>> attribute_k(Graph(size=4, edges=np.array([[0, 1], [1, 2], [2, 3]]), attributes=people), rounds=1).value
    2
    """
    from ...kernels.groups import group_rows

    found = graph_of(graph)
    if found.attributes is None:
        raise TacitError(
            "the graph has no node attributes",
            code="invalid_graph",
            fix="give them, or measure the structure: k_degree(…)",
        )
    keys = found.attributes.quasi if columns is None else check_columns(columns, found.attributes.columns)
    if not keys:
        raise TacitError(
            "nobody said which attributes an intruder may know",
            code="missing_parameter",
            fix="name them, e.g. columns=['age', 'town']",
        )
    codes = [found.attributes.codes(key) for key in keys]
    values, kinds = group_rows([one.codes for one in codes], [len(one.dictionary) + 1 for one in codes])
    colours = refine_colours([found], rounds=rounds)
    shape = colours.last[0]
    both, _ = group_rows([values, shape], [kinds, colours.counts[-1]])
    alone = {"by attributes alone": int(np.bincount(values).min()), "by structure alone": int(np.bincount(shape).min())}
    return smallest_class("attribute k-anonymity", both, rounds=colours.rounds, columns=", ".join(keys), **alone)
