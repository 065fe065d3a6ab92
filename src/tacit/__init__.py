"""Tacit measures how much a data release discloses, attacks it, protects it and shows the result.

Light to import: every name below is loaded when it is first used.
"""

from .lazy import load_lazily

__version__ = "0.1.0"
load_lazily(__name__)
