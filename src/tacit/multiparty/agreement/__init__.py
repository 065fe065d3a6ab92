"""What the parties agree on, the same file for all: who they are, what they compute, how long they wait."""
