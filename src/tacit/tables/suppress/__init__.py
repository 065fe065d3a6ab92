"""Cell suppression: the cheapest further cells to leave out, proven where it can be."""
