"""The judge: counts what of the claims is right, beside what guessing gets; all attacks are scored alike."""

from __future__ import annotations

import numpy as np

from ..errors import TacitError, format_value
from ..interval import clustered_interval, wilson
from ..per_record import PerRecord
from ..result import Result
from .beliefs import believed_share
from .claims import Claims, CopyClaims, LinkClaims, MemberClaims, PredicateClaims, ValueClaims
from .copies import score_copies
from .isolation import right_predicates
from .precision import own_rows, precision_facts, right_chances
from .roc import roc_steps, worst_members
from .truth import Truth
from .values import right_values

FALSE_ALARMS = 0.01, 0.001


def judge(claims: Claims, truth: Truth, control: Claims | None = None) -> Result:
    r"""How much of what an attack claims is right.

    Links: the expected share of the intruder's records that are linked rightly,

    .. math:: Reid = \tfrac{1}{|B|} \sum_{b \in B} \Pr[r(b) = true(b)],

    a set of m equally likely candidates counting 1/m when the right record is among them (Reid_k), several released rows
    of one person counting together, people who are not in the release counting 0. ``facts`` has ``baseline``, what
    guessing gets; ``single links``, the share with one candidate, and ``right single links``, those among them that are
    right (Reid_d; some lectures sum a cardinality there, it is the share of right links); ``sure links``, the share that the
    intruder KNOWS to be right (K.Reid); how right the tenth of the links is that it believes most, and the share of the
    records that are found where 95 of 100 links are right (the whole curve: :func:`.precision.precision_curve`);
    ``notes``, where the attack has any. ``per_record`` is the chance of each record of the intruder. When nobody knows who
    is who, see :func:`.beliefs.summarise_unjudged`.

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
            f"{format_value(truth)} is no truth",
            code="wrong_type",
            fix="e.g. Truth.by_lineage(masked.rows(), original.size); nobody knows: unjudged",
        )
    if isinstance(claims, LinkClaims):
        _check_length(truth.released, claims.release_size, "the release")
        _check_length(truth.intruder, claims.intruder_size, "the intruder's file")
        result = right_links(claims, truth)
    elif isinstance(claims, ValueClaims):
        values = _check_length(truth.values, claims.intruder_size, "the claims about values")
        result = right_values(claims, values, within=truth.within, together=truth.together)
    elif isinstance(claims, PredicateClaims):
        if truth.people is None:
            raise TacitError(
                "the truth has no people to count",
                code="not_applicable",
                fix="give the original, Truth(…, people=original)",
            )
        result = right_predicates(claims, truth.people, truth.others)
    else:
        _check_length(truth.intruder, len(claims.scores), "the intruder's list")
        inside = truth.in_release()
        result = score_copies(claims, inside)[0] if isinstance(claims, CopyClaims) else right_members(claims, inside)
    return result if control is None else result.with_facts(control=_control_rate(claims, truth, control))


def _control_rate(claims: Claims, truth: Truth, control: Claims) -> float:
    if type(control) is not type(claims) or isinstance(control, MemberClaims | PredicateClaims):
        raise TacitError(
            f"{type(control).__name__} cannot be the control of {type(claims).__name__}",
            code="not_applicable",
            fix="make the same attack on people who are not in the release (claims about members hold them already, "
            "predicates are tried on Truth(…, others=…))",
        )
    if isinstance(control, LinkClaims):
        return believed_share(control)
    values = _check_length(truth.control_values, control.intruder_size, "the control claims")
    return right_values(control, values, within=truth.within).value


def _check_length(given: np.ndarray | None, size: int, what: str) -> np.ndarray:
    if given is None or len(given) != size:
        has = "nothing" if given is None else f"{len(given)} rows"
        raise TacitError(
            f"the truth has {has} for the {size} rows of {what}",
            code="not_applicable",
            fix="give the truth of these very files",
        )
    if size == 0:
        raise TacitError(
            f"{what} has no rows: there is nothing to judge",
            code="too_few_records",
            fix="check the file that was attacked",
        )
    return given


def right_links(claims: LinkClaims, truth: Truth) -> Result:
    """The expected share of the intruder's records that are linked to the right released one; see :func:`.judge.judge`."""
    pairs, own = own_rows(truth)
    chance = right_chances(claims, pairs, own)
    sizes, trials, present = claims.set_sizes(), claims.intruder_size, truth.in_release()
    sure = np.zeros(trials, dtype=bool) if claims.sure is None else claims.sure[claims.claim_of]
    facts: dict[str, object] = {
        "baseline": len(pairs) / (trials * claims.release_size) if pairs.size else 0.0,
        "records attacked": trials,
        "in the release": float(present.mean()),
        "single links": float((sizes == 1).mean()),
        "right single links": float(((sizes == 1) & (chance > 0)).mean()),
        "sure links": float(sure.mean()),
        "mean candidates": float(sizes[sizes > 0].mean()) if sizes.any() else 0.0,
        "without candidate": float((sizes == 0).mean()),
    }
    if claims.clusters is not None:
        facts["households attacked"] = len(np.unique(claims.clusters))
    if sure.any():
        facts["sure links that are right"] = float((chance[sure] > 0).mean())
    facts |= precision_facts(claims, chance, people=int(present.sum()))
    facts |= claims.facts
    facts |= {"notes": list(claims.notes)} if claims.notes else {}
    interval = (
        wilson(float(chance.sum()), trials, together=truth.together)
        if claims.clusters is None
        else clustered_interval(chance, claims.clusters, together=truth.together)
    )
    return Result(
        name="re-identification",
        value=float(chance.mean()),
        interval=interval,
        worse="high",
        about="identity",
        facts=facts,
        per_record=PerRecord(array=chance, rows_of="intruder"),
    )


def right_members(claims: MemberClaims, inside: np.ndarray) -> Result:
    r"""The area under the ROC curve, the chance that a member scores higher than a non-member, a tie counting one half.

    .. math:: A = \Pr[s_1 > s_0] + \tfrac12 \Pr[s_1 = s_0]

    The average hides the few who are surely found, so the facts have more:

    - ``found at 1 % false alarms`` (and at 0.1 %): the share of members found at the lowest threshold at which at most
      that share of the others is taken for members, with Wilson's interval for the members at that threshold. With fewer
      than 1/rate others such a rate cannot be seen; a note says so in the place of a number.
    - ``worst 1 %``: how sure an intruder may be of the one member in a hundred who is found most easily
      (:func:`.worst.worst_members`).
    - ``advantage``: the largest difference of the shares of members and others above a threshold; ``best balanced
      accuracy`` is (1 + advantage)/2. Both choose the threshold knowing the truth. ``balanced accuracy`` is that at the
      threshold that the attack itself named.

    ``per_record`` is for each member the share of the others whom it outscores, which is one minus the false alarms at
    which it is found; its mean over the members is the area. People who are not in the release have 0.

    The variance of the area is at most A(1 − A)/min(members, others) (Birnbaum and Klose), so the interval is Wilson's
    for that many trials. Time O(n log n).

    References
    ----------
    Birnbaum and Klose (1957), Bounds for the variance of the Mann–Whitney statistic, Annals of Math. Statistics 28, 933–945.
    Carlini et al. (2022), Membership inference attacks from first principles, IEEE S&P, 1897–1914.
    """
    found, false = roc_steps(claims.scores, inside)
    area = float(((false[1:] - false[:-1]) * (found[1:] + found[:-1]) / 2).sum())
    members, others = int(inside.sum()), int((~inside).sum())
    advantage = float((found - false).max())
    facts: dict[str, object] = {"baseline": 0.5, "advantage": advantage, "best balanced accuracy": (1 + advantage) / 2}
    if claims.threshold is not None:
        facts["balanced accuracy"] = _balanced_accuracy(claims.scores >= claims.threshold, inside)
    notes = list(claims.notes)
    for rate in FALSE_ALARMS:
        if rate * others < 1 - 1e-9:
            notes.append(
                f"{rate * 100:g} % false alarms cannot be seen with {others:,} others: {1 / rate:,.0f} are needed"
            )
            continue
        share = float(found[false <= rate].max())
        facts[f"found at {rate * 100:g} % false alarms"] = share
        facts[f"found at {rate * 100:g} % false alarms, interval"] = wilson(share * members, members)
    worst = worst_members(claims, inside)
    facts |= {"worst 1 %": worst.value, "worst 1 %, 95 % interval": worst.interval}
    facts |= {"members": members, "others": others, **claims.facts}
    facts |= {"notes": notes} if notes else {}
    trials = min(members, others)
    return Result(
        name="membership inference",
        id="membership",
        value=area,
        interval=wilson(area * trials, trials),
        worse="high",
        about="identity",
        facts=facts,
        per_record=PerRecord(array=_outscored_shares(claims.scores, inside), rows_of="intruder"),
    )


def _balanced_accuracy(taken: np.ndarray, inside: np.ndarray) -> float:
    return float(taken[inside].mean() + 1 - taken[~inside].mean()) / 2


def _outscored_shares(scores: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """For each member the share of the others who score lower, ties counting one half; 0 for the others."""
    ladder = np.sort(scores[~inside])
    below, upto = (np.searchsorted(ladder, scores[inside], side=side) for side in ("left", "right"))
    shares = np.zeros(len(scores))
    shares[inside] = (below + upto) / (2 * len(ladder))
    return shares
