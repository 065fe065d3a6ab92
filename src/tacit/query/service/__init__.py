"""The service file: what the owner declares, checked before anything is opened."""

from __future__ import annotations

from .load import load_service
from .service import DatasetConfig, Project, Service, TableLocation

__all__ = ["DatasetConfig", "TableLocation", "Project", "Service", "load_service"]
