"""Make a perturbation table: noise of mean 0 and given variance that is otherwise as unpredictable as can be."""

from __future__ import annotations

import numpy as np

from ...errors import TacitError, check_int, format_value
from .ptable import PTable

ITERATIONS = 500
"""Newton steps at most; a variance that can be reached takes about ten."""


def design_ptable(*, largest: int, variance: float, forbidden: int = 0, stay: float | None = None) -> PTable:
    r"""The p-table of largest entropy for counts.

    For each count i the chances p(v) of a change v maximise :math:`-\sum p \log p` such that

    .. math:: \sum p = 1,\quad \sum v\,p = 0,\quad \sum v^2 p = variance,\quad |v| \le largest,

    no count falls below 0, none becomes 1 … ``forbidden``, and below the true count the chances rise towards it. ``stay``
    fixes the chance that a count is not changed. A count of 0 stays 0. Rows run to the count from which all are alike.

    The answer has the form :math:`p(v) \propto e^{\lambda v + \mu v^2}`, where neighbours whose chances would fall towards the
    true count share one; λ and μ are found by Newton's method. Rows take O(largest) memory and microseconds.

    >>> table = design_ptable(largest=5, variance=2.5, forbidden=2)
    >>> table
    <PTable: 9 rows, changes up to 5>
    >>> bool(np.allclose(table.means(), 0)), table.variances().round(6)[1:].tolist()
    (True, [2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5])

    References
    ----------
    Giessing (2016), Computational issues in the design of transition probabilities and disclosure risk estimation for
    additive noise, PSD 2016, LNCS 9867, 237–251.
    Fraser, Wooton (2005), A proposed method for confidentialising tabular output to protect against differencing.
    """
    check_int("largest", largest, least=1)
    check_int("forbidden", forbidden, least=0)
    if not 0 < variance <= largest**2:
        raise TacitError(
            f"variance={format_value(variance)} cannot be reached",
            code="cannot_be_met",
            parameter="variance",
            fix=f"give a number in (0, {largest**2}], e.g. 2",
        )
    if stay is not None and not 0 <= stay < 1:
        raise TacitError(
            f"stay={format_value(stay)} is no chance",
            code="out_of_range",
            parameter="stay",
            fix="give a number from 0 to below 1, e.g. 0.5",
        )
    changes, chances = [np.array([0])], [np.array([1.0])]
    for count in range(1, largest + forbidden + 2):
        change = np.arange(-largest, largest + 1)
        new = count + change
        change = change[(new >= 0) & ((new == 0) | (new > forbidden))]
        changes.append(change)
        chances.append(_noise_row(count, change, variance, stay if count > forbidden else None, forbidden))
    return PTable(tuple(changes), tuple(chances))


def _noise_row(count: int, change: np.ndarray, variance: float, stay: float | None, forbidden: int) -> np.ndarray:
    kept = np.ones(len(change), dtype=bool) if stay is None else change != 0
    scale = 1.0 if stay is None else 1.0 - stay
    moved = change[kept]
    rising = (moved + count > forbidden) & (moved <= 0)
    chance = np.zeros(len(change))
    if stay is not None:
        chance[~kept] = stay
    found = _monotone_entropy(moved.astype(np.float64), rising, variance / scale)
    if found is None:
        raise TacitError(
            f"variance={format_value(variance)} cannot be reached for a count of {count} (its changes: {_format_changes(change)})",
            code="cannot_be_met",
            parameter="variance",
            fix="give another variance, a larger largest, or a smaller forbidden",
        )
    chance[kept] = scale * found
    return chance


def _format_changes(change: np.ndarray) -> str:
    return ", ".join(f"{one:+d}" for one in change)


def _monotone_entropy(change: np.ndarray, rising: np.ndarray, variance: float) -> np.ndarray | None:
    """Largest entropy with chances that rise over the marked changes: neighbours that fall are pooled until none does."""
    group = np.arange(len(change))
    while True:
        chance = _exponential_family(change, group, variance)
        if chance is None:
            return None
        falls = rising[:-1] & rising[1:] & (chance[:-1] > chance[1:] * (1 + 1e-9))
        if not falls.any():
            return chance
        at = int(np.flatnonzero(falls)[-1])
        group = np.where(group == group[at + 1], group[at], group)


def _exponential_family(change: np.ndarray, group: np.ndarray, variance: float) -> np.ndarray | None:
    """Chances ∝ exp(λ f₁ + μ f₂) with the means of v and v² over each group as f: Newton's method on the convex dual."""
    both = np.column_stack([change, change**2])
    which = group[:, None] == group[None, :]
    feature = (which @ both) / which.sum(axis=1, keepdims=True)
    wanted, power = np.array([0.0, variance]), np.zeros(2)

    def dual(power: np.ndarray) -> tuple[float, np.ndarray]:
        raw = feature @ power
        top = raw.max()
        weight = np.exp(raw - top)
        return float(np.log(weight.sum()) + top - power @ wanted), weight / weight.sum()

    value, chance = dual(power)
    for _ in range(ITERATIONS):
        slope = chance @ feature - wanted
        if np.abs(slope).max() < 1e-10 * max(1.0, variance):
            return chance
        curve = (feature * chance[:, None]).T @ feature - np.outer(chance @ feature, chance @ feature)
        step = np.linalg.lstsq(curve + 1e-14 * np.eye(2), -slope, rcond=None)[0]
        size = 1.0
        while size > 1e-12:
            new, trial = dual(power + size * step)
            if new <= value + 1e-4 * size * float(slope @ step):
                break
            size /= 2
        else:
            return None
        power, value, chance = power + size * step, new, trial
    return chance if np.abs(chance @ feature - wanted).max() < 1e-6 * max(1.0, variance) else None
