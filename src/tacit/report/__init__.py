"""The faces of an outcome: the page, the terminal and the charts."""

from .pages import page_target, publish, render, write_page
from .plot import plot
from .statement import Statement, statement
from .terminal import summary

__all__ = ["Statement", "page_target", "plot", "publish", "render", "statement", "summary", "write_page"]
