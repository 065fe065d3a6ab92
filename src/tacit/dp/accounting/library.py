"""The accountants of dp-accounting, with a clear error when it is not installed."""

from __future__ import annotations

from ...errors import TacitError

try:
    import dp_accounting
    from dp_accounting.pld import common, privacy_loss_distribution
except ImportError:
    raise TacitError("accounting by RDP and PLD needs dp-accounting", fix="pip install 'tacit[dp]'") from None

__all__ = ["common", "dp_accounting", "privacy_loss_distribution"]
