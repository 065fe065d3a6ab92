"""Forms made from the parameters of methods, models, attacks and rules: a new one in an ``ALL`` appears by itself."""

from .field import Control, Field
from .fields import Column, Columns, FormErrors, fields_of, parse_form, parsed_requirement, requirement_fields

__all__ = [
    "Column",
    "Columns",
    "Control",
    "Field",
    "FormErrors",
    "fields_of",
    "parse_form",
    "parsed_requirement",
    "requirement_fields",
]
