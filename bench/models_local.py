"""Local recoding: less loss than ARX's best on adult with nobody removed, and Mondrian quick on a million records."""

from __future__ import annotations

from typing import Any

from bars import ROOT, Bars, spent

DATA = ROOT.parent / "shared" / "data" / "adult"
PEER = {5: (0.932261, 4.949, 0.999866, 6.6188, 0.739185), 2: (0.965820, 1.422, 0.999978, 2.6966, 0.850670)}
"""ARX 3.9.2, optimizeIterativeFast, by k: granularity, CPU seconds, discernibility, average class, NUE quality."""


def bars(bars: Bars) -> None:
    """All bars of this part."""
    cuts(bars)
    adult(bars)


def cuts(bars: Bars) -> None:
    """Mondrian beside a group-by of the same five columns of numbers, with different values in every record."""
    import numpy as np
    import polars as pl

    from tacit import Release
    from tacit.models import KAnonymity
    from tacit.protect import Mondrian
    from tacit.protect.recoding.problem import build_problem
    from tacit.protect.recoding.top_down import cut_top_down

    rows = 10**5 if bars.quick else 10**6
    numbers = np.random.default_rng(1).normal(size=(rows, 5))
    frame = pl.DataFrame({f"x{column}": numbers[:, column] for column in range(5)})
    release = Release(frame, quasi=frame.columns)
    Mondrian(models={"k_anonymity": 5}).apply(release.take(np.arange(1000)))
    asked = build_problem(release, [KAnonymity(k=5)], "intervals")
    group, cut = (
        min(spent(work)[0] for _ in range(3))
        for work in (lambda: frame.group_by(frame.columns).len(), lambda: cut_top_down(asked))
    )
    whole, masked = spent(lambda: release.protect(Mondrian(models={"k_anonymity": 5})))
    facts = {"group_by_s": group, "cuts_s": cut, "method_s": whole, "groups": masked.trace[0].outcome["groups"].value}
    title = f"mondrian cuts, {rows:.0e} x 5 numbers, k=5 / group-by"
    if bars.quick:
        bars.stated(title, cut / group, **facts)
    else:
        bars.at_most(title, cut / group, 4.0, **facts)


def adult(bars: Bars) -> None:
    """Granularity, 1 less the mean loss of the nine keys, leaves counted over the rows of the hierarchy files."""
    import polars as pl

    from tacit import Release
    from tacit.protect import LocalRecode, Mondrian

    if not DATA.is_dir():
        bars.skipped("granularity on adult", "the reference data are not beside the project")
        return
    frame = pl.read_csv(DATA / "adult.csv", separator=";")
    files = {column: DATA / f"adult_hierarchy_{column}.csv" for column in frame.columns}
    if bars.quick:
        frame = frame.sample(3000, seed=1)
    release = Release(frame, quasi=frame.columns, hierarchies=files)
    measured(release, LocalRecode(models={"k_anonymity": 5}, labels="sets"))
    for k in (5,) if bars.quick else (5, 2):
        models = {"k_anonymity": k}
        granularity, peer = PEER[k][:2]
        found = measured(release, LocalRecode(models=models, labels="intervals"))
        if bars.quick:
            bars.stated(f"granularity, 3000 of adult, k={k}", **found)
            continue
        bars.at_least(f"granularity on adult, k={k}, none removed", bar=granularity + 1e-6, **found)
        bars.at_most(f"granularity on adult, k={k}, CPU s", found["seconds"], peer, at_scale=True)
        for name, method in {
            "labels of the hierarchies only": LocalRecode(models=models, labels="hierarchy"),
            "free sets": LocalRecode(models=models, labels="sets"),
            "one block": LocalRecode(models=models, labels="intervals", block=50_000),
            "mondrian": Mondrian(models=models, labels="intervals"),
            "mondrian relaxed": Mondrian(models=models, labels="intervals", strict=False),
        }.items():
            bars.stated(f"granularity on adult, k={k}, {name}", **measured(release, method))


def measured(release: Any, method: Any) -> dict[str, Any]:
    """Granularity with the other figures that ARX reports, rescaled as there: 1 is the quality of the input."""
    from tacit.loss import class_size, discernibility, entropy, generalisation, suppressed

    seconds, masked = spent(lambda: release.protect(method))
    lost = {
        name: [part.value for part in loss(masked, original=release)]
        for name, loss in {"generalisation": generalisation, "entropy": entropy}.items()
    }
    sizes = class_size(masked, original=release).facts
    return {
        "measured": 1 - sum(lost["generalisation"]) / len(lost["generalisation"]),
        "seconds": seconds,
        "discernibility": 1 - discernibility(masked, original=release).value,
        "average_class": sizes["average class size"],
        "classes": sizes["classes"],
        "nue_quality": 1 - sum(lost["entropy"]) / len(lost["entropy"]),
        "removed": suppressed(masked, original=release).of("removed records")[0].value,
    }


if __name__ == "__main__":
    alone = Bars("models_local", __doc__ or "")
    bars(alone)
