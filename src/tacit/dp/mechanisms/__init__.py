"""Mechanisms: what turns an exact answer into one that may be published."""
