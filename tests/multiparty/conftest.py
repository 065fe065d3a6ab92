"""What several tests of computing together share."""

from __future__ import annotations

import pytest

from tacit.multiparty.paillier import new_key
from tacit.multiparty.protocols import paillier_product
from tacit.multiparty.tasks import outsource_task, retrieval_task


@pytest.fixture(scope="session")
def paillier_key():
    return new_key()


@pytest.fixture(scope="module")
def one_key(paillier_key):
    """Making keys of Paillier's encryption is the largest part of small sessions, and has tests of its own."""
    with pytest.MonkeyPatch.context() as patched:
        for module in (paillier_product, retrieval_task, outsource_task):
            patched.setattr(module, "new_key", lambda: paillier_key)
        yield
