"""Dates that are moved."""
