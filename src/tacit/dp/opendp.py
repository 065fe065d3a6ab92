"""The parts of OpenDP that are used, with a clear error when it is not installed.

Its ``prelude`` loads scikit-learn; these modules do not.
"""

from __future__ import annotations

from ..errors import TacitError

try:
    from opendp import combinators as combinators  # imported as themselves: offered to others
    from opendp import domains as domains
    from opendp import measurements as measurements
    from opendp import measures as measures
    from opendp import metrics as metrics
    from opendp import transformations as transformations
    from opendp.mod import enable_features
except ImportError:
    raise TacitError("differential privacy needs OpenDP", code="not_installed", fix="pip install 'tacit[dp]'") from None

enable_features("contrib")
