"""Tables in files: what people have, read and written."""
