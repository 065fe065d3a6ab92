"""The list of pages; adding one is its file, its template and a line here."""

from collections.abc import Mapping

from .data import data
from .explore import explore
from .hierarchies import hierarchies
from .page import Page
from .protect import protect
from .release import release
from .risk import risk
from .tables import tables

ALL: Mapping[str, Page] = {
    "data": Page(context=data, needs_data=False),
    "hierarchies": Page(context=hierarchies),
    "risk": Page(context=risk),
    "protect": Page(context=protect),
    "map": Page(context=explore),
    "release": Page(context=release),
    "tables": Page(context=tables),
}
