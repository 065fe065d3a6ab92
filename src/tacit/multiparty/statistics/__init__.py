"""Statistics of everybody's data from secure sums of what each party counts by itself."""
