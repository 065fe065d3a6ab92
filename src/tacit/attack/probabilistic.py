"""Probabilistic record linkage: everybody is taken for the record that speaks most for being the same person."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import polars as pl

from ..claims.claims import LinkClaims
from ..claims.scenario import Scenario
from ..errors import TacitError, check_columns, format_value
from ..frozen import FrozenDict
from ..progress import report_progress, sub_progress
from ..release.engines.table import ROW
from ..release.release import Release
from ._columns import common_columns, why_incomparable
from .attack import ProgramLimit
from .fellegi_sunter.comparison import Files, build_comparison, exact_codes, index_distinct_rows, side_by_side
from .fellegi_sunter.em import LEAST, Model, log_ratios, match_posterior
from .fellegi_sunter.estimate import Estimate, estimate_model
from .fellegi_sunter.linking import BestLinks, best_links
from .fellegi_sunter.patterns import Patterns, count_patterns
from .fellegi_sunter.splink import for_links, make_linker, splink_links

if TYPE_CHECKING:
    from ..progress import Progress
    from ..seed import Seed

OURS = "__splink__"
"""How the names of all views begin that Splink makes, and those that are handed to it."""

ESTIMATES = ("em", "fixed", "single", "known")

ENGINES = ("tacit", "splink")


@dataclass(frozen=True, slots=True, kw_only=True)
class Probabilistic:
    r"""Link each known person to the released record that is likeliest the same one, after Fellegi and Sunter.

    The intruder has a list of people and compares it with the release column by column: equal, nearly equal, different,
    or unknown where a cell is missing. Agreeing at level :math:`l` of column :math:`c` weighs
    :math:`w_{cl} = \log_2(m_{cl} / u_{cl})`: how much likelier it is for the same person (m) than for two (u). A pair
    weighs the sum, and is of one person with the chance

    .. math:: P = \frac{p\,2^{w}}{p\,2^{w} + 1 - p}

    where p is the share of such pairs among all. All records of the highest weight are candidates; ``scores`` are P.
    A likely link is never a sure one.

    **Estimation** (``estimate``). "em": from the release and the file alone, by expectation and maximisation over the
    counts of *all* pairs. On columns that depend on each other it converges to nonsense; that is noticed (more matches
    than people, agreement against a link), noted in the claims, and "fixed" takes its place: p is ``prior``, or that
    everybody of the smaller file is in the other, u is what all pairs show, and only m is estimated. When that is
    implausible too, "single" does: everybody has one record, and the records compete for the person. "known": the
    intruder knows some pairs (row of its file, row of the release) already, ``known``, and counts m in them.

    **Levels.** Numbers and dates are near when at most a share ``near`` of the records lies between; ``partial`` gives
    other levels by column: tolerances for numbers (dates in days), levels of the hierarchy for columns with one,
    numbers of first characters for other text. ``frequencies`` makes agreement on a rare value weigh more. Only pairs
    that are equal on the columns ``block`` are compared.

    **Decisions.** Everybody is linked, unless errors are bounded: with ``false_links`` (the share of links that may be
    wrong) and ``missed_links`` (the share of common people that may be missed), pairs are linked, left to a clerk, or
    not linked; people without a pair above the lower threshold are linked to nobody, and the notes tell the shares.

    ``engine="splink"`` lets Splink (extra ``linkage``) form and weigh the pairs in DuckDB, or in Spark when one of the
    files is there, which needs no room in memory for them; say ``block`` for large files. The weights are estimated as
    ever. From Spark the common columns come to the driver, in the order of the row numbers that the methods use, and the
    records of the highest weight.

    Counting takes O(2^columns · (n + m)) without levels by tolerance, or O(n·m) within a limit and on a random sample
    beyond; linking about O((n + m) log n) in few columns, up to O(n·m) in many; memory O(n + m + patterns).

    >>> import polars as pl
    >>> from tacit import Release
    >>> from tacit.claims import Scenario
    >>> r = Release(pl.DataFrame({"zip": ["N1", "N1", "N2"], "sex": ["f", "f", "m"]}), quasi=["zip", "sex"])
    >>> Probabilistic(estimate="fixed").claims(r, Scenario.worst_case(r)).set_sizes().tolist()
    [2, 2, 1]

    References
    ----------
    Fellegi and Sunter (1969), A theory for record linkage, J. American Statistical Association 64, 1183–1210.
    Torra and Domingo-Ferrer (2003), Record linkage methods for multidatabase data mining, in Information Fusion in
    Data Mining, Springer, 101–132.
    """

    makes: ClassVar = LinkClaims
    linkage: ClassVar = "generic"
    estimate: Estimate = "em"
    prior: float | None = None
    known: tuple[tuple[int, int], ...] = ()
    near: tuple[float, ...] = (0.01, 0.02, 0.05, 0.1, 0.2)
    partial: Mapping[str, tuple[float, ...]] = field(default_factory=FrozenDict)
    frequencies: bool = False
    block: tuple[str, ...] = ()
    false_links: float | None = None
    missed_links: float | None = None
    engine: Literal["tacit", "splink"] = "tacit"

    def __post_init__(self) -> None:
        for name, value in check_fields(self).items():
            object.__setattr__(self, name, value)

    def applies(self, release: Release, scenario: Scenario) -> str | None:
        """None when the attack can be made, else why not."""
        on_engine = self.engine == "splink"
        why = why_incomparable(release, scenario.file, on_engine=on_engine)
        return ProgramLimit(f"{why}, or engine='splink'") if isinstance(why, ProgramLimit) else why

    def claims(
        self, release: Release, scenario: Scenario, *, seed: Seed | None = None, progress: Progress | None = None
    ) -> LinkClaims:
        """Which released records weigh most for each of the intruder's."""
        files, counted, model, notes = self.estimate_model(
            release, scenario, seed=seed, progress=sub_progress(progress, 0.0, 0.7)
        )
        extra = rarity_weights(files, model) if self.frequencies else None
        if self.engine == "splink" and files.comparisons:
            report_progress(progress, "linking by Splink", 0.7)
            session = session_of(release, scenario.file)
            with drop_splink_views(session):
                made = make_linker(files, for_links(model), extra=extra, session=session)
                found = BestLinks(*splink_links(made, files, model))
        else:
            found = best_links(files, model, extra=extra, progress=sub_progress(progress, 0.7, 1.0))
        return self._decide_links(files, counted, model, found, notes)

    def estimate_model(
        self, release: Release, scenario: Scenario, *, seed: Seed | None = None, progress: Progress | None = None
    ) -> tuple[Files, Patterns, Model, tuple[str, ...]]:
        """The files side by side, the counts of their agreement patterns, the model of them, and notes on it."""
        self._check_applies(release, scenario)
        shared = common_columns(release, scenario.file)
        theirs, mine = (collect_columns(side, shared) for side in (release, scenario.file))
        files, notes = prepare_files(theirs, mine, near=self.near, partial=self.partial, block=self.block)
        counted = count_patterns(files, seed=seed, progress=sub_progress(progress, 0.0, 0.6))
        if counted.sample < 1.0:
            notes += (f"agreements were counted on a random {counted.sample:.2%} of the intruder's records",)
        known = rows_of(files, self.known) if self.known else None
        told = sub_progress(progress, 0.6, 1.0)
        model, more = estimate_model(
            files, counted, estimate=self.estimate, prior=self.prior, known=known, seed=seed, progress=told
        )
        return files, counted, model, notes + more

    def _check_applies(self, release: Release, scenario: Scenario) -> None:
        why_not = self.applies(release, scenario)
        if why_not:
            fix = "Probabilistic(engine='splink')" if "splink" in why_not else "see which columns both files have"
            raise TacitError(f"linking by weights is not possible: {why_not}", code="wrong_type", fix=fix)

    def _decide_links(
        self, files: Files, counted: Patterns, model: Model, found: BestLinks, notes: tuple[str, ...]
    ) -> LinkClaims:
        start, candidates = found.start, found.found
        if self.false_links is not None and self.missed_links is not None:
            bounds = decision_thresholds(counted, model, false_links=self.false_links, missed_links=self.missed_links)
            linked = np.where(np.diff(start) > 0, bounds.classify_weights(found.weight), 0)
            share = np.bincount(linked, weights=files.people_counts, minlength=3) / files.people_counts.sum()
            notes += (f"linked {share[2]:.1%}, clerical {share[1]:.1%}, non-linked {share[0]:.1%} of the records",)
            keep = np.repeat(linked > 0, np.diff(start))
            start = np.append(0, np.cumsum(np.where(linked > 0, np.diff(start), 0)))
            candidates = candidates[keep]
        return LinkClaims(
            claim_of=files.claim_of,
            start=start,
            candidates=candidates,
            group_of=files.group_of,
            scores=match_posterior(found.weight, model.prior),
            notes=notes,
        )


def rarity_weights(files: Files, model: Model) -> np.ndarray:
    r"""What exact agreement on each of the intruder's values weighs more than on a value of usual frequency.

    Two persons agree on the value x with the chance :math:`f_x`, its share of the release, given that one of them has
    it; the model's u is the mean of that. So exact agreement on x weighs :math:`\log_2(u / f_x)` more: a rare name
    convinces, a common one does not. Values that the release has not got, missing ones, and columns that are compared
    by tolerance alone weigh nothing more. Time O(n log n), memory O(n · columns).

    References
    ----------
    Newcombe, Kennedy, Axford and James (1959), Automatic linkage of vital records, Science 130, 954–959.
    """
    extra = np.zeros((len(files.value), len(files.comparisons)))
    total = max(1, int(files.record_counts.sum()))
    for column, (one, last) in enumerate(zip(files.comparisons, files.columns[1:] - 1, strict=True)):
        if not one.levels[-1].is_equality:
            continue
        low, value = files.low[:, last], files.value[:, last]
        known = ~np.isnan(low)
        held, place = np.unique(low[known], return_inverse=True)
        count = np.append(np.bincount(place, weights=files.record_counts[known]), 0.0)
        at = np.searchsorted(held, value)
        shared = np.append(held, np.nan)[at] == value
        share = count[at[shared]] / total
        extra[shared, column] = np.log2(max(float(model.u[column][-1]), LEAST) / share)
    return extra


def prepare_files(
    release: Release,
    file: Release,
    *,
    near: tuple[float, ...],
    partial: Mapping[str, tuple[float, ...]],
    block: tuple[str, ...],
) -> tuple[Files, tuple[str, ...]]:
    """Both files as distinct rows of their common columns, and notes on columns that say nothing."""
    shared = common_columns(release, file)
    for asked in (partial, block):
        check_columns(tuple(asked), shared)
    found, silent = [], []
    for column in shared:
        if column in block:
            continue
        one = build_comparison(release, file, column, partial=partial.get(column, ()), near=near)
        if one is None:
            silent.append(column)
        else:
            found.append(one)
    notes = (f"{', '.join(silent)} tells nobody in the release apart",) if silent else ()
    blocks = _block_numbers(release, file, block) if block else None
    return side_by_side(found, sizes=(release.size, file.size), blocks=blocks), notes


def _block_numbers(release: Release, file: Release, block: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The number of every record's block; records with a gap there are in none."""
    sides = [exact_codes(release, file, column) for column in block]
    matrix = np.column_stack([np.append(side.release, side.intruder) for side in sides])
    numbers = index_distinct_rows([matrix])[0].astype(float)
    if release.missing != "own":
        numbers[np.isnan(matrix).any(1)] = np.nan
    theirs, mine = numbers[: release.size], numbers[release.size :]
    return np.where(np.isnan(theirs), -2.0, theirs), np.where(np.isnan(mine), -1.0, mine)


def rows_of(files: Files, known: tuple[tuple[int, int], ...]) -> np.ndarray:
    """The rows of known pairs of records."""
    pairs = np.array(known)
    for side, (what, size) in enumerate((("the intruder's file", files.claim_of), ("the release", files.group_of))):
        if pairs[:, side].max() >= len(size):
            raise TacitError(
                f"a known pair names row {int(pairs[:, side].max())} of {what}, which has {len(size)}",
                code="attack_impossible",
                fix="rows are counted from 0",
            )
    return np.column_stack([files.claim_of[pairs[:, 0]], files.group_of[pairs[:, 1]]])


def collect_columns(release: Release, columns: Sequence[str]) -> Release:
    """A release whose columns cannot be read one by one as one in memory, cut to these columns; any other as it is.

    Claims name row numbers. Those on Spark are the numbers that the masking methods use, so that row i of a masked
    release is row i of its original; the columns are put into that order. O(n · columns) memory on the driver, which
    ``spark.driver.maxResultSize`` must allow.
    """
    if release.capabilities.can_read_columns:
        return release
    frame: pl.DataFrame = release.scan(numbered=True).select(ROW, *columns).collect(backend="polars").to_native()
    cut = release.select(columns)
    return Release(frame.sort(ROW).drop(ROW)).with_metadata(
        roles=cut.roles,
        kinds=cut.declared_kinds,
        hierarchies=cut.hierarchies,
        levels=cut.levels,
        mixed=cut.mixed,
        missing=cut.missing,
    )


def session_of(*sides: Release) -> Any:
    """The Spark session of the first release that has one, or None."""
    frames = (side.scan().to_native() for side in sides)
    return next((frame.sparkSession for frame in frames if hasattr(frame, "sparkSession")), None)


@contextmanager
def drop_splink_views(session: Any) -> Iterator[None]:
    """Drops the views that Splink made meanwhile in a Spark session, and with them what they kept in memory."""
    if session is None:
        yield
        return
    before = _splink_views(session)
    try:
        yield
    finally:
        for name in _splink_views(session) - before:
            session.catalog.dropTempView(name)


def _splink_views(session: Any) -> set[str]:
    return {table.name for table in session.catalog.listTables() if table.isTemporary and table.name.startswith(OURS)}


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Pairs of weight ``upper`` or more are links, below ``lower`` they are none, between them a clerk decides.

    ``false_links`` is the share of the links that are wrong, ``missed_links`` the share of the common people whose pair
    is no link and not shown to the clerk, both by the model; ``mu`` is the share of the pairs of two persons that are
    linked, which is the error that Fellegi and Sunter bound.
    """

    upper: float
    lower: float
    false_links: float
    missed_links: float
    mu: float

    def classify_weights(self, weight: np.ndarray) -> np.ndarray:
        """2 for a link, 1 for the clerk, 0 for no link."""
        found: np.ndarray = (weight >= self.lower).astype(np.int8) + (weight >= self.upper)
        return found


def decision_thresholds(patterns: Patterns, model: Model, *, false_links: float, missed_links: float) -> Thresholds:
    r"""The lowest upper and the highest lower threshold that keep the errors within what is allowed.

    With the patterns in falling weight and :math:`g_i` the chance that a pair of pattern i is of one person, the upper
    threshold is the lowest with :math:`\sum_{w_i \ge t} (1 - g_i) C_i \le f \sum_{w_i \ge t} C_i`, the lower one the
    highest with :math:`\sum_{w_i < t} g_i C_i \le q \sum_i g_i C_i`. For the bounds that it keeps no rule leaves less
    to the clerk. Fellegi and Sunter bound the share :math:`\mu` of the pairs of two persons that are linked; of a
    hundred million pairs nobody knows which share is small, so ``false_links`` is of the links. When both thresholds
    can be met by one, there is nothing left for the clerk. Time O(patterns log patterns).

    References
    ----------
    Fellegi and Sunter (1969), A theory for record linkage, J. American Statistical Association 64, 1183–1210.
    """
    weight, group = np.unique(log_ratios(patterns, model), return_inverse=True)
    chance = match_posterior(weight, model.prior)
    counts = np.bincount(group, weights=patterns.counts.astype(float))
    same, other = chance * counts, (1.0 - chance) * counts
    wrong, linked = np.cumsum(other[::-1])[::-1], np.cumsum(counts[::-1])[::-1]
    within = np.flatnonzero(wrong <= false_links * linked)
    upper = float(weight[within[0]]) if len(within) else np.inf
    missed = np.append(0.0, np.cumsum(same)) / max(float(same.sum()), 1e-300)
    place = int(np.flatnonzero(missed <= missed_links)[-1])
    lower = min(float(np.append(weight, np.inf)[place]), upper)
    above = weight >= upper
    links = max(float(counts[above].sum()), 1e-300)
    return Thresholds(
        upper=upper,
        lower=lower,
        false_links=float(other[above].sum()) / links,
        missed_links=float(same[weight < lower].sum()) / max(float(same.sum()), 1e-300),
        mu=float(other[above].sum()) / max(float(other.sum()), 1e-300),
    )


def check_fields(given: Any) -> dict[str, Any]:
    """The fields of a :class:`~tacit.attack.Probabilistic` that it replaces by plain tuples and frozen dictionaries; an error for what is none."""
    if given.estimate not in ESTIMATES:
        raise TacitError(
            f"estimate={format_value(given.estimate)} is unknown",
            code="unknown_name",
            parameter="estimate",
            fix="'em', 'fixed', 'single' or 'known'",
        )
    if given.engine not in ENGINES:
        raise TacitError(
            f"engine={format_value(given.engine)} is unknown",
            code="unknown_name",
            parameter="engine",
            fix="'tacit' or 'splink'",
        )
    if not isinstance(given.frequencies, bool):
        raise TacitError(
            f"frequencies={format_value(given.frequencies)} is neither true nor false",
            code="not_boolean",
            parameter="frequencies",
            fix="frequencies=True",
        )
    known = _check_known_pairs(given.known)
    if (given.estimate == "known") != bool(known):
        raise TacitError(
            f"estimate={format_value(given.estimate)} does not go with {len(known)} known pairs",
            code="conflicting_parameters",
            parameter="estimate",
            fix="estimate='known' and known=[(row of the file, row of the release), …] belong together",
        )
    for name in ("prior", "false_links", "missed_links"):
        _check_share(name, getattr(given, name))
    if (given.false_links is None) != (given.missed_links is None):
        raise TacitError(
            "one of two error bounds is given",
            code="conflicting_parameters",
            fix="give both false_links and missed_links, or none",
        )
    return {
        "known": known,
        "near": _check_tolerances("near", given.near, most=1.0),
        "partial": _check_partial(given.partial),
        "block": (given.block,) if isinstance(given.block, str) else tuple(given.block),
    }


def _check_share(name: str, value: object) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if value is not None and not (number and 0 < float(value) < 1):  # type: ignore[arg-type]
        raise TacitError(
            f"{name}={format_value(value)} is no share between 0 and 1",
            code="out_of_range",
            parameter=name,
            fix=f"e.g. {name}=0.01",
        )


def _check_known_pairs(pairs: object) -> tuple[tuple[int, int], ...]:
    rows = np.asarray(pairs if isinstance(pairs, np.ndarray) else list(pairs))  # type: ignore[call-overload]
    if rows.size == 0:
        return ()
    if rows.ndim != 2 or rows.shape[1] != 2 or rows.dtype.kind not in "iu" or rows.min() < 0:
        raise TacitError(
            "the known pairs are no pairs of row numbers",
            code="wrong_type",
            fix="known=[(row of the file, row of the release), …], from 0 on",
        )
    return tuple((int(mine), int(theirs)) for mine, theirs in rows)


def _check_tolerances(name: str, given: object, *, most: float = np.inf) -> tuple[float, ...]:
    range_of = "numbers above 0" if most == np.inf else f"numbers above 0 and below {most:g}"
    wrong = TacitError(f"{name} takes {range_of}", code="attack_impossible", fix=f"e.g. {name}=[0.01, 0.05]")
    listed: list[Any] = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    for one in listed:
        if isinstance(one, bool) or not isinstance(one, int | float) or not 0 < one < most:
            raise wrong
    return tuple(float(one) if isinstance(one, float) else int(one) for one in listed)


def _check_partial(given: object) -> FrozenDict[str, tuple[float, ...]]:
    if not isinstance(given, Mapping):
        raise TacitError(
            f"partial={format_value(given)} names no columns",
            code="no_usable_column",
            parameter="partial",
            fix="e.g. partial={'age': [2], 'zip': [3]}",
        )
    return FrozenDict(
        {str(column): _check_tolerances(f"partial of {column}", steps) for column, steps in given.items()}
    )
