"""All pages by name, in the order of the work."""

from .all import ALL
from .page import Page, View

__all__ = ["ALL", "Page", "View"]
