"""The studio: the whole job in a browser, on this machine alone. It holds no statistics of its own."""

from .run import studio

__all__ = ["studio"]
