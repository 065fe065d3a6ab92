"""The normal copula: correlations behind columns of all kinds come back, margins are kept, given columns are conditioned on."""

import numpy as np
import polars as pl
import pytest
from scipy.stats import multivariate_normal, norm, spearmanr

from tacit import Release, TacitError
from tacit.protect import SynthCopula
from tacit.protect.synth_copula import draw_latent, latent_correlations, latent_of

R = np.array([[1, 0.6, -0.4, 0.5], [0.6, 1, -0.3, 0.2], [-0.4, -0.3, 1, -0.6], [0.5, 0.2, -0.6, 1]])


def normal(rows: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((rows, 4)) @ np.linalg.cholesky(R).T


def planted(rows: int = 20_000, seed: int = 1) -> pl.DataFrame:
    """A skewed amount, a rare yes, grades 1 to 4 and an amount that is 0 for half of the people."""
    z = normal(rows, seed)
    return pl.DataFrame(
        {
            "pay": np.exp(7 + 0.8 * z[:, 0]),
            "rare": np.where(z[:, 1] > 1.2, "yes", "no"),
            "grade": np.digitize(z[:, 2], [-0.5, 0.2, 1.5]) + 1,
            "rent": 100 * np.maximum(z[:, 3], 0),
        }
    )


def latents(frame: pl.DataFrame) -> list:
    found = []
    for column in frame.columns:
        values, codes = np.unique(frame[column].to_numpy(), return_inverse=True)
        found.append(latent_of(codes, len(values)))
    return found


def test_correlations_behind_columns_of_all_kinds_are_found():  # catalogue: L-01
    """50 000 records: each within 0.025, some three standard errors of the worst pair; halves of them would be refused."""
    found, moved = latent_correlations(latents(planted(50_000)))
    assert np.abs(found - R).max() < 0.025
    assert np.abs(found - R / 2).max() > 0.2
    assert moved == 0


def test_scores_and_series_are_those_of_integration():
    """Means of a cut normal, and E[s s'] at ρ = 0.5 for two cut columns, by integrals of their densities."""
    codes = np.repeat([0, 1, 2], [30, 50, 20])
    one = latent_of(codes, 3)
    ends = norm.ppf([0, 0.3, 0.8, 1])
    means = [(norm.pdf(a) - norm.pdf(b)) / p for a, b, p in zip(ends[:-1], ends[1:], (0.3, 0.5, 0.2), strict=True)]
    assert np.allclose(one.score, means)
    law = multivariate_normal(cov=[[1, 0.5], [0.5, 1]])

    def upto(a, b):
        return 0.0 if -np.inf in (a, b) else law.cdf([min(a, 40), min(b, 40)])

    cells = np.array(
        [
            [upto(b, d) - upto(a, d) - upto(b, c) + upto(a, c) for c, d in zip(ends[:-1], ends[1:], strict=True)]
            for a, b in zip(ends[:-1], ends[1:], strict=True)
        ]
    )
    expected = one.score @ cells @ one.score
    series = (0.5 ** np.arange(1, len(one.terms) + 1)) @ one.terms**2
    assert series == pytest.approx(expected, abs=1e-4)


def test_a_full_synthesis_has_the_margins_and_the_correlations():  # catalogue: L-01
    before = planted()
    release = Release(before, kinds={"grade": "ordinal"})
    m = release.protect(SynthCopula(), seed=1)
    after = m.to_native()
    assert np.abs(latent_correlations(latents(after))[0] - R).max() < 0.05
    assert abs((after["rare"] == "yes").mean() - (before["rare"] == "yes").mean()) < 0.02
    assert abs((after["rent"] == 0).mean() - 0.5) < 0.02
    for grade in range(1, 5):
        assert abs((after["grade"] == grade).mean() - (before["grade"] == grade).mean()) < 0.02
    quantiles = [0.05, 0.25, 0.5, 0.75, 0.95]
    assert np.allclose(np.quantile(after["pay"], quantiles), np.quantile(before["pay"], quantiles), rtol=0.05)
    assert before["pay"].min() <= after["pay"].min() and after["pay"].max() <= before["pay"].max()
    assert not set(after["pay"]) & set(before["pay"])
    assert m.trace[0].outcome["captured"].value["correlations"] == ["pay", "rare", "grade", "rent"]


def test_a_partial_synthesis_is_drawn_given_the_others():  # catalogue: E-15
    """Amounts, a rare category and a column half of zeros stay, and tell of the new grades what they told of the old."""
    before = planted()
    after = Release(before, kinds={"grade": "ordinal"}).protect(SynthCopula(columns="grade"), seed=1).to_native()
    assert after.drop("grade").equals(before.drop("grade"))
    assert np.abs(latent_correlations(latents(after))[0] - R).max() < 0.05
    own = spearmanr(after["grade"], before["grade"]).statistic
    assert 0.1 < own < 0.6  # what the given columns tell, and no more


def test_variables_behind_given_columns_are_drawn_from_their_law():
    """Of two positive halves with correlation 0.8 the means are those of the cut bivariate normal: ½(1+ρ)√(2/π)/p."""
    codes = np.tile([[0], [1]], (1, 20_000)).ravel()
    halves = [latent_of(codes, 2), latent_of(codes, 2)]
    correlation = np.array([[1, 0.8], [0.8, 1]])
    drawn = draw_latent(halves, correlation, np.random.default_rng(1))
    both = 0.25 + np.arcsin(0.8) / (2 * np.pi)  # the chance that both are positive
    expected = (1 + 0.8) / (2 * np.sqrt(2 * np.pi)) / both
    assert drawn[codes == 1].mean() == pytest.approx(expected, abs=0.02)
    assert (drawn[codes == 1] > 0).all() and (drawn[codes == 0] < 0).all()
    alone = draw_latent([halves[0]], np.eye(1), np.random.default_rng(1))
    assert alone[codes == 1].mean() == pytest.approx(np.sqrt(2 / np.pi), abs=0.02)


def test_categories_without_an_order_get_the_one_that_tells_most():
    """Names in alphabetical disorder, of jobs whose pay rises: the new pay by job is the old."""
    rng = np.random.default_rng(1)
    level = rng.integers(0, 5, 20_000)
    jobs = pl.Series(["n", "c", "z", "a", "k"])
    before = pl.DataFrame({"job": jobs.gather(level), "pay": np.exp(7 + 0.5 * level + rng.normal(0, 0.6, 20_000))})
    after = Release(before).protect(SynthCopula(), seed=1).to_native()
    order = after.group_by("job").agg(pl.col("pay").median()).sort("pay")["job"].to_list()
    assert order == jobs.to_list()


def test_missing_values_are_one_more_variable():
    before = planted()
    rich = before["pay"] > before["pay"].quantile(0.8)
    lost = (np.random.default_rng(1).random(20_000) < 0.5) & rich.to_numpy()
    frame = before.with_columns(rent=before["rent"].set(pl.Series(lost), None))
    after = Release(frame, kinds={"grade": "ordinal"}).protect(SynthCopula(), seed=1).to_native()
    assert abs(after["rent"].is_null().mean() - 0.1) < 0.02
    high = after["pay"] > after["pay"].quantile(0.8)
    assert after["rent"].filter(high).is_null().mean() > 0.25 > 0.1 > after["rent"].filter(~high).is_null().mean()


def test_contradicting_correlations_are_made_a_matrix():
    """Pairs that never meet in a record: r(a,b) = r(b,c) = 1 and r(a,c) = −1 cannot be, and the trace says so."""
    x = np.arange(60.0) % 20
    none = np.full(20, np.nan)
    a, b, c = np.r_[x[:20], none, x[:20]], np.r_[x[:20], x[:20], none], np.r_[none, x[:20], -x[:20]]
    frame = pl.DataFrame({"a": a, "b": b, "c": c}).fill_nan(None)
    m = Release(frame).protect(SynthCopula(), seed=1)
    assert m.trace[0].outcome["captured"].value["repaired_by"] > 0.3
    assert m.release.size == 60


def test_a_column_that_another_determines_is_refused():
    twice = planted(500).with_columns(twice=2 * pl.col("pay"))
    with pytest.raises(TacitError, match="'twice' is determined by the given columns"):
        Release(twice, kinds={"grade": "ordinal"}).protect(SynthCopula(columns=["rent", "twice"]), seed=1)


def test_more_columns_than_rows():
    rng = np.random.default_rng(1)
    wide = pl.DataFrame({f"x{j}": rng.normal(size=12) for j in range(30)})
    assert Release(wide).protect(SynthCopula(rows=50), seed=1).release.size == 50
    with pytest.raises(TacitError, match="9 records are too few"):
        Release(wide.head(9)).protect(SynthCopula(), seed=1)


def test_columns_without_variety():
    frame = planted(200).with_columns(c=pl.lit("x"), none=pl.lit(None, dtype=pl.Float64))
    after = Release(frame, kinds={"grade": "ordinal"}).protect(SynthCopula(), seed=1).to_native()
    assert (after["c"] == "x").all() and after["none"].is_null().all()
