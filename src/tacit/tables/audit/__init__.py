"""The audit: what an outsider who does the arithmetic learns of every cell, computed apart from all protection code."""
