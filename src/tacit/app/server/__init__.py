"""The page over HTTP, for this machine and this browser alone."""
