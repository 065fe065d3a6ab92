"""One file per engine, and the door through which every frame comes in."""
