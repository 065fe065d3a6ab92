"""What the swapping methods share: values in the order of their ranks, and pairs that change places."""
