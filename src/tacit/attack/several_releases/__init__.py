"""Several releases: the records that a person may be in each, and what they leave open together."""
