"""Membership inference: 16 shadow models on 10,000 records, and attacks as strong as they should be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bars import Bars, spent

if TYPE_CHECKING:
    import numpy as np

RECORDS = 10_000


def bars(bars: Bars) -> None:
    """All bars of this part."""
    costs(bars)
    if bars.quick and not bars.smoke:
        bars.skipped("leaves of 20 records", "it takes longer")
        return
    strength(bars)


def people(size: int, *, columns: int = 10, seed: int = 1) -> list[tuple[np.ndarray, np.ndarray]]:
    """Members, others (half a ``size`` each) and the intruder's own ``size`` records, drawn alike."""
    from sklearn.datasets import make_classification

    X, y = make_classification(2 * size, columns, n_informative=5, n_redundant=0, flip_y=0.05, random_state=seed)
    half = size // 2
    return [(X[:half], y[:half]), (X[half:size], y[half:size]), (X[size:], y[size:])]


def costs(bars: Bars) -> None:
    """CPU seconds of the shadow-model attack with 16 shadows, for three kinds of model."""
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression

    from tacit.attack import Shadows, membership

    members, others, like = people(bars.size(RECORDS, quick=RECORDS, smoke=200))
    models: dict[str, Any] = {
        "logistic regression": LogisticRegression(),
        "boosted trees": HistGradientBoostingClassifier(random_state=0),
        "random forest": RandomForestClassifier(random_state=0),
    }
    if bars.quick and not bars.smoke:
        models.pop("random forest")
        bars.skipped("16 shadows of a random forest", "it takes longer")
    for name, model in models.items():
        fitted = model.fit(*members)
        asked = {"members": members, "others": others, "like": like, "attack": Shadows(count=16), "seed": 1}
        seconds, found = spent(lambda fitted=fitted, asked=asked: membership(fitted, **asked))
        bars.at_most(
            f"16 shadows of a {name}, 1e4 records, CPU s", seconds, 30, at_scale=True, area=round(found[0].value, 3)
        )


def strength(bars: Bars) -> None:
    """A forest with leaves of 20 records: shadow models see little, the likelihood ratio sees who was in."""
    from sklearn.ensemble import RandomForestClassifier

    from tacit.attack import Lira, Shadows, membership

    members, others, like = people(bars.size(2000, quick=2000, smoke=200), columns=60)
    forest = RandomForestClassifier(min_samples_leaf=20, random_state=0).fit(*members)
    asked = {"members": members, "others": others, "like": like, "attack": (Shadows(), Lira()), "seed": 1}
    found = membership(forest, **asked)
    areas = {part.name: round(part.value, 3) for part in found}
    bars.at_least(
        "area of LiRA above that of shadow models",
        found["lira"].value - found["shadows"].value,
        0.05,
        at_scale=True,
        **areas,
    )
