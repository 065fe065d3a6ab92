"""The work behind the page, in processes of its own: it never stops the page, and can be stopped."""
