"""Parts of the differentially private methods: values by declaration, a grid, sums of groups, relations, and who gets which value."""
