"""Functions named for what you want done: a few lines each over the parts of this folder."""
