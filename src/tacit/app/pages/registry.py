"""The list of pages; adding one is its file, its template and a line here."""

from collections.abc import Mapping

from .data import data_context
from .explore import explore_context
from .hierarchies import hierarchies_context
from .page import Page
from .protect import protect_context
from .release import release_context
from .risk import risk_context
from .tables import tables_context

ALL: Mapping[str, Page] = {
    "data": Page(context=data_context, needs_data=False),
    "hierarchies": Page(context=hierarchies_context),
    "risk": Page(context=risk_context),
    "protect": Page(context=protect_context),
    "map": Page(context=explore_context),
    "release": Page(context=release_context),
    "tables": Page(context=tables_context),
}
