import hashlib
import hmac
from datetime import date

import duckdb
import polars as pl
import pytest

from tacit import Release, TacitError
from tacit.protect import DropIdentifiers, Pseudonymise, to_json

KEY = "correct horse battery staple"
FRAME = pl.DataFrame({"name": ["Ada Lovelace", None, "Alan Turing", "Ada Lovelace"], "zip": ["1", "2", "1", "2"]})


@pytest.fixture
def release():
    return Release(FRAME, identifier="name", quasi="zip")


def pseudonyms(values, monkeypatch, key=KEY, door=lambda frame: frame):
    monkeypatch.setenv("TACIT_KEY", key)
    release = Release(door(pl.DataFrame({"id": values})), identifier="id")
    return release.protect(Pseudonymise(columns="id")).release.series("id").to_list()


def test_identifiers_are_dropped(release):  # catalogue: A-01
    masked = release.protect(DropIdentifiers())
    assert masked.release.columns == ("zip",) and masked.release.quasi == ("zip",)
    assert masked.trace[0].outcome["dropped"].value == ["name"]
    assert masked.then(DropIdentifiers()).release.columns == ("zip",)
    with pytest.raises(TacitError, match="all columns are identifiers"):
        Release(FRAME, identifier=["name", "zip"]).protect(DropIdentifiers())


def test_pseudonyms_are_hmac_sha256(monkeypatch):  # catalogue: A-01
    expected = hmac.new(KEY.encode(), b"Ada Lovelace", hashlib.sha256).hexdigest()[:32]
    assert pseudonyms(["Ada Lovelace", None], monkeypatch) == [expected, None]


@pytest.mark.parametrize("door", [lambda frame: frame, lambda frame: duckdb.from_arrow(frame.to_arrow())])
def test_pseudonyms_hide_names_and_keep_who_is_who(release, monkeypatch, door):  # catalogue: A-01
    monkeypatch.setenv("TACIT_KEY", KEY)
    masked = Release(door(FRAME), identifier="name", quasi="zip").protect(Pseudonymise(columns="name"))
    new = masked.release.series("name").to_list()
    assert new[0] == new[3] != new[2] and new[1] is None
    assert all(len(text) == 32 and int(text, 16) >= 0 for text in new if text)
    assert masked.release.roles == {"name": "unrestricted", "zip": "quasi"}
    shown = (
        str(masked.release.to_native()) + str(masked.trace) + str(to_json(Pseudonymise(columns="name"))) + repr(masked)
    )
    assert not any(word in shown for word in ("Ada", "Turing", "horse"))


def test_one_key_gives_one_pseudonym_across_files_and_types(monkeypatch):
    whole = pseudonyms([7, 12], monkeypatch)
    assert pseudonyms(["7", "12"], monkeypatch) == whole
    assert pseudonyms([7.0, None, 12.0], monkeypatch) == [whole[0], None, whole[1]]
    assert pseudonyms([date(2000, 1, 2)], monkeypatch) == pseudonyms(["2000-01-02"], monkeypatch)
    assert pseudonyms([7, 12], monkeypatch, key="another key, long enough") != whole


def test_the_key_comes_from_a_file_or_the_environment(release, monkeypatch, tmp_path):
    file = tmp_path / "secret.key"
    file.write_text(KEY + "\n")
    monkeypatch.setenv("CLINIC_KEY", KEY)
    by_file = release.protect(Pseudonymise(columns="name", key_file=str(file)))
    by_env = release.protect(Pseudonymise(columns="name", key_env="CLINIC_KEY"))
    assert by_file.release.to_native().equals(by_env.release.to_native())
    assert Pseudonymise(columns="name", key_file=file) == Pseudonymise(columns="name", key_file=str(file))


def test_bad_keys_are_refused_without_showing_them(release, monkeypatch, tmp_path):
    monkeypatch.delenv("TACIT_KEY", raising=False)
    with pytest.raises(TacitError, match="no key under 'TACIT_KEY'"):
        release.protect(Pseudonymise(columns="name"))
    monkeypatch.setenv("TACIT_KEY", "fifteen bytes..")
    with pytest.raises(TacitError, match="holds 15 bytes") as caught:
        release.protect(Pseudonymise(columns="name"))
    assert "fifteen" not in str(caught.value)
    with pytest.raises(TacitError, match="cannot be read"):
        release.protect(Pseudonymise(columns="name", key_file=str(tmp_path / "none.key")))
    with pytest.raises(TacitError, match="key_env"):
        Pseudonymise(columns="name", key_env="")
    with pytest.raises(TacitError, match="key_file"):
        Pseudonymise(columns="name", key_file=b"secret")


def test_other_roles_are_kept(monkeypatch):
    monkeypatch.setenv("TACIT_KEY", KEY)
    release = Release(pl.DataFrame({"hh": [1, 1, 2]}), household="hh").protect(Pseudonymise(columns="hh")).release
    assert release.household == "hh"
