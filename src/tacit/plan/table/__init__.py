"""A plan about tables: build, judge, protect, audit, attack and publish them."""

from .job import protect_table
from .load import load_table_plan, table_plan
from .loaded_plan import LoadedTablePlan
from .outcome import TableOutcome
from .schema import TablePlan

__all__ = ["LoadedTablePlan", "TableOutcome", "TablePlan", "load_table_plan", "protect_table", "table_plan"]
