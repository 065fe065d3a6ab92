"""Exact answers with restriction: which questions may be answered after which others, told from public facts alone."""
