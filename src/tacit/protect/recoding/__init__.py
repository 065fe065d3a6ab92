"""What the local recodings share: the keys as numbers, and the labels that a group of records gets."""
