"""The faces of an outcome: the page, the terminal, the charts, and the folders that a job leaves behind."""

from .commit import prepare
from .page import render
from .plot import plot
from .release_job import page_target, publish, write_page
from .statement import Statement, statement
from .terminal import summary

__all__ = ["Statement", "page_target", "plot", "prepare", "publish", "render", "statement", "summary", "write_page"]
