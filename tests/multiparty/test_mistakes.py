"""Mistakes at the command line: told with the party, what was typed and the remedy; nothing is shown and nothing half-written (I-07)."""

from __future__ import annotations

import subprocess
import sys
import threading

import polars as pl
import pytest
from typer.testing import CliRunner

from tacit import TacitError
from tacit.cli.app import app
from tacit.multiparty import join
from tacit.multiparty.faults import MissingParty
from tacit.multiparty.wire import mesh

from .parties import ages, house
from .processes import written


@pytest.fixture(scope="module")
def agreed(tmp_path_factory):
    agreement, secrets = house("ABC", connect_timeout=0.2)
    return written(tmp_path_factory.mktemp("party"), agreement, secrets)


def told(agreed, *words):
    """The error that ``tacit party join`` ends with."""
    found = CliRunner().invoke(app, ["party", "join", *map(str, words)])
    assert isinstance(found.exception, TacitError), found.exception
    assert not list(agreed.parent.glob("*.json")) and not list(agreed.parent.glob(".*"))
    return str(found.exception)


FILES = {
    "text": ("age\nelderly\n", "party 'A': column 'age' holds no numbers"),
    "missing": ("age,x\n30,1\n,2\n", "party 'A': column 'age' has a missing value in row 2"),
    "beyond": ("age\n30\n277\n", "party 'A': column 'age' has a value beyond the agreed bounds in row 2"),
    "header": ("age\n", "party 'A': the file has no rows"),
    "nothing": ("", "the file is empty"),
    "other column": ("agee\n3\n", "did you mean 'agee'"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_does_not_suit_is_told_with_the_party_and_without_its_cells(name, agreed, tmp_path):
    text, said = FILES[name]
    data = tmp_path / "a.csv"
    data.write_text(text)
    error = told(agreed, agreed, "--as", "A", "--data", data, "--out", agreed.parent / "A.json")
    assert said in error and "party 'A'" in error and "fix:" in error
    assert "elderly" not in error and "277" not in error


def test_what_was_typed_is_told(agreed, tmp_path):
    data = agreed.parent / "A.csv"
    assert "did you mean 'A'" in told(agreed, agreed, "--as", "a", "--data", data)
    assert "party 'A', " in (error := told(agreed, agreed, "--as", "A", "--data", tmp_path / "none.csv"))
    assert "none.csv" in error
    wrong = told(agreed, agreed, "--as", "A", "--data", data, "--secret", agreed.parent / "B.secret.toml")
    assert "keys of 'B', not of 'A'" in wrong
    assert "does not exist" in told(agreed, agreed, "--as", "A", "--data", data, "--out", tmp_path / "none" / "A.json")
    for listen in ("127.0.0.1:99999", "nosuch.invalid"):
        assert f"cannot listen on {listen}" in told(agreed, agreed, "--as", "A", "--data", data, "--listen", listen)


def test_a_party_may_bring_several_files_of_one_form(agreed, tmp_path):
    """Two files of one form get as far as the others, who are missing; of another form they do not."""
    more, other = tmp_path / "more.csv", tmp_path / "other.csv"
    pl.DataFrame({"age": [7]}).write_csv(more)
    pl.DataFrame({"age": [7.5]}).write_csv(other)
    data = agreed.parent / "A.csv"
    assert "party 'B' was not there" in told(agreed, agreed, "--as", "A", "--data", data, "--data", more)
    error = told(agreed, agreed, "--as", "A", "--data", data, "--data", other)
    assert "party 'A'" in error and "other.csv' has other columns" in error


def test_a_resolver_without_an_answer_holds_up_no_deadline(monkeypatch):
    agreement, secrets = house("AB", connect_timeout=0.5)
    over = threading.Event()

    def asked(*_, **__):
        over.wait(90)
        raise OSError

    monkeypatch.setattr(mesh.socket, "getaddrinfo", asked)
    with pytest.raises(MissingParty, match="party 'A' was not there"):
        join(agreement, secrets["B"], ages("B"), accept_output_disclosure=True, listen="127.0.0.1")
    assert not over.is_set()
    over.set()


PLANTED = """
import socket
import tacit.multiparty.session as joining

def joined(*_, **__):
    here, there = socket.socketpair()
    there.close()
    try:
        here.send(b"x")
    except BrokenPipeError:
        raise SystemExit(77)

joining.join = joined
from tacit.cli import main
main()
"""


def test_a_peer_that_went_away_does_not_end_the_process(agreed):
    """Commands end with the pipe that they write to; a session must not, or nobody would be named."""
    words = ["party", "join", agreed, "--as", "A", "--data", agreed.parent / "A.csv"]
    done = subprocess.run([sys.executable, "-c", PLANTED, *map(str, words)], capture_output=True, check=False)
    assert done.returncode == 77, done


def commanded(*words):
    """The error that a command of ``tacit party`` ends with."""
    found = CliRunner().invoke(app, ["party", *map(str, words)])
    assert isinstance(found.exception, TacitError), found.exception
    return str(found.exception)


def test_places_that_cannot_be_written_are_told_and_nothing_is_left(agreed, tmp_path):
    cards = [tmp_path / f"{name}.card.toml" for name in ("north", "south")]
    for card, port in zip(cards, (9400, 9401), strict=True):
        words = ["party", "keys", card.name.removesuffix(".card.toml"), "--port", str(port), "--out", str(tmp_path)]
        assert CliRunner().invoke(app, words).exit_code == 0
    before = sorted(tmp_path.iterdir())
    assert "exists already" in commanded("keys", "north", "--out", tmp_path)
    assert "does not exist" in commanded("keys", "north", "--out", tmp_path / "none")
    assert "does not exist" in commanded("agree", *cards, "--out", tmp_path / "none" / "A.toml")
    assert "cannot be a party's name" in commanded("keys", "../evil", "--out", tmp_path)
    assert sorted(tmp_path.iterdir()) == before
    both = agreed.parent / "both.json"
    words = ("--as", "A", "--data", agreed.parent / "A.csv", "--out", both, "--transcript", both)
    assert "are both" in told(agreed, agreed, *words)
