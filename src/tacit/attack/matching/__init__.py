"""Matching: which column of an unknown file is which column of the release, found from the values alone."""
