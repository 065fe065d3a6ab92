"""Geomasking: coordinates moved at random or to the centre of a cell, so that they no longer point at a house."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import narwhals as nw
import numpy as np
import polars as pl

from ..errors import TacitError, check_columns, check_int, format_value, suggest_alternative
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ..release.engines.table import few_rows
from ..release.masked import Masked
from ..release.trace import FEWEST, Finding, Trace
from ..seed import child_seed, make_generator
from ._numbers import masked_dtypes
from ._places.move import MoveRows, count_nearer, outer_radius, read_points, space_of
from .parameters import column_name, drop_metadata, is_number, seed_of

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


Form = Literal["donut", "gaussian", "grid"]
MOST_JUDGED = 10_000
"""Records on which the number of nearer records is estimated."""
FARTHEST = 20_000_000.0
"""Metres: beyond that one would be on the way back round the globe."""


@describe(
    tags=Tags(about="identity", kind="method"),
    effects=MethodEffects("changes", ("latitude", "longitude"), model="geo_mask"),
    family="special",
    example={"latitude": "income", "longitude": "rent", "units": "metres", "least": 10, "most": 50},
    use="Coordinates of homes or of events at homes are to be mapped or joined with areas.",
    avoid="Only the region is needed: leave the coordinates out and give the region.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class GeoMask:
    r"""Move places so that a map no longer points at houses.

    ``form`` says how, in metres on the ground (great circles; right at the poles and across the meridian of ±180°):

    * ``"donut"``: uniformly by area in the ring from ``least`` to ``most`` metres around the place: never nearer than
      ``least``. With ``k`` in place of ``most``, the ring reaches as far as it takes to hold k other records, or k
      people where ``density`` names a column of people per square kilometre (Hampton et al. 2010).
      Then :math:`\pi (most^2 - least^2) \cdot density = k`. Given too, ``most`` caps it; the trace counts whom that leaves
      with fewer than k records.
    * ``"gaussian"``: by a normal draw with standard deviation ``sd`` metres north and another one east. Some places
      hardly move.
    * ``"grid"``: to the centre of a cell of ``side`` metres: no draw, nothing to average out, equal for all in the cell.

    ``units="metres"`` takes projected coordinates: ``latitude`` is the northing, ``longitude`` the easting. Whole metres
    stay whole, so that rings hold to the metre; whole degrees become numbers, since rounding would undo the move.

    Equal places move together (``together=True``): their draw is a keyed hash of the exact coordinates (a pole is one
    place, and so are ±180°). If the records
    of one address moved apart, their mean would show it; and with the same seed a place moves alike in linked
    files. ``together=False`` draws for each record, but for all members of a household at once. One who knows the whereabouts of
    somebody can still tell who lives near; other columns may give the place away (a ZIP code, a school).

    A record that has only one of the two coordinates loses it, half a place being a place to look; the trace counts
    them. Outside the numbers there is an error with the row. The outcome ``nearer`` estimates spatial k-anonymity: how
    many records are nearer to the moved place than the record's own (mean over at most 10,000 records; in memory only).

    Row by row on every engine, O(n) time, one hash per record; ``k`` without ``density`` needs all places in memory,
    O(n log n).

    >>> import polars as pl
    >>> from tacit import Release
    >>> homes = pl.DataFrame({"lat": [52.5, 52.5, 89.9], "lon": [13.4, 13.4, 179.9]})
    >>> moved = Release(homes).protect(GeoMask(latitude="lat", longitude="lon", least=100, most=500), seed=7).to_native()
    >>> moved.row(0) == moved.row(1) != homes.row(0)
    True

    References
    ----------
    Armstrong, Rushton and Zimmerman (1999), Geographically masking health data to preserve confidentiality, Statistics
    in Medicine 18, 497–525.
    Hampton et al. (2010), Mapping health data: improved privacy protection with donut method geomasking, American Journal
    of Epidemiology 172, 1062–1069.
    """

    latitude: str
    longitude: str
    form: Form = "donut"
    least: float | None = None
    most: float | None = None
    k: int | None = None
    density: str | None = None
    sd: float | None = None
    side: float | None = None
    units: Literal["degrees", "metres"] = "degrees"
    together: bool = True

    def __post_init__(self) -> None:
        if column_name(self.latitude) == column_name(self.longitude):
            raise TacitError(
                "is named as both coordinates", code="duplicate", column=self.latitude, fix="name two columns"
            )
        for name, given, known in (("form", self.form, get_args(Form)), ("units", self.units, ("degrees", "metres"))):
            if given not in known:
                raise TacitError(
                    f"{name}={format_value(given)} is unknown",
                    code="unknown_name",
                    parameter=name,
                    fix=suggest_alternative(str(given), known),
                )
        if not isinstance(self.together, bool):
            raise TacitError(
                f"together={format_value(self.together)} is neither true nor false",
                code="not_boolean",
                parameter="together",
                fix="together=True",
            )
        if self.density is not None:
            column_name(self.density)
        self._check_form()
        for name in ("least", "most", "sd", "side"):
            metres = getattr(self, name)
            if metres is not None and (
                not is_number(metres) or not 0 <= metres <= FARTHEST or (not metres and name != "least")
            ):
                raise TacitError(
                    f"{name}={format_value(metres)} is no distance",
                    code="out_of_range",
                    parameter=name,
                    fix=f"metres above 0, e.g. {name}=500",
                )
        if self.least is not None and self.most is not None and not self.least < self.most:
            raise TacitError(
                f"least={self.least:g} is not below most={self.most:g}",
                code="out_of_range",
                parameter="least",
                fix="swap the two",
            )

    def _check_form(self) -> None:
        """Each form has parameters of its own."""
        own = {"donut": {"least", "most", "k", "density"}, "gaussian": {"sd"}, "grid": {"side"}}
        needed = {"donut": ("most", "k"), "gaussian": ("sd",), "grid": ("side",)}[self.form]
        given = {name for name in ("least", "most", "k", "density", "sd", "side") if getattr(self, name) is not None}
        odd = next(iter(sorted(given - own[self.form])), None)
        if odd is not None:
            raise TacitError(
                f"{odd} says nothing about form={self.form!r}", code="conflicting_parameters", fix=f"leave {odd} out"
            )
        if not given & set(needed):
            raise TacitError(
                f"form={self.form!r} lacks {' or '.join(needed)}",
                code="missing_parameter",
                parameter="form",
                fix=f"e.g. {EXAMPLES[self.form]}",
            )
        if self.k is not None:
            check_int("k", self.k, least=1)
        elif self.density is not None:
            raise TacitError(
                "density says nothing without k",
                code="conflicting_parameters",
                fix="give k, the people in the ring, e.g. k=20",
            )

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release with moved places; the outcome has the law, the lone coordinates and how many are nearer."""
        start = (
            b"\0" * 16
            if self.form == "grid" and seed is None
            else seed_of(self, seed, without=("latitude", "longitude"))
        )
        pair = check_columns([self.latitude, self.longitude], release.columns)
        for column in (*pair, *([self.density] if self.density else [])):
            if release.types[check_columns(column, release.columns)[0]] not in ("integer", "number"):
                raise TacitError(
                    f"holds {release.types[column]}, not numbers",
                    code="not_numeric",
                    column=column,
                    fix="read the coordinates as numbers",
                )
        if self.units == "metres":
            self._check_metres(release)
        report_progress(progress, "geo_mask", 0.0)
        kernel, short = self._build_kernel(release, start)
        report_progress(progress, "geo_mask", 0.5)
        read = dict.fromkeys([*pair, *(name for name in (kernel.density, kernel.household) if name)])
        moved = release.map_batches(list(read), kernel, kernel.types)
        outcome = {"lone": Finding(_count_incomplete(release, *pair), publishable=True, counts=True)}
        if short is not None:
            outcome["short"] = Finding(short, publishable=True, counts=True)
        if release.capabilities.in_memory:
            outcome |= self._nearer_findings(release, moved, child_seed(start, "judged"))
        report_progress(progress, "geo_mask", 1.0)
        return Masked(drop_metadata(moved, pair, hierarchies=True), (Trace.of(self, **outcome),))

    def _check_metres(self, release: Release) -> None:
        """Refuse coordinates that are degrees: moved by metres they would leave the earth."""
        pair = (nw.col(self.latitude).abs().max(), nw.col(self.longitude).abs().max())
        north, east = few_rows(release.scan().select(*pair))[0]
        if north is not None and east is not None and north <= 90 and east <= 180:
            raise TacitError(
                "has no value beyond ±90, as degrees have, and units='metres'",
                code="missing_values",
                column=self.latitude,
                fix="leave units out for degrees; projected coordinates are metres from an origin",
            )

    def _build_kernel(self, release: Release, seed: int | bytes) -> tuple[MoveRows, int | None]:
        """The row kernel, and how many records the cap leaves with fewer than k others in their ring."""
        kernel = MoveRows(
            latitude=self.latitude,
            longitude=self.longitude,
            types=self._coordinate_types(release),
            units=self.units,
            form=self.form,
            size=float(self.sd or self.side or 0.0),
            least=float(self.least or 0.0),
            most=self.most,
            k=self.k,
            density=self.density,
            together=self.together,
            household=None if self.together else release.household,
            seed=seed,
        )
        if self.k is None or self.density is not None:
            return kernel, None
        instead = "name a column of population density, give most in metres"
        release.capabilities.require("in_memory", "the k records near a place cannot be counted", instead=instead)
        outer = np.full(release.size, np.nan)
        points, known = self._read_coordinates(release)
        if known.any():
            outer[known] = outer_radius(points[known], space_of(self.units), k=self.k, least=kernel.least)
        capped = outer if self.most is None else np.minimum(outer, self.most)
        short = int((capped < outer).sum()) if self.most is not None else None
        return replace(kernel, outer=capped), short

    def _coordinate_types(self, release: Release) -> dict[str, Any]:
        """Types of the moved coordinates: whole degrees are a hundred kilometres wide, and would hide every move."""
        found = masked_dtypes(release, [self.latitude, self.longitude])
        return found if self.units == "metres" else dict.fromkeys(found, pl.Float64())

    def _read_coordinates(self, release: Release) -> tuple[np.ndarray, np.ndarray]:
        frame: Any = release.scan().select(self.latitude, self.longitude).collect(backend="polars").to_native()
        return read_points(frame, self.latitude, self.longitude, self.units)

    def _nearer_findings(self, release: Release, moved: Release, seed: bytes) -> dict[str, Finding]:
        points, known = self._read_coordinates(release)
        goals, _ = self._read_coordinates(moved)
        if not known.any():
            return {}
        rows = np.arange(int(known.sum()))
        if len(rows) > MOST_JUDGED:
            rows = np.sort(make_generator(seed).choice(len(rows), MOST_JUDGED, replace=False))
        found = count_nearer(points[known], goals[known], space_of(self.units), rows)
        return {"nearer": Finding(float(found.mean()), publishable=len(rows) >= FEWEST)}


EXAMPLES = {"donut": "least=100, most=500", "gaussian": "sd=300", "grid": "side=1000"}


def _count_incomplete(release: Release, latitude: str, longitude: str) -> int:
    """Records with one coordinate of two."""
    one, other = nw.col(latitude).is_null(), nw.col(longitude).is_null()
    return int(few_rows(release.scan().filter(one != other).select(nw.len()))[0][0])
