"""Files as plain tables: what a format can hold is read by one set of rules and written whole or not at all."""

from .formats import FORMATS, writable_name
from .loading import load
from .saving import save
from .table import FileTable

__all__ = ["FORMATS", "FileTable", "load", "save", "writable_name"]
