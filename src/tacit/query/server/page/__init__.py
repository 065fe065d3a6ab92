"""The web page of the service: plain files of this folder, each under a path of its own."""

from __future__ import annotations

from .files import page_files, page_routes

__all__ = ["page_files", "page_routes"]
