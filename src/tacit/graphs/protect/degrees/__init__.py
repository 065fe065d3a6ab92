"""k-degree anonymity in two halves: the degrees that cost least, and the edges that make them."""
