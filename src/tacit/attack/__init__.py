"""Attack: a release and a scenario in, claims out. What is right of them, only the judge says."""

from ..lazy import load_lazily
from ..registry import Registry
from .attack import describe_attack

load_lazily(__name__)
ATTACKS = Registry(__name__, "ATTACKS", group="tacit.attacks", describe=describe_attack)
"""Name in plans → attack on microdata, with its description; all that is said of one stands in its class."""
