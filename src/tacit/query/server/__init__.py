"""The desk over HTTP: OpenAPI, bounded bodies, answers on a time grid."""

from __future__ import annotations

from .run import address, listening, serve

__all__ = ["address", "listening", "serve"]
