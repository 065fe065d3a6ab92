"""Estimates from several synthetic files put together, with an interval that knows they are synthetic."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite, sqrt
from typing import Literal, TypeAlias, get_args

from ..errors import TacitError, format_value, suggest_alternative
from ..interval import Z
from ..result import Result

Synthesis: TypeAlias = Literal["full", "partial", "posterior"]


def combine_estimates(
    estimates: Sequence[float],
    variances: Sequence[float],
    *,
    synthesis: Synthesis,
    size: float = 1.0,
) -> Result:
    r"""One estimate with its 95 % interval from the estimates q and variances u that m synthetic files give.

    The estimate is the mean :math:`\bar q`. With the mean variance :math:`\bar u` and the variance between the files
    :math:`b = \sum (q_i - \bar q)^2/(m-1)`, its variance T depends on how the files were made:

    ============== ==================================================================================================
    ``full``       all values drawn from models fitted to the original, as by Tacit's generators; k records made from
                   n (``size`` = k/n): :math:`T = \bar u\,(k/n + 1/m)`, normal. One file is enough. Raab et al. (2016)
    ``partial``    some columns or records drawn, the others as they were: :math:`T = \bar u + b/m`, t with
                   :math:`(m-1)(1 + m\bar u/b)^2` degrees of freedom. Reiter (2003)
    ``posterior``  new samples of a population whose parameters were drawn from their posterior for each file:
                   :math:`T = (1 + 1/m)\,b - \bar u`, t with :math:`(m-1)(1 - \bar u/((1+1/m)\,b))^2` degrees of freedom;
                   where T comes out negative, :math:`\bar u \cdot k/n`, normal. Raghunathan et al. (2003), Reiter (2002)
    ============== ==================================================================================================

    The variances are what analysts compute from each file as if it were a sample of as many people. All rules suppose
    that the models capture what is estimated, that the original is a simple random sample, and that estimates are about
    normal. The rule ``posterior`` is NOT for Tacit's generators, which fit once and draw no parameters: its standard
    errors would be too small by half and more (the tests show it). It needs many files. Estimates of statistics that a method keeps exactly (means after
    SynthMoments) do not differ between files, and the intervals are then too wide.

    ``facts`` has the standard error, the variances within and between, and the degrees of freedom. O(m).

    >>> found = combine_estimates([10.0, 12.0, 14.0], [3.0, 3.0, 3.0], synthesis="partial")
    >>> found.value, round(found.facts["standard error"] ** 2, 4), round(found.facts["degrees of freedom"], 2)
    (12.0, 4.3333, 21.12)

    References
    ----------
    Raghunathan, Reiter and Rubin (2003), Multiple imputation for statistical disclosure limitation, Journal of Official
    Statistics 19, 1–16. Reiter (2002), Satisfying disclosure restrictions with synthetic data sets, JOS 18, 531–543.
    Reiter (2003), Inference for partially synthetic, public use microdata sets, Survey Methodology 29, 181–188. Raab,
    Nowok and Dibben (2016), Practical data synthesis for large samples, Journal of Privacy and Confidentiality 7(3),
    67–97.
    """
    q, u = _check_estimates(estimates, variances, synthesis, size)
    m = len(q)
    mean, within = sum(q) / m, sum(u) / m
    between = sum((one - mean) ** 2 for one in q) / (m - 1) if m > 1 else 0.0
    total, freedom = _variance_and_freedom(synthesis, m, within, between, size)
    reach = _t_quantile(freedom) * sqrt(total)
    facts: dict[str, object] = {
        "standard error": sqrt(total),
        "files": m,
        "variance within": within,
        "variance between": between,
        "synthesis": synthesis,
    }
    if isfinite(freedom):
        facts["degrees of freedom"] = freedom
    return Result(
        name="combined estimate",
        value=mean,
        worse="high",
        about="utility",
        interval=(mean - reach, mean + reach),
        facts=facts,
    )


def _variance_and_freedom(
    synthesis: Synthesis, m: int, within: float, between: float, size: float
) -> tuple[float, float]:
    """The variance of the mean, and the degrees of freedom, infinite for a normal law."""
    if synthesis == "full":
        return within * (size + 1 / m), inf
    if synthesis == "partial":
        return within + between / m, (m - 1) * (1 + m * within / between) ** 2 if between else inf
    spread = (1 + 1 / m) * between
    if spread <= within:
        return within * size, inf
    return spread - within, (m - 1) * (1 - within / spread) ** 2


def _t_quantile(freedom: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.975) if isfinite(freedom) else Z)


def _check_estimates(
    estimates: Sequence[float], variances: Sequence[float], synthesis: str, size: float
) -> tuple[list[float], list[float]]:
    if synthesis not in get_args(Synthesis):
        raise TacitError(
            f"the synthesis {format_value(synthesis)} is unknown",
            code="unknown_name",
            fix=suggest_alternative(str(synthesis), get_args(Synthesis)),
        )
    q, u = _finite_numbers("estimates", estimates), _finite_numbers("variances", variances)
    if len(q) != len(u):
        raise TacitError(
            f"there are {len(q)} estimates and {len(u)} variances",
            code="not_applicable",
            fix="give one of each for every file",
        )
    fewest = 1 if synthesis == "full" else 2
    if len(q) < fewest:
        raise TacitError(
            f"{len(q)} files do not show how far files lie apart",
            code="not_applicable",
            fix=f"make {fewest} or more with tacit.protect.implicates",
        )
    if min(u) < 0:
        raise TacitError("a variance is negative", code="out_of_range", fix="give squared standard errors")
    if isinstance(size, bool) or not isinstance(size, int | float) or not 0 < size < inf:
        raise TacitError(
            f"size={format_value(size)} is no share",
            code="out_of_range",
            parameter="size",
            fix="synthetic records for each original one: size=0.5 for half as many",
        )
    return q, u


def _finite_numbers(name: str, given: Sequence[float]) -> list[float]:
    try:
        found = [float(one) for one in given]
    except (TypeError, ValueError):
        found = [inf]
    if not all(isfinite(one) for one in found):
        raise TacitError(
            f"{name} are not finite numbers", code="not_finite", fix=f"e.g. {name}=[1.2, 1.4, 1.1], one for each file"
        )
    return found
