"""What coarser labels, blanks, removed records and changed categories cost."""
