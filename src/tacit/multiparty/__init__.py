"""Compute together without showing the data: sums and what follows from them, over many houses.

    agreement → keys → mesh of TLS links → protocol → figures, and what each party saw

Parties are processes on hosts of their own: ``tacit party join AGREEMENT.toml --as NAME --data FILE``, or :func:`join`. Names are
loaded when they are first used.
"""

from ..lazy import load_lazily

load_lazily(__name__)
