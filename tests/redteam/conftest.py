"""The service that the attackers of queries share: it takes seconds to start."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.redteam.attacked import Service, started_service


@pytest.fixture(scope="session")
def service(tmp_path_factory) -> Iterator[Service]:
    with started_service(tmp_path_factory.mktemp("service") / "demo") as running:
        yield running
