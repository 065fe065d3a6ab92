"""The accountants of dp-accounting, with a clear error when it is not installed."""

from __future__ import annotations

from ...errors import TacitError

try:
    import dp_accounting as dp_accounting  # imported as itself: offered to others
    from dp_accounting.pld import common as common
    from dp_accounting.pld import privacy_loss_distribution as privacy_loss_distribution
except ImportError:
    raise TacitError(
        "accounting by RDP and PLD needs dp-accounting", code="not_installed", fix="pip install 'tacit[dp]'"
    ) from None
