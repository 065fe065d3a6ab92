"""Values: the confidential column that an attack is after, and how what is learnt of it is judged."""
