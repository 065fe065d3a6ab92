"""Computing on what one cannot read: a server adds up and scores encrypted columns."""
