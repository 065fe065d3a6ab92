"""Correct attribution: what a made-up file says of a person's value where it says one thing only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import polars as pl

from ..claims.claims import ValueClaims
from ..claims.gain import above_others
from ..claims.scenario import Scenario
from ..errors import TacitError, check_columns, format_value
from ..interval import wilson
from ..release.common_level import at_one_level
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result
from ._columns import common_columns, why_incomparable
from ._target import no_target, target_of, true_values

if TYPE_CHECKING:
    from ..progress import Progress
    from ..seed import Seed


ROUNDING = 1e-9
NUMBERS = "it holds numbers: cut them into groups first, or use the attack lookup"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tcap:
    r"""Say a value of those whose key stands in the release with that value, and hardly another, beside it.

    The intruder finds the released records that agree with the person in everything it knows, the key K. When a share of at
    least ``at_least`` of them has the same value T (their within-equivalence-class attribution probability, WEAP), it says T;
    otherwise, or when no record has the key, it says nothing. A careful intruder does just that, which an average over
    everybody hides. ``right where it is said`` is the targeted correct attribution probability over people; :func:`tcap` has
    the published one over records. Values are categories. Time O((n + m) log n), memory O(n + m).

    >>> import polars as pl
    >>> r = Release(pl.DataFrame({"zip": ["N1", "N1", "N2", "N2"], "ill": ["flu", "flu", "gout", "flu"]}), confidential="ill")
    >>> Tcap().claims(r, Scenario(file=r, knows=("zip",))).facts["people of whom a value is said"]
    2

    References
    ----------
    Taub, Elliot, Pampaka and Smith (2018), Differential correct attribution probability for synthetic data: an
    exploration, PSD, LNCS 11126, 122–137.
    """

    makes: ClassVar = ValueClaims
    linkage: ClassVar = "generic"
    column: str | None = None
    at_least: float = 1.0

    def __post_init__(self) -> None:
        if (
            isinstance(self.at_least, bool)
            or not isinstance(self.at_least, int | float)
            or not 0.5 < self.at_least <= 1
        ):
            raise TacitError(
                f"at_least={format_value(self.at_least)} is not a share above one half",
                code="out_of_range",
                parameter="at_least",
                fix="e.g. at_least=1, or at_least=0.9",
            )

    def applies(self, release: Release, scenario: Scenario) -> str | None:
        """None when the attack can be made, else why not."""
        why_not = no_target(release, scenario, self.column) or why_incomparable(release, scenario.file)
        if why_not is None and any(column in release.mixed for column in common_columns(release, scenario.file)):
            return "a column that it knows was recoded record by record"
        return NUMBERS if why_not is None and target_of(release, self.column).codes is None else why_not

    def claims(
        self,
        release: Release,
        scenario: Scenario,
        *,
        seed: Seed | None = None,  # noqa: ARG002 - nothing is drawn
        progress: Progress | None = None,  # noqa: ARG002 - two group-bys
    ) -> ValueClaims:
        """For each person the value that its key has in the release, or nothing."""
        why_not = self.applies(release, scenario)
        if why_not:
            raise TacitError(
                f"no value can be attributed: {why_not}",
                code="attack_impossible",
                fix="see which columns both files have",
            )
        target = target_of(release, self.column)
        assert target.codes is not None
        ours, theirs = _row_keys(release, scenario.file, common_columns(release, scenario.file))
        said = _attributed_values(ours, target.codes, self.at_least)
        codes = np.append(said, -1)[np.minimum(theirs, len(said))]
        made = codes >= 0
        return ValueClaims(
            column=target.column,
            start=np.append(0, np.cumsum(made)),
            codes=codes[made],
            shares=np.ones(int(made.sum())),
            facts={"people of whom a value is said": int(made.sum())},
        )


def tcap(
    masked: Masked | Release,
    *,
    original: Release,
    column: str,
    knows: str | Iterable[str] | None = None,
    control: Release | None = None,
    at_least: float = 1.0,
) -> Result:
    r"""The targeted correct attribution probability of a column, over the released records that seem to tell it.

    Of the released records j whose key :math:`K_j` (the columns ``knows``; all quasi-identifiers when absent) has their value
    :math:`T_j` in a share of ``at_least`` of the records with that key,

    .. math:: TCAP = \frac{1}{|J|} \sum_{j \in J} \Pr[T = T_j \mid K = K_j]

    in the original, over those J whose key the original has. Fact ``baseline`` is the same with the value alone,
    :math:`\Pr[T = T_j]`, what anybody would get who knows how common each is; ``all attributions`` the mean over the original's people of the
    share of released records with their key that have their value, 0 where none has it (CAP, :class:`Lookup` with ``says="all"``).

    Neither says whether it is the person's record that tells, or the world: a generator that has seen nobody is right of whoever
    is like the others. ``control`` are people who were held back: the same figure over them, and the difference with Newcombe's
    interval, for as many trials as there are different keys in J. Time O((n + m) log n).

    >>> import polars as pl
    >>> r, m = (Release(pl.DataFrame({"zip": list("aab"), "ill": list(ill)}), quasi="zip") for ill in ("ffg", "fff"))
    >>> tcap(m, original=r, column="ill").value
    0.6666666666666666

    References
    ----------
    Taub and Elliot (2019), The synthetic data challenge, UNECE work session on statistical data confidentiality.
    Taub, Elliot, Pampaka and Smith (2018), Differential correct attribution probability for synthetic data: an
    exploration, PSD, LNCS 11126, 122–137.
    """
    release, original = release_of(masked), release_of(original)
    known = original.quasi if knows is None else check_columns(knows, original.columns)
    scenario = Scenario(file=original, knows=known)
    why_not = Tcap(column=column, at_least=at_least).applies(release, scenario)
    if why_not:
        raise TacitError(
            f"no value can be attributed: {why_not}",
            code="unsuitable_column",
            column=column,
            fix="name a category and its keys",
        )
    ours = _tcap_result(release, original, column, known, at_least)
    facts: dict[str, object] = {
        "baseline": ours.facts["baseline"],
        "all attributions": _mean_cap(release, original, column, known),
        "released records that tell": ours.facts["records"],
        "of them with a key of the original": ours.facts["defined"],
    }
    if control is not None:
        theirs = _tcap_result(release, release_of(control), column, known, at_least)
        more, reach = above_others(*(one.with_facts(baseline=0.0) for one in (ours, theirs)))
        facts |= {"control": theirs.value, "above the control": more, "above the control, 95 % interval": reach}
    return Result(
        name="targeted correct attribution",
        column=column,
        value=ours.value,
        interval=ours.interval,
        worse="high",
        about="attribute",
        facts=facts,
    )


def _tcap_result(release: Release, people: Release, column: str, knows: tuple[str, ...], at_least: float) -> Result:
    """TCAP over these people, with the keys as trials."""
    codes, values = target_of(release, column).codes, true_values(release, people, column)
    assert codes is not None
    ours, theirs = _row_keys(release, people.select(knows), knows)
    said = _attributed_values(ours, codes, at_least)
    tells = (said[ours] >= 0) & (said[ours] == codes)
    key, value = ours[tells], codes[tells]
    shared = np.flatnonzero((theirs < len(said)) & (values >= 0))
    has, right = theirs[shared], values[shared] == said[theirs[shared]]
    with_key, both = (np.bincount(has, weights=weights, minlength=len(said))[key] for weights in (None, right))
    defined = with_key > 0
    share = float((both[defined] / with_key[defined]).mean()) if defined.any() else 0.0
    usual = np.bincount(values[values >= 0], minlength=codes.max() + 1) / max(1, int((values >= 0).sum()))
    trials = len(np.unique(key[defined]))
    return Result(
        name="targeted correct attribution",
        column=column,
        value=share,
        interval=wilson(share * trials, trials),
        worse="high",
        about="attribute",
        facts={
            "baseline": float(usual[value[defined]].mean()) if defined.any() else 0.0,
            "records": int(tells.sum()),
            "defined": int(defined.sum()),
            "records attacked": trials,
        },
    )


def _mean_cap(release: Release, people: Release, column: str, knows: tuple[str, ...]) -> float:
    """CAP: the mean share of the records with a person's key that have the person's value."""
    codes, values = target_of(release, column).codes, true_values(release, people, column)
    assert codes is not None
    ours, theirs = _row_keys(release, people.select(knows), knows)
    width = int(max(codes.max(initial=0), values.max(initial=0))) + 2
    pairs, counts = np.unique(ours * width + codes + 1, return_counts=True)
    asked = theirs * width + values + 1
    place = np.minimum(np.searchsorted(pairs, asked), len(pairs) - 1)
    both = np.where(pairs[place] == asked, counts[place], 0)
    with_key = np.append(np.bincount(ours), 0)[np.minimum(theirs, ours.max() + 1)]
    known = values >= 0
    return float(np.where(with_key > 0, both / np.maximum(with_key, 1), 0.0)[known].mean()) if known.any() else 0.0


def _row_keys(release: Release, file: Release, columns: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The key of each row of both files as whole numbers; those that the release does not have come after its own."""
    sides: tuple[list[pl.Series], list[pl.Series]] = ([], [])
    for place, column in enumerate(columns):
        pair = at_one_level(release, file, column)
        if pair[0].dtype != pair[1].dtype:
            numeric = all(one.dtype.is_numeric() for one in pair)
            pair = tuple(one.cast(pl.Float64 if numeric else pl.String) for one in pair)  # type: ignore[assignment]
        for side, one in zip(sides, pair, strict=True):
            side.append(one.alias(str(place)))
    whole = pl.concat([pl.DataFrame(side) for side in sides])
    numbered = whole.with_columns(pl.int_range(pl.len()).alias("row"))
    first = numbered.select(pl.col("row").min().over([str(place) for place in range(len(columns))])).to_series()
    _, key = np.unique(first.to_numpy(), return_inverse=True)
    return key[: release.size], key[release.size :]


def _attributed_values(keys: np.ndarray, codes: np.ndarray, at_least: float) -> np.ndarray:
    """For each key of the release the value that a share of at least so many of its records has, −1 where there is none."""
    size = np.bincount(keys)
    width = int(codes.max(initial=0)) + 2
    pairs, counts = np.unique(keys * width + codes + 1, return_counts=True)
    key, code = pairs // width, pairs % width - 1
    sure = (counts >= at_least * size[key] * (1 - ROUNDING)) & (code >= 0)
    said = np.full(len(size), -1)
    said[key[sure]] = code[sure]
    return said
