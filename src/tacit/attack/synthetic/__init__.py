"""Attacks on files whose records were made up: copies, closest records, and generators of the intruder's own."""

from .closest_record import closest_record
from .copies import Copies, copies
from .shadow_generators import ShadowGenerators

__all__ = ["Copies", "ShadowGenerators", "closest_record", "copies"]
