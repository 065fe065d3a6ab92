"""Risk: how much a release discloses, as numbers. Each measure takes a release and returns Results."""

from ..lazy import load_lazily
from ..registry import Registry

load_lazily(__name__)
MEASURES = Registry(__name__, "MEASURES", group="tacit.measures")
"""Name in plans → measure of risk, with its description."""
