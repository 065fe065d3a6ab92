"""Loss: what a masked release no longer tells its users. Each measure takes the masked release and the original."""

from ..lazy import load_lazily
from ..registry import Registry

load_lazily(__name__)
LOSSES = Registry(__name__, "LOSSES", group="tacit.losses")
"""Name in plans → measure of loss, with its description, in the order of the summary."""
