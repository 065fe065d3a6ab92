"""Probabilistic record linkage: everybody is taken for the record that speaks most for being the same person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from ..claims.claims import LinkClaims
from ..claims.scenario import Scenario
from ..errors import TacitError
from ..frozen import FrozenDict
from ..progress import part, report
from .attack import ProgramLimit
from .columns import common, incomparable
from .fellegi_sunter.estimate import Estimate, estimated
from .fellegi_sunter.files import Files
from .fellegi_sunter.frequencies import rarity
from .fellegi_sunter.linking import Best, best
from .fellegi_sunter.model import Model, posterior
from .fellegi_sunter.options import checked
from .fellegi_sunter.patterns import Patterns, patterns
from .fellegi_sunter.prepared import prepared, rows_of
from .fellegi_sunter.spark import brought, cleaned, session_of
from .fellegi_sunter.splink import for_links, linker, splink_links
from .fellegi_sunter.thresholds import thresholds

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed

__all__ = ["Probabilistic"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Probabilistic:
    r"""Link each known person to the released record that is likeliest the same one, after Fellegi and Sunter (C-05).

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
        for name, value in checked(self).items():
            object.__setattr__(self, name, value)

    def applies(self, release: Release, scenario: Scenario) -> str | None:
        """None when the attack can be made, else why not."""
        if self.engine != "splink" and "spark" in (release.engine, scenario.file.engine):
            return ProgramLimit("pairs of records on Spark are compared there, which takes engine='splink'")
        return incomparable(release, scenario.file, spark=self.engine == "splink")

    def claims(
        self, release: Release, scenario: Scenario, *, seed: Seed | None = None, progress: Progress | None = None
    ) -> LinkClaims:
        """Which released records weigh most for each of the intruder's."""
        files, counted, model, notes = self.estimated(release, scenario, seed=seed, progress=part(progress, 0.0, 0.7))
        extra = rarity(files, model) if self.frequencies else None
        if self.engine == "splink" and files.comparisons:
            report(progress, "linking by Splink", 0.7)
            session = session_of(release, scenario.file)
            with cleaned(session):
                made = linker(files, for_links(model), extra=extra, session=session)
                found = Best(*splink_links(made, files, model))
        else:
            found = best(files, model, extra=extra, progress=part(progress, 0.7, 1.0))
        return self._decided(files, counted, model, found, notes)

    def estimated(
        self, release: Release, scenario: Scenario, *, seed: Seed | None = None, progress: Progress | None = None
    ) -> tuple[Files, Patterns, Model, tuple[str, ...]]:
        """The files side by side, the counts of their agreement patterns, the model of them, and notes on it."""
        self._possible(release, scenario)
        shared = common(release, scenario.file)
        theirs, mine = (brought(side, shared) for side in (release, scenario.file))
        files, notes = prepared(theirs, mine, near=self.near, partial=self.partial, block=self.block)
        counted = patterns(files, seed=seed, progress=part(progress, 0.0, 0.6))
        if counted.sample < 1.0:
            notes += (f"agreements were counted on a random {counted.sample:.2%} of the intruder's records",)
        known = rows_of(files, self.known) if self.known else None
        told = part(progress, 0.6, 1.0)
        model, more = estimated(
            files, counted, estimate=self.estimate, prior=self.prior, known=known, seed=seed, progress=told
        )
        return files, counted, model, notes + more

    def _possible(self, release: Release, scenario: Scenario) -> None:
        why_not = self.applies(release, scenario)
        if why_not:
            fix = "Probabilistic(engine='splink')" if "splink" in why_not else "see which columns both files have"
            raise TacitError(f"linking by weights is not possible: {why_not}", fix=fix)

    def _decided(
        self, files: Files, counted: Patterns, model: Model, found: Best, notes: tuple[str, ...]
    ) -> LinkClaims:
        start, candidates = found.start, found.found
        if self.false_links is not None and self.missed_links is not None:
            bounds = thresholds(counted, model, false_links=self.false_links, missed_links=self.missed_links)
            linked = np.where(np.diff(start) > 0, bounds.classes(found.weight), 0)
            share = np.bincount(linked, weights=files.people, minlength=3) / files.people.sum()
            notes += (f"linked {share[2]:.1%}, clerical {share[1]:.1%}, non-linked {share[0]:.1%} of the records",)
            keep = np.repeat(linked > 0, np.diff(start))
            start = np.append(0, np.cumsum(np.where(linked > 0, np.diff(start), 0)))
            candidates = candidates[keep]
        return LinkClaims(
            claim_of=files.claim_of,
            start=start,
            candidates=candidates,
            group_of=files.group_of,
            scores=posterior(found.weight, model.prior),
            notes=notes,
        )
