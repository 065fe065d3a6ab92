"""The judge: counts what of the claims is right, beside what guessing gets; all attacks are scored alike."""

from __future__ import annotations

import numpy as np

from ..errors import TacitError, typed
from ..result import Result
from .claims import Claims, LinkClaims, MemberClaims, ValueClaims
from .isolated import right_predicates
from .links import right_links
from .members import right_members
from .predicates import PredicateClaims
from .truth import Truth
from .unjudged import believed
from .values import right_values

__all__ = ["judge"]


def judge(claims: Claims, truth: Truth, control: Claims | None = None) -> Result:
    r"""How much of what an attack claims is right (C-03).

    Links: the expected share of the intruder's records that are linked rightly,

    .. math:: Reid = \tfrac{1}{|B|} \sum_{b \in B} \Pr[r(b) = true(b)],

    a set of m equally likely candidates counting 1/m when the right record is among them (Reid_k), several released rows
    of one person counting together, people who are not in the release counting 0. ``facts`` has ``baseline``, what
    guessing gets; ``single links``, the share with one candidate, and ``right single links``, those among them that are
    right (Reid_d; some lectures sum a cardinality there, it is the share of right links); ``sure links``, the share that the
    intruder KNOWS to be right (K.Reid); how right the tenth of the links is that it believes most, and the share of the
    records that are found where 95 of 100 links are right (the whole curve: :func:`.precision.precision_curve`);
    ``notes``, where the attack has any. ``per_record`` is the chance of each record of the intruder. When nobody knows who
    is who, see :func:`.unjudged.unjudged`.

    Values: the share of claims that hold the true value (``truth.values``). Members: the area under the ROC curve, where
    a person is a member when one of its rows is in the release. Predicates: the share that holds for exactly one of
    ``truth.people``, beside chance and beside ``truth.others``, who are the control here.

    ``control`` are the claims of the same attack about people who are NOT in the release. Fact ``control`` is for links
    the share that the intruder believes to have linked, a set of m counting 1/m: none of these links is right, so an
    attack that believes as much of outsiders cannot tell its links from wrong ones. For values it is the share that is
    right of the outsiders too (``truth.control_values``): what anybody could infer from the population. Claims about
    members hold their outsiders already.

    Shares have Wilson's 95 % interval, wider where the truth says that people are found or missed together. Time O(n log n + candidates), memory O(n + candidates).

    >>> claims = LinkClaims.of_rows(np.array([0, 2, 3]), np.array([0, 1, 1]), release_size=2)
    >>> judge(claims, Truth(released=np.array([0, 1]), intruder=np.array([0, 1]))).value
    0.75

    References
    ----------
    Torra (2022), Guide to Data Privacy: Models, Technologies, Solutions, Springer.
    """
    if not isinstance(truth, Truth):
        raise TacitError(
            f"{typed(truth)} is no truth",
            fix="e.g. Truth.by_lineage(masked.rows(), original.size); nobody knows: unjudged",
        )
    if isinstance(claims, LinkClaims):
        _fits(truth.released, claims.release_size, "the release")
        _fits(truth.intruder, claims.intruder_size, "the intruder's file")
        result = right_links(claims, truth)
    elif isinstance(claims, ValueClaims):
        values = _fits(truth.values, claims.intruder_size, "the claims about values")
        result = right_values(claims, values, within=truth.within, together=truth.together)
    elif isinstance(claims, PredicateClaims):
        if truth.people is None:
            raise TacitError("the truth has no people to count", fix="give the original, Truth(…, people=original)")
        result = right_predicates(claims, truth.people, truth.others)
    else:
        _fits(truth.intruder, len(claims.scores), "the intruder's list")
        result = right_members(claims, truth.present())
    return result if control is None else result.with_facts(control=_controlled(claims, truth, control))


def _controlled(claims: Claims, truth: Truth, control: Claims) -> float:
    if type(control) is not type(claims) or isinstance(control, MemberClaims | PredicateClaims):
        raise TacitError(
            f"{type(control).__name__} cannot be the control of {type(claims).__name__}",
            fix="make the same attack on people who are not in the release (claims about members hold them already, "
            "predicates are tried on Truth(…, others=…))",
        )
    if isinstance(control, LinkClaims):
        return believed(control)
    values = _fits(truth.control_values, control.intruder_size, "the control claims")
    return right_values(control, values, within=truth.within).value


def _fits(given: np.ndarray | None, size: int, what: str) -> np.ndarray:
    if given is None or len(given) != size:
        has = "nothing" if given is None else f"{len(given)} rows"
        raise TacitError(f"the truth has {has} for the {size} rows of {what}", fix="give the truth of these very files")
    if size == 0:
        raise TacitError(f"{what} has no rows: there is nothing to judge", fix="check the file that was attacked")
    return given
