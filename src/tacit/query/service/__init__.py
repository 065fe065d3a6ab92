"""The service file: what the owner declares, checked before anything is opened."""

from __future__ import annotations

from .load import load_service
from .service import Declared, Place, Project, Service

__all__ = ["Declared", "Place", "Project", "Service", "load_service"]
