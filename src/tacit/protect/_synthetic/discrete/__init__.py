"""Files as whole numbers: places of values, tables of counts, chains of conditional tables and how to draw from them."""
