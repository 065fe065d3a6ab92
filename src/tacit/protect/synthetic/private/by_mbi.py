"""Noisy marginals reconciled by private-PGM, the library of the method's authors, instead of our own descent."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....errors import TacitError
from ..discrete.elimination import Node
from ..discrete.fitted import Model, Target, fitted
from ..discrete.reconciled import Noisy, total

__all__ = ["reconciled_by_mbi"]


def reconciled_by_mbi(tree: tuple[Node, ...], sizes: tuple[int, ...], measured: Sequence[Noisy]) -> Model:
    """The same as :func:`~tacit.protect.synthetic.discrete.reconciled.reconciled`, estimated by mbi (private-PGM).

    Its marginals of the tree's cliques make the model, so that records are drawn as by our own engine.
    """
    mbi, exact = _library()
    with exact(True):
        domain = mbi.Domain([str(axis) for axis in range(len(sizes))], sizes)
        asked = [
            mbi.LinearMeasurement(one.table.ravel(), tuple(map(str, one.axes)), stddev=one.scale) for one in measured
        ]
        found = mbi.estimation.MirrorDescent().estimate(domain, asked, known_total=total(measured))
        targets = [Target(node.clique, _share(found, node.clique)) for node in tree]
    return fitted(tree, sizes, targets)


def _share(model: Any, axes: Sequence[int]) -> np.ndarray:
    table = np.asarray(model.project(tuple(map(str, axes))).datavector(flatten=False), dtype=float)
    found: np.ndarray = np.maximum(table, 0.0)
    return found


def _library() -> tuple[Any, Any]:
    """The library, and how to make it count in 64 bits for a while; of both it warns at import, and of no fault of ours."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import mbi
            from jax import enable_x64
    except ImportError:
        raise TacitError("engine='mbi' needs private-PGM", fix="pip install 'tacit[mbi]', or engine='own'") from None
    return mbi, enable_x64
