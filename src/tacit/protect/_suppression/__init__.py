"""The searches behind cell suppression: which key cells of which records to blank."""
