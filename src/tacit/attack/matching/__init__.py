"""Matching: which column of an unknown file is which column of the release, found from the values alone."""

from .assignment import ColumnAssignment, ColumnAssociations, assign_columns
from .association import column_associations, structural_similarity
from .column_view import ColumnView, view_column
from .conversion import ColumnConversion, convert_file
from .numbers import Quantiles, Unit, cell_quantiles, unit_change
from .similarity import CodeMapping, Similarity, column_similarity, map_by_profiles, map_codes, same_values

__all__ = [
    "ColumnAssociations",
    "ColumnAssignment",
    "Similarity",
    "ColumnConversion",
    "Quantiles",
    "CodeMapping",
    "Unit",
    "ColumnView",
    "convert_file",
    "assign_columns",
    "column_associations",
    "column_similarity",
    "map_by_profiles",
    "cell_quantiles",
    "map_codes",
    "same_values",
    "structural_similarity",
    "unit_change",
    "view_column",
]
