"""A model as it is published: its key and what is needed to read it, and nothing else of the data."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np

from ...errors import TacitError, check_columns, check_int, suggest_alternative
from ...frozen import FrozenDict
from ...registry import build_from_params
from ...release.masked import release_of
from ...result import DisplayMixin
from ...seed import DEFAULT_SEED
from ..compact_repr import CompactRepr
from .design import Amount, Design, Labels, design_of, read_design
from .grid import Grid, on_grid
from .learner import Key, Learner
from .linear import Linear
from .logistic import Logistic
from .parameters import Parameters
from .targets import numbers_only
from .tree import Tree

if TYPE_CHECKING:
    from ...release.masked import Masked
    from ...release.release import Release

STARTS = 4
"""Of k-means++, of which the tightest result is kept."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class KMeans(Parameters, CompactRepr):
    r"""The centres of k-means in columns of amounts, rounded to ``rounding`` of the column's step.

    The records come in canonical order and the starts are fixed, so that the result is a function of the database. The
    key is the set of rounded centres :math:`\lfloor c_j / r + \tfrac12 \rfloor`, sorted: the numbering of
    clusters is no part of the model. Databases with fewer different records than ``clusters`` give no model. The distance
    of two models is the largest difference of a coordinate when their sorted centres are compared one by one, an upper
    bound on that of the best matching. O(n · m · clusters) for each step of k-means.

    >>> import polars as pl
    >>> from tacit import Release
    >>> pay = Release(pl.DataFrame({"pay": [10.0, 12.0, 50.0, 52.0]}))
    >>> learner = KMeans(clusters=2, grid={"pay": 5})
    >>> design = learner.build_design(pay)
    >>> key = learner.fit_key(learner.matrix(design, pay), design.target_values(pay))
    >>> dict(learner.describe_lines(key, design))
    {'centre 1': 'pay 10', 'centre 2': 'pay 50'}

    References
    ----------
    Torra, Navarro-Arribas and Galván (2020), Explaining recurrent machine learning models: integral privacy revisited,
    PSD, LNCS 12276, 62–73. Lloyd (1982), Least squares quantization in PCM, IEEE Trans. Inf. Theory 28, 129–137.
    """

    clusters: int
    on: tuple[str, ...] | None = None
    grid: Grid = FrozenDict()
    rounding: float = 1.0

    NAME: ClassVar[str] = "k_means"
    MEASURED: ClassVar[str] = "share of the variance explained"
    COUNTED: ClassVar[bool] = False
    HELD_OUT: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_int("clusters", self.clusters, least=1)
        Parameters.__post_init__(self)

    def build_design(self, release: Release) -> Design:
        """The columns of amounts, named or all."""
        return design_of(release, numbers_only(release, self.on), self.grid)

    def fit_key(self, features: np.ndarray, target: np.ndarray) -> Key | None:  # noqa: ARG002 - every learner takes it
        """The sorted, rounded centres."""
        from sklearn.cluster import KMeans as Clusters

        if len(np.unique(features, axis=0)) < self.clusters:
            return None
        found = Clusters(self.clusters, n_init=STARTS, random_state=DEFAULT_SEED).fit(features)
        return tuple(sorted(on_grid(centre, self.rounding) for centre in found.cluster_centers_))

    def predict_targets(self, key: Key, features: np.ndarray) -> np.ndarray:
        """The number of the nearest centre, from 0 in the order of the key."""
        found: np.ndarray = self._squared_distances(key, features).argmin(axis=1)
        return found

    def score(self, key: Key, features: np.ndarray, target: np.ndarray) -> float:  # noqa: ARG002
        """1 minus the squared distance to the nearest centre over that to the mean."""
        spread = float(((features - features.mean(axis=0)) ** 2).sum())
        return 1.0 - float(self._squared_distances(key, features).min(axis=1).sum()) / spread if spread > 0 else 0.0

    def describe_lines(self, key: Key, design: Design) -> Iterator[tuple[str, str]]:
        """The centres in the units of the columns."""
        for number, centre in enumerate(key):
            said = []
            for feature, one in zip(design.features, centre, strict=True):
                assert isinstance(feature, Amount)
                said.append(f"{feature.column} {feature.format_steps(one * self.rounding + feature.origin)}")
            yield f"centre {number + 1}", ", ".join(said)

    def estimator(self, key: Key, design: Design) -> Any:  # noqa: ARG002
        """A ``KMeans`` that answers with the number of the nearest centre."""
        from warnings import catch_warnings, simplefilter

        from sklearn.cluster import KMeans as Clusters

        centres = np.array(key, dtype=float) * self.rounding
        with catch_warnings():
            simplefilter("ignore")  # centres that are equal on the grid are two clusters nevertheless
            return Clusters(self.clusters, init=centres, n_init=1, max_iter=1).fit(centres)

    def _squared_distances(self, key: Key, features: np.ndarray) -> np.ndarray:
        centres = np.array(key, dtype=float) * self.rounding
        return np.column_stack([((features - centre) ** 2).sum(axis=1) for centre in centres])


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Moments(Parameters, CompactRepr):
    r"""Mean and standard deviation of columns, each rounded to ``rounding`` of the column's step.

    With :math:`u = x / step - origin` the key is, column by column in the order of their names,
    :math:`\lfloor \bar u / r + \tfrac12 \rfloor` and :math:`\lfloor s_u / r + \tfrac12 \rfloor`, where s divides by n − 1;
    the variance is its square. A database of one record has no deviation and gives no model. O(n · m).

    >>> import polars as pl
    >>> from tacit import Release
    >>> pay = Release(pl.DataFrame({"pay": [10.0, 20.0, 30.0, 40.0]}))
    >>> learner = Moments(on="pay", grid={"pay": 5})
    >>> design = learner.build_design(pay)
    >>> print(dict(learner.describe_lines(learner.fit_key(learner.matrix(design, pay), np.zeros(4)), design)))
    {'mean of pay': '25', 'standard deviation of pay': '15'}

    References
    ----------
    Senavirathne and Torra (2019), Integral privacy compliant statistics computation, DPM, LNCS 11737, 22–38.
    """

    on: tuple[str, ...] | None = None
    grid: Grid = FrozenDict()
    rounding: float = 1.0

    NAME: ClassVar[str] = "moments"
    MEASURED: ClassVar[str] = "minus the error in deviations"
    COUNTED: ClassVar[bool] = False
    HELD_OUT: ClassVar[bool] = False

    def build_design(self, release: Release) -> Design:
        """The columns of amounts, named or all."""
        return design_of(release, numbers_only(release, self.on), self.grid)

    def fit_key(self, features: np.ndarray, target: np.ndarray) -> Key | None:  # noqa: ARG002 - every learner takes it
        """The rounded moments."""
        if len(features) < 2:
            return None
        return on_grid(_column_moments(features), self.rounding)

    def predict_targets(self, key: Key, features: np.ndarray) -> np.ndarray:  # noqa: ARG002
        """A mean says nothing of a single record."""
        raise _raise_no_prediction()

    def score(self, key: Key, features: np.ndarray, target: np.ndarray) -> float:  # noqa: ARG002
        """Minus the largest difference from the figures of the records, in their standard deviations."""
        found = _column_moments(features)
        unit = np.repeat(np.where(found[1::2] > 0, found[1::2], 1.0), 2)
        return -float((np.abs(np.array(key) * self.rounding - found) / unit).max())

    def describe_lines(self, key: Key, design: Design) -> Iterator[tuple[str, str]]:
        """Each mean and deviation in the units of its column."""
        for place, feature in enumerate(design.features):
            assert isinstance(feature, Amount)
            mean, deviation = (one * self.rounding for one in key[2 * place : 2 * place + 2])
            yield f"mean of {feature.column}", feature.format_steps(mean + feature.origin)
            yield f"standard deviation of {feature.column}", feature.format_width(deviation)

    def estimator(self, key: Key, design: Design) -> Any:  # noqa: ARG002
        """There is none."""
        raise _raise_no_prediction()


def _column_moments(features: np.ndarray) -> np.ndarray:
    """Mean and deviation of each column, alternating."""
    return np.column_stack([features.mean(axis=0), features.std(axis=0, ddof=1)]).ravel()


def _raise_no_prediction() -> NoReturn:
    raise TacitError(
        "means and deviations predict nothing of a record", code="invalid_parameter", fix="read them with as_json()"
    )


LEARNERS: dict[str, type[Any]] = {kind.NAME: kind for kind in (KMeans, Linear, Logistic, Moments, Tree)}
"""Name → the kind of model."""

FORMAT = "tacit integral model 1"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PublishedModel(DisplayMixin):
    """A model made of its key alone: whichever database it was learnt from, it is the same to the last bit.

    >>> from tacit.models.integral import Tree
    >>> from .design import Amount, Design, Labels
    >>> ages, ill = Amount(column="age", step=10.0, origin=4), Labels(column="ill", labels=("no", "yes"))
    >>> print(PublishedModel(learner=Tree(target="ill"), design=Design(features=(ages,), target=ill), key=(0, 5, 0, 1)))
    age < 50  no
    else      yes
    """

    learner: Learner
    design: Design
    key: Key

    @classmethod
    def of(cls, learner: Learner, design: Design, key: Key) -> PublishedModel:
        """With no more of the design than the model needs."""
        key, design = learner.trim_design(key, design)
        return cls(learner=learner, design=design, key=key)

    def rows(self) -> Iterator[tuple[str, str]]:
        """The model in words."""
        yield from self.learner.describe_lines(self.key, self.design)

    def matrix(self, release: Release | Masked) -> np.ndarray:
        """The features as :meth:`estimator` takes them; a gap in an amount is refused."""
        release = release_of(release)
        check_columns([feature.column for feature in self.design.features], release.columns)
        for feature in self.design.features:
            if not isinstance(feature, Amount):
                continue
            if release.types[feature.column] in ("text", "boolean"):
                raise TacitError(
                    f"holds {release.types[feature.column]} where the model needs numbers",
                    code="wrong_kind",
                    column=feature.column,
                    fix="give it as numbers, as in the file that the model was learnt from",
                )
            if not release.valid(feature.column).all():
                row = int((~release.valid(feature.column)).argmax()) + 1
                raise TacitError(
                    f"is missing in row {row}",
                    code="missing_values",
                    column=feature.column,
                    fix="fill it, or leave the row out",
                )
        return self.learner.matrix(self.design, release)

    def predict(self, release: Release | Masked) -> np.ndarray:
        """What the model says of each record, in the labels or units of the target; of clusters their numbers from 0."""
        said = self.learner.predict_targets(self.key, self.matrix(release))
        target = self.design.target
        if isinstance(target, Labels):
            return np.array(target.labels, dtype=object)[said.astype(np.int64)]
        return said if target is None else (said + target.origin) * target.step

    def estimator(self) -> Any:
        """A fitted estimator of scikit-learn's with the same answers, over :meth:`matrix`."""
        return self.learner.estimator(self.key, self.design)

    def as_json(self) -> dict[str, Any]:
        """Plain values, which :func:`read_model` reads again; ``says`` is for people."""
        parameters = {name: value for name, value in asdict(self.learner).items() if value is not None}  # type: ignore[call-overload]
        parameters["grid"] = dict(parameters["grid"])
        return {
            "format": FORMAT,
            "learner": self.learner.NAME,
            "parameters": parameters,
            "design": self.design.to_dict(),
            "key": self.key,
            "says": [f"{left}: {right}" if right else left for left, right in self.rows()],
        }

    def __repr__(self) -> str:
        return f"<Published {self.learner!r}>"


def read_model(given: Mapping[str, Any] | str | Path) -> PublishedModel:
    """A published model from the JSON that it was written as: a mapping, or a file of it.

    >>> from tacit.models.integral import Moments
    >>> from .design import Amount, Design
    >>> pay = Design(features=(Amount(column="pay", step=5.0, origin=5),))
    >>> model = PublishedModel(learner=Moments(on="pay"), design=pay, key=(0, 3))
    >>> read_model(model.as_json()) == model
    True
    """
    plain = given if isinstance(given, Mapping) else _load_json(Path(given))
    if plain.get("format") != FORMAT:
        raise TacitError(
            "this is no model that tacit integral wrote", code="malformed_file", fix="give the file that --out named"
        )
    name = str(plain.get("learner"))
    if name not in LEARNERS:
        raise TacitError(
            f"the kind of model {name!r} is unknown", code="unknown_name", fix=suggest_alternative(name, LEARNERS)
        )
    try:
        learner = build_from_params(name, LEARNERS[name], plain["parameters"])
        found = PublishedModel(learner=learner, design=read_design(plain["design"]), key=_to_tuples(plain["key"]))
        list(found.rows())  # a key that does not fit its design cannot be said
    except TacitError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, AssertionError):
        raise TacitError(
            "the model is not whole", code="malformed_file", fix="write it again with tacit integral"
        ) from None
    return found


def _load_json(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise TacitError(
            f"{str(path)!r} cannot be read", code="cannot_read", fix="give the file that --out named"
        ) from problem
    except ValueError:
        found = None
    if not isinstance(found, Mapping):
        raise TacitError(f"{str(path)!r} holds no JSON object", code="wrong_kind", fix="give the file that --out named")
    return found


def _to_tuples(given: Any) -> Any:
    """Lists of JSON as the tuples of whole numbers that a key is made of."""
    if isinstance(given, list | tuple):
        return tuple(_to_tuples(one) for one in given)
    if isinstance(given, bool) or not isinstance(given, int):
        raise TypeError
    return given
