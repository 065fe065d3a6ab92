"""Parts of the differentially private methods: values on a grid, sums of groups, relations, and who gets which value."""
