"""Forms made from the parameters of methods, models, attacks and rules: a new one in an ``ALL`` appears by itself."""

from .field import Control, Field
from .inline import inline
from .require import Column, Columns, Mistakes, fields_of, parsed, parsed_requirement, requirement_fields

__all__ = [
    "Column",
    "Columns",
    "Control",
    "Field",
    "Mistakes",
    "fields_of",
    "inline",
    "parsed",
    "parsed_requirement",
    "requirement_fields",
]
