"""Commands that serve: they go on when one of those they speak with goes away."""

from __future__ import annotations

import signal


def outlive_peers() -> None:
    """Take a connection that was closed for an error of that connection, which the server knows how to handle.

    Other commands are ended by a closed pipe, as :func:`tacit.cli.main` wants it; to a server, this would be its end.
    """
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
