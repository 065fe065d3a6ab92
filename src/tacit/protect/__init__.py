"""Protect: methods that turn a release into a release with less to disclose, and say what they did.

The public names are those of ``__init__.pyi``, each loaded when it is first used.
"""

from ..lazy import load_lazily
from ..registry import Registry

load_lazily(__name__)
METHODS = Registry(__name__, "METHODS", group="tacit.methods")
"""Name in plans → masking method, with its description."""
