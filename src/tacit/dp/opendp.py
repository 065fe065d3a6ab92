"""The parts of OpenDP that are used, with a clear error when it is not installed.

Its ``prelude`` loads scikit-learn; these modules do not.
"""

from __future__ import annotations

from ..errors import TacitError

try:
    from opendp import combinators, domains, measurements, measures, metrics, transformations
    from opendp.mod import enable_features
except ImportError:
    raise TacitError("differential privacy needs OpenDP", fix="pip install 'tacit[dp]'") from None

__all__ = ["combinators", "domains", "measurements", "measures", "metrics", "transformations"]

enable_features("contrib")
