"""One call for all: what ``anonymise`` picks on three files of different shape, beside every method that it could pick."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bars import Bars, spent


def register() -> Any:
    """People with dates, codes and hierarchies."""
    import tacit

    e = tacit.examples.clinic(3000)
    return tacit.Release(e.frame, **e.roles, kinds=e.kinds, hierarchies=e.hierarchies, missing="own")


def survey() -> Any:
    """Seven skewed answers without hierarchies; a blank may be anything."""
    import numpy as np
    import polars as pl

    import tacit

    rng = np.random.default_rng(2)
    answers = {f"q{j}": (rng.zipf(2.0, 4000) - 1) % values for j, values in enumerate((2, 3, 3, 4, 5, 6, 8))}
    table = pl.DataFrame({name: pl.Series(codes).cast(pl.String) for name, codes in answers.items()})
    return tacit.Release(table, quasi=list(answers), missing="any")


def places() -> Any:
    """Addresses as codes, of which only the district can be kept, and sex of many people."""
    import numpy as np
    import polars as pl

    import tacit

    rng = np.random.default_rng(3)
    area, street = rng.integers(10, 40, 50_000), rng.integers(0, 100_000, 50_000)
    zips = [f"{a}{s:05d}" for a, s in zip(area, street, strict=True)]
    table = pl.DataFrame({"zip": zips, "sex": rng.choice(["f", "m"], 50_000)})
    return tacit.Release(table, quasi=["zip", "sex"], hierarchies={"zip": {"prefix": [7, 2]}}, missing="own")


FILES: dict[str, Callable[[], Any]] = {"register": register, "survey": survey, "places": places}


def methods(release: Any, k: int) -> dict[str, Any]:
    """Every method that can provide k-anonymity by recoding or blanking."""
    from tacit.protect import FullDomain, KMember, LocalRecode, Mondrian, SuppressCells

    models = {"k_anonymity": k}
    found = {
        "full_domain": FullDomain(models=models, seconds=60),
        "suppress_cells": SuppressCells(k=k),
        "mondrian": Mondrian(models=models),
        "relaxed mondrian": Mondrian(models=models, strict=False),
        "local_recode": LocalRecode(models=models),
    }
    if release.classes().count <= 5000:
        found["k_member"] = KMember(models=models)
    return found


def bars(bars: Bars) -> None:
    """Different picks, each within 5 % of the best."""
    from tacit.protect import anonymise
    from tacit.protect.anonymise import mean_loss

    picks = []
    for name in ("register",) if bars.quick else FILES:
        release = FILES[name]()
        seconds, chosen = spent(lambda release=release: anonymise(release, models={"k_anonymity": 5}, seed=1))
        losses = {
            method: mean_loss(made.apply(release, seed=1), release, {}) for method, made in methods(release, 5).items()
        }
        pick = chosen.evidence["choice"].taken
        picks.append(pick)
        ours, best = mean_loss(chosen, release, {}), min(losses.values())
        bars.at_most(
            f"anonymise, {name}: loss of its pick / the best of all",
            ours / best,
            1.05,
            pick=pick,
            cpu=seconds,
            losses=losses,
        )
    if not bars.quick:
        bars.at_least("anonymise: different picks on three files", len(set(picks)), 3, picks=picks)
