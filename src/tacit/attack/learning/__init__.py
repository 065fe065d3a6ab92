"""Learning the distance that finds most people: families of distances, a fast search, and a proof."""
