"""How strongly columns hang together, from tables of counts."""

from __future__ import annotations

import numpy as np

__all__ = ["corrected_information", "mutual_information"]


def mutual_information(table: np.ndarray) -> float:
    r"""I(X; Y) in nats of a table of counts with X in rows: :math:`\sum p_{xy} \ln \frac{p_{xy}}{p_x p_y}`. O(cells).

    >>> round(mutual_information(np.array([[5, 0], [0, 5]])), 4), mutual_information(np.array([[4, 4], [2, 2]]))
    (0.6931, 0.0)
    """
    flat = np.asarray(table, dtype=float).reshape(len(table), -1)
    share = flat / max(flat.sum(), 1.0)
    even = share.sum(axis=1, keepdims=True) * share.sum(axis=0, keepdims=True)
    seen = share > 0
    return max(0.0, float((share[seen] * np.log(share[seen] / even[seen])).sum()))


def corrected_information(table: np.ndarray) -> float:
    r"""I(X; Y) less what independent columns would show by chance, :math:`(r - 1)(c - 1)/2n` for r and c occupied places.

    Without it the columns of most categories would be everybody's parents. It may be below 0.

    References
    ----------
    Miller (1955), Note on the bias of information estimates, in: Information theory in psychology, 95–100.
    """
    flat = np.asarray(table).reshape(len(table), -1)
    rows, columns = int((flat.sum(axis=1) > 0).sum()), int((flat.sum(axis=0) > 0).sum())
    return mutual_information(table) - (rows - 1) * (columns - 1) / (2 * max(int(flat.sum()), 1))
