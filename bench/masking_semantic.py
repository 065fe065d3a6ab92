"""Masking by meaning: less meaning lost than without the taxonomy, and lists of terms that k people share."""

from __future__ import annotations

from typing import Any

from bars import Bars, spent

COLUMNS = ("occupation", "diagnosis")
MOST = {"occupation": 0.85, "diagnosis": 1.0}
"""Noise beside PRAM: most categories of the diagnoses have one code, so that there is little to be near to."""
STAY = 0.7


def bars(bars: Bars) -> None:
    """All bars of this part."""
    noise(bars)
    swapping(bars)
    groups(bars)
    terms(bars)
    speed(bars)


def noise(bars: Bars) -> None:
    """Semantic noise beside PRAM without a taxonomy, both tuned to change the same share of the records."""
    from tacit.protect import Pram, SemanticNoise

    release = register(5000 if bars.quick else 20_000)
    for column in COLUMNS:
        semantic = release.protect(SemanticNoise(columns=column, stay=STAY), seed=1)
        moved, lost = losses(release, semantic.release, column)
        plain = release.protect(Pram(columns=column, form="given", stay=1 - moved, spread="evenly"), seed=1)
        of_pram = losses(release, plain.release, column)
        facts = {"changed": moved, "pram_changed": of_pram[0], "distance": lost, "pram_distance": of_pram[1]}
        title = f"semantic noise / pram at the same change, distance lost, {column}"
        bars.at_most(title, (lost / moved) / (of_pram[1] / of_pram[0]), MOST[column], **facts)


def swapping(bars: Bars) -> None:
    """Semantic swapping beside rank swapping by the alphabet, over the same percentage of the records."""
    from tacit.protect import RankSwap, SemanticSwap

    release = register(5000 if bars.quick else 20_000)
    ordinal = release.with_metadata(kinds={**release.declared_kinds, "occupation": "ordinal"})
    for percent in (1, 5):
        semantic = release.protect(SemanticSwap(columns="occupation", percent=percent), seed=1)
        plain = ordinal.protect(RankSwap(columns="occupation", percent=percent), seed=1)
        (moved, lost), of_ranks = (losses(release, one.release, "occupation") for one in (semantic, plain))
        facts = {"changed": moved, "rank_changed": of_ranks[0], "distance": lost, "rank_distance": of_ranks[1]}
        bars.at_most(f"semantic / alphabetical swap, distance lost, {percent} %", lost / of_ranks[1], 0.75, **facts)


def groups(bars: Bars) -> None:
    """Microaggregation along the hierarchies beside the mode of groups that know no hierarchy."""
    from tacit.protect import Microaggregate

    release = register(500 if bars.quick else 3000)
    blind = release.with_metadata(hierarchies={})
    for k, most in ((3, 0.9),) if bars.quick else ((3, 0.9), (10, 0.95)):
        way = {"columns": COLUMNS, "k": k, "missing": "leave"}
        along, without = (one.protect(Microaggregate(**way), seed=1) for one in (release, blind))
        lost, plain = (
            sum(losses(release, one.release, column)[1] for column in COLUMNS) / 2 for one in (along, without)
        )
        bars.at_most(
            f"microaggregation along the taxonomy / mode, distance lost, k={k}",
            lost / plain,
            most,
            lost=lost,
            mode=plain,
        )


def terms(bars: Bars) -> None:
    """Lists of terms: the k that an independent count finds, the loss beside groups at random, and growth."""
    from tacit.protect import MaskTerms
    from tacit.risk import user_k

    small, large = (300, 1200) if bars.quick else (2000, 16_000)
    asked = {"person": "who", "column": "term"}
    log(small, seed=0).protect(MaskTerms(**asked, k=5), seed=1)
    used: dict[int, float] = {}
    made: dict[int, Any] = {}
    for people in (small, large):
        release = log(people, seed=1)
        used[people], made[people] = spent(lambda release=release: release.protect(MaskTerms(**asked, k=5), seed=1))
        k = [int(user_k(one, **asked).value) for one in (release, made[people])]
        bars.true(f"{people:,} people: k is 1 before and 5 after", k[0] == 1 and k[1] >= 5, before=k[0], after=k[1])
    bars.at_most(
        f"masked terms, {small:,} to {large:,} people, CPU ratio / size ratio",
        used[large] / used[small] / (large / small),
        1.6,
        at_scale=True,
        seconds=used[large],
    )
    release, masked = log(small, seed=1), made[small]
    unlike = release.with_metadata(hierarchies={"term": flat(release)}).protect(MaskTerms(**asked, k=5), seed=1)
    kept = (one.to_native().select("who", kept="term") for one in (masked, unlike))
    ours, theirs, drawn = (nearest(release, one) for one in (*kept, quotas(release, masked)))
    bars.at_most(
        "masked terms / drawn by quota in the same groups, distance", ours / drawn, 0.95, ours=ours, drawn=drawn
    )
    bars.at_most(
        "masked terms / without a taxonomy, distance to the nearest kept term",
        ours / theirs,
        0.9,
        ours=ours,
        theirs=theirs,
    )


def quotas(original: Any, masked: Any) -> Any:
    """The same groups with the lists of Erola et al. (2011): events of the group drawn at random, as many as on average."""
    import numpy as np
    import polars as pl

    lists = masked.to_native().group_by("who").agg(pl.col("term").sort().str.join(","), length=pl.len())
    groups = lists.with_columns(group=pl.col("term").rank("dense"))
    events = original.to_native().join(groups.select("who", "group", "length"), on="who")
    lots = np.random.default_rng(1).random(events.height)
    drawn = events.with_columns(lot=lots).filter(pl.col("lot").rank().over("group") <= pl.col("length"))
    return groups.select("who", "group").join(drawn.select("group", kept="term"), on="group").select("who", "kept")


def speed(bars: Bars) -> None:
    """Semantic noise beside PRAM on one column of text: the law is all that differs."""
    from tacit.protect import Pram, SemanticNoise

    release = register(10**5 if bars.quick else 10**6)
    methods = SemanticNoise(columns="occupation", stay=STAY), Pram(columns="occupation", form="given", stay=STAY)
    for method in methods:
        method.apply(release.select(["occupation"]), seed=1)
    ours, theirs = (min(spent(lambda m=m: m.apply(release, seed=1))[0] for _ in range(3)) for m in methods)
    bars.at_most(
        f"semantic noise / pram, {release.size:.0e} texts, CPU",
        ours / theirs,
        2.0,
        at_scale=True,
        noise_s=ours,
        pram_s=theirs,
    )


def register(rows: int) -> Any:
    """The clinic register, with persons only."""
    from tacit import Release
    from tacit.examples import clinic

    example = clinic(rows, seed=1)
    return Release(
        example.frame.drop("household"), kinds=dict_without(example.kinds, "household"), hierarchies=example.hierarchies
    )


def dict_without(given: Any, name: str) -> dict[str, Any]:
    """The mapping without one of its keys."""
    return {key: value for key, value in given.items() if key != name}


def losses(original: Any, masked: Any, column: str) -> tuple[float, float]:
    """The share of known values that changed, and their mean semantic distance to what they were."""
    import numpy as np
    import polars as pl

    old, new = original.series(column), masked.series(column)
    known = old.is_not_null() & new.is_not_null()
    pairs = pl.DataFrame({"old": old, "new": new}).filter(known).group_by("old", "new").len()
    values = pl.concat([pairs["old"].rename("v"), pairs["new"].rename("v")]).unique().sort()
    apart = distance_of(original, column, values)
    count = pairs["len"].to_numpy()
    lost = apart(pairs["old"], pairs["new"])
    return float(np.average(lost > 0, weights=count)), float(np.average(lost, weights=count))


def distance_of(release: Any, column: str, values: Any) -> Any:
    """The semantic distance between two columns of values, along the release's taxonomy."""
    from tacit.release.hierarchy.taxonomy import build_taxonomy

    known = build_taxonomy(release.hierarchies[column], column, values)

    def apart(one: Any, other: Any) -> Any:
        return known.distance(values.search_sorted(one).to_numpy(), values.search_sorted(other).to_numpy())

    return apart


def log(people: int, seed: int) -> Any:
    """A log of people who use terms of two chapters of the diagnoses, about seven each."""
    import numpy as np
    import polars as pl

    from tacit import Release
    from tacit.examples import clinic

    rng, ladder = np.random.default_rng(seed), clinic(10).hierarchies["diagnosis"]
    values = np.array(sorted(ladder["table"]))
    chapter = np.unique([value[0] for value in values], return_inverse=True)[1]
    start = np.searchsorted(chapter, np.arange(chapter.max() + 2))
    who = np.repeat(np.arange(people), rng.poisson(6, people) + 1)
    likes = rng.integers(0, chapter.max() + 1, (people, 2))
    mine = likes[who, rng.integers(0, 2, len(who))]
    term = values[start[mine] + (rng.random(len(who)) * (start[mine + 1] - start[mine])).astype(int)]
    return Release(pl.DataFrame({"who": who, "term": term}), hierarchies={"term": ladder})


def flat(release: Any) -> Any:
    """The same terms without what they have in common."""
    from tacit.release.hierarchy import hierarchy

    return hierarchy({"table": {row[0]: ["*"] for row in release.hierarchies["term"].rows}})


def nearest(original: Any, kept: Any) -> float:
    """The mean distance from each term of a person to the nearest term that the person's list has; 1 where it has none."""
    import polars as pl

    old = original.to_native().select("who", "term").unique()
    new = kept.unique()
    values = pl.Series(sorted(row[0] for row in original.hierarchies["term"].rows))
    pairs = old.join(new.filter(pl.col("kept").is_in(values.implode())), on="who", how="left")
    known = pairs.filter(pl.col("kept").is_not_null())
    known = known.with_columns(apart=distance_of(original, "term", values)(known["term"], known["kept"]))
    least = known.group_by("who", "term").agg(pl.col("apart").min())
    return float(old.join(least, on=["who", "term"], how="left")["apart"].fill_null(1.0).mean())


if __name__ == "__main__":
    alone = Bars("masking_semantic", __doc__ or "")
    bars(alone)
    alone.end()
