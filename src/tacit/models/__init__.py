"""Models: Boolean statements about a release that hold or do not, with a verdict that says by how much."""

from ..lazy import load_lazily
from ..registry import Registry

load_lazily(__name__)
MODELS = Registry(__name__, "MODELS", group="tacit.models")
"""Name in plans → model, with its description; a scalar in a plan is the first field of the model."""
