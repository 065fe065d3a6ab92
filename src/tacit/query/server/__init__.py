"""The desk over HTTP: OpenAPI, bounded bodies, answers on a time grid."""

from __future__ import annotations

from .run import open_socket, serve, service_address

__all__ = ["service_address", "open_socket", "serve"]
