"""What a session can be about, one kind of task in a file."""
