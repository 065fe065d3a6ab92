"""Questions about data that stay where they are: SQL in, answers with their accuracy out, every answer paid for.

    SQL → question → quote → charge → answer

An owner declares a service in a file, ``tacit serve`` starts it, and analysts ask with ``tacit query`` or :class:`Client`.
Without a server the same desk answers in Python: :func:`load_service`, :func:`open_desk`, :meth:`QueryService.query`.
Names are loaded when they are first used: a client needs no engine.
"""

from ..lazy import load_lazily

load_lazily(__name__)
