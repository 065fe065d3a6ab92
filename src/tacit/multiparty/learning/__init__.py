"""Learning from everybody's rows: models whose every step needs sums over rows, and gets them by secure sums."""
