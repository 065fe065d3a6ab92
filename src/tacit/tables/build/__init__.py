"""From records, dimensions and ready-made cells to a table."""
