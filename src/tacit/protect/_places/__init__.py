"""Places on the globe and on a map: distances, rings, grids."""
