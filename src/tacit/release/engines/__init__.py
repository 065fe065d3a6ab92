"""One file per engine, and the way in for every frame."""
