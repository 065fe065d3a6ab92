"""The matrices of post-randomisation: given, invariant, risk-driven; and the categories that they are about."""
