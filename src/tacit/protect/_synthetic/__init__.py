"""What the generators of synthetic records share, and their machinery: who gets new values, learnt from whom, and how."""
