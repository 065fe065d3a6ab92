"""Files that others must not read, keys that nobody should have, and one table under two modes (A18, A22, A24)."""

from __future__ import annotations

import os
import shutil
import stat

import polars as pl
import pytest

from tacit.cli.serve import _run_server, write_service
from tacit.errors import TacitError
from tacit.query.account import key_hash
from tacit.query.service import load_service
from tacit.query.startup import open_desk

from .attacks.world import MODES, people, service_file


def test_the_example_can_be_read_by_its_owner_only(tmp_path):
    write_service(tmp_path / "demo")
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "demo").iterdir()}
    assert set(modes.values()) == {0o600}, modes


def test_the_key_of_the_guide_is_refused_and_its_hash_is_nobodys(tmp_path):
    write_service(tmp_path / "demo")
    file = tmp_path / "demo" / "SERVICE.toml"
    text = file.read_text()
    (line,) = [
        one for one in text.splitlines() if one.startswith("key") and "account.ana" in text.split(one)[0][-200:]
    ][:1]
    file.write_text(text.replace(line, f'key = "{key_hash("example")}"'))
    with pytest.raises(TacitError, match="everybody knows this key"):
        load_service(file)


def test_a_private_key_that_everybody_can_read_is_refused(tmp_path):
    people().write_parquet(tmp_path / "clinic.parquet")
    file = service_file(tmp_path, clinic=MODES["clinic"])
    file.write_text(
        file.read_text().replace("[service]", '[service]\ntls = { certificate = "c.pem", key = "k.pem" }', 1)
    )
    (tmp_path / "c.pem").write_text("")
    (tmp_path / "k.pem").write_text("")
    for mode, refused in ((0o644, True), (0o604, True), (0o640, False), (0o600, False)):
        (tmp_path / "k.pem").chmod(mode)
        if refused:
            with pytest.raises(TacitError, match="can be read by everybody"):
                load_service(file)
        else:
            load_service(file)


@pytest.mark.parametrize("way", ["hard link", "copy", "csv"])
def test_two_modes_over_the_same_values_are_refused_whatever_the_file(tmp_path, way):
    frame = people()
    frame.write_parquet(tmp_path / "clinic.parquet")
    if way == "hard link":
        os.link(tmp_path / "clinic.parquet", tmp_path / "register.parquet")
    elif way == "copy":
        shutil.copy(tmp_path / "clinic.parquet", tmp_path / "register.parquet")
    file = service_file(tmp_path, clinic=MODES["clinic"], register=MODES["register"])
    if way == "csv":
        frame.write_csv(tmp_path / "register.csv")
        file.write_text(file.read_text().replace("register.parquet", "register.csv"))
    with pytest.raises(TacitError, match="mixing modes"):
        open_desk(load_service(file))
    other = frame.with_columns(income=pl.col("income") + 1)  # other values are another table
    other.write_csv(tmp_path / "register.csv")
    file.write_text(file.read_text().replace("register.parquet", "register.csv"))
    open_desk(load_service(file)).close()


def test_a_new_ledger_is_announced(tmp_path, capsys):  # A17
    write_service(tmp_path / "demo")
    service = load_service(tmp_path / "demo" / "SERVICE.toml")
    _run_server(service, 0, check=True)
    assert "NEW, empty ledger" in capsys.readouterr().out
    desk = open_desk(service)
    desk.ledger.reopen("patients")
    desk.close()
    _run_server(service, 0, check=True)
    assert "NEW" not in capsys.readouterr().out
