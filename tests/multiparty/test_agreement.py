"""The agreement file and the keys: what is wrong is told with its place, and secrets stay secret."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import TacitError
from tacit.multiparty.agreement.draft import draft_agreement
from tacit.multiparty.agreement.keys import card_text, load_secret, make_keys, write_secret
from tacit.multiparty.agreement.load import load_agreement, modulus_of
from tacit.multiparty.demo import DEMOS, HOSPITALS, prepare_demo
from tacit.multiparty.session import check_task, join
from tacit.multiparty.statistics.statistic import statistic_of

from .parties import ages, house


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    return prepare_demo("hospitals", tmp_path_factory.mktemp("party") / "new")


def changed(demo, tmp_path, *changes):
    text = demo.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path = tmp_path / "A.toml"
    path.write_text(text)
    return path


def test_the_digest_is_that_of_the_meaning_not_of_the_text(demo, tmp_path):
    loaded = load_agreement(demo)
    spaced = changed(demo, tmp_path, ("[session]", "# a comment\n\n[session]"))
    assert load_agreement(spaced).digest == loaded.digest
    for change in [("round_timeout = 20", "round_timeout = 21"), ("high = 120", "high = 121"), ('"south"', '"South"')]:
        assert load_agreement(changed(demo, tmp_path, change)).digest != loaded.digest


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('name = "south"', 'name = "north"', "two parties have 'north' as name"),
        ('name = "south"', 'name = "sou/th"', "'sou/th' cannot be a party's name"),
        ('modulus = "2^64"', 'modulus = "2**64"', "cannot be read"),
        ('modulus = "2^64"', "modulus = 1", "neither 2\\^64"),
        ("round_timeout = 20", "round_timeout = 0", "greater than 0"),
        ("round_timeout = 20", "", "session.round_timeout: is missing"),
        ("round_timeout = 20", "roundtimeout = 20", "session"),
        ("round_timeout = 20", "round_timeout = 20\nmodulo = 5", "session.modulo: is no key of an agreement"),
        ("[task]", "[[task]]", "task"),
        ("round_timeout = 20", f"round_timeout = {'9' * 5000}", "thousands of digits"),
        ("[session]", "[session", "not valid TOML"),
        ('certificate = "', 'certificate = "x', "cannot be read"),
        ('box_key = "', 'box_key = "x', "no key of 32 bytes"),
    ],
)
def test_a_mistake_in_the_file_is_told_with_its_place(demo, tmp_path, old, new, told):
    with pytest.raises(TacitError, match=told):
        load_agreement(changed(demo, tmp_path, (old, new)))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"additive_sum"', '"additive_summ"', "did you mean 'additive_sum'"),
        ('"additive_sum"', '"shamir_sum"', "prime modulus"),
        ('"semi-honest"', '"malicious"', "not ones that break it"),
        ('compute = "mean"', 'compute = "meen"', "did you mean 'mean'"),
        ("rows = 100000", "rows = 0", "rows=0"),
        ("rows = 100000", "", "rows=None"),
        ("age = { low = 0, high = 120 }", "age = { low = 0 }", "has no bounds"),
        ("age = { low = 0, high = 120 }", "age = { low = 120, high = 0 }", "no interval"),
        ("age = { low = 0, high = 120 }", "age = { low = 0, high = 120, decimals = 12 }", "decimals 12"),
        ("age = { low = 0, high = 120 }", "", "no column is agreed on"),
    ],
)
def test_an_impossible_task_is_told_before_anything_is_sent(demo, tmp_path, old, new, told):
    with pytest.raises(TacitError, match=told):
        check_task(load_agreement(changed(demo, tmp_path, (old, new))))


def test_files_that_are_none(tmp_path):
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    for name, told in [("none.toml", "there is no file"), ("bytes.toml", "cannot be read as text")]:
        with pytest.raises(TacitError, match=told):
            load_agreement(tmp_path / name)


def test_secret_keys_are_for_their_owner_alone_and_never_shown(tmp_path):
    secret, member = make_keys("north", host="h", port=1)
    path = tmp_path / "north.secret.toml"
    write_secret(secret, path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert load_secret(path) == secret
    assert secret.box not in repr(secret) and "PRIVATE" not in repr(secret)
    assert secret.box not in card_text(member) and secret.sign not in card_text(member)
    with pytest.raises(TacitError, match="exists already"):
        write_secret(secret, path)
    path.chmod(0o644)
    with pytest.raises(TacitError, match="others can read"):
        load_secret(path)
    with pytest.raises(TacitError, match="no file of secret keys"):
        load_secret(tmp_path / "none")


@pytest.mark.parametrize("key", ["box", "sign", "tls_key", "certificate"])
def test_a_secret_file_with_one_wrong_key_is_told_before_anybody_is_called(tmp_path, key):
    agreement, secrets = house("AB")
    other, _ = make_keys("A", host="h", port=1)
    for number, wrong in enumerate(("zz", 5, "", "-----BEGIN NOTHING-----")):
        path = tmp_path / f"{number}.toml"
        write_secret(replace(secrets["A"], **{key: wrong}), path)
        with pytest.raises(TacitError, match="no file of secret keys"):
            load_secret(path)
    with pytest.raises(TacitError, match="other keys for 'A'"):
        join(agreement, replace(secrets["A"], **{key: getattr(other, key)}), ages("A"), accept_output_disclosure=True)


@pytest.mark.parametrize("name", ["", "../evil", "a/b", "a*b", ".hidden", "n" * 61])
def test_a_name_that_no_file_could_have_gets_no_keys(name):
    with pytest.raises(TacitError, match="cannot be a party's name|at most 60"):
        make_keys(name, host="h", port=1)


@given(st.integers(2, 2**63))
def test_a_modulus_is_read_as_it_is_written(number):
    assert modulus_of(number) == number


COLUMN = {"low": -100, "high": 100, "decimals": 2, "round": True}
ROWS = st.lists(st.tuples(*[st.floats(-100, 100)] * 2), min_size=0, max_size=12)


@given(st.lists(ROWS, min_size=1, max_size=4))
def test_figures_are_those_of_the_pooled_data(parts):  # catalogue: I-06
    """Against Polars over all rows at once, values rounded to the agreed decimals."""
    frames = [pl.DataFrame(part, schema={"x": pl.Float64, "y": pl.Float64}, orient="row") for part in parts]
    pooled = pl.concat(frames).select(pl.all().mul(100).round(mode="half_to_even") / 100)
    task = {"rows": 12, "columns": {"x": COLUMN, "y": COLUMN}}
    found = {}
    for compute in ("count", "sum", "mean", "covariance", "histogram"):
        statistic = statistic_of({"compute": compute, "bins": 4, **task})
        counted = [statistic.numbers(frame) for frame in frames]
        sums = [sum(column) for column in zip(*counted, strict=True)]
        statistic.check_sums(sums, len(frames))
        assert max(map(abs, sums)) <= statistic.max_sum(len(frames)) and len(sums) == statistic.length
        found |= statistic.figures(sums)
    assert found["rows"] == pooled.height
    assert found["sum"] == pytest.approx(pooled.sum().row(0, named=True), abs=1e-9)
    assert sum(found["histogram"]["x"]) == pooled.height
    assert found["histogram"]["y"][0] == pooled.filter(pl.col("y") < -50).height
    if pooled.height == 0:
        assert found["mean"] == {"x": None, "y": None}
    if pooled.height > 1:
        assert found["mean"]["x"] == pytest.approx(pooled["x"].mean(), abs=1e-9)
        assert found["variance"]["y"] == pytest.approx(pooled["y"].var(), abs=1e-7)
        assert found["covariance"]["x, y"] == pytest.approx(pooled.select(pl.cov("x", "y")).item(), abs=1e-7)


def test_the_demos_can_all_be_run(tmp_path):
    for name in DEMOS:
        loaded = load_agreement(prepare_demo(name, tmp_path / name))
        assert check_task(loaded) and loaded.names == HOSPITALS
    with pytest.raises(TacitError, match="not empty"):
        prepare_demo("ring", tmp_path / "ring")
    with pytest.raises(TacitError, match="did you mean 'hospitals'"):
        prepare_demo("hospital", tmp_path / "x")


def test_cards_make_an_agreement_that_can_be_run(tmp_path):
    paths = []
    for place, name in enumerate(("north", "south", "east")):
        _, member = make_keys(name, host="127.0.0.1", port=9400 + place)
        paths.append(tmp_path / f"{name}.card.toml")
        paths[-1].write_text(card_text(member))
    path = tmp_path / "AGREEMENT.toml"
    path.write_text(draft_agreement(paths))
    assert check_task(load_agreement(path)) and load_agreement(path).names == ("north", "south", "east")
    paths[1].write_text(paths[1].read_text().replace("9401", "9400"))
    with pytest.raises(TacitError, match="have '127.0.0.1:9400' as address\n.*--port"):
        draft_agreement(paths)
    with pytest.raises(TacitError, match="two parties have 'north' as name"):
        draft_agreement([paths[0], paths[0]])
    with pytest.raises(TacitError, match="no card of a party"):
        draft_agreement([paths[0], path.with_name("none")])
    with pytest.raises(TacitError, match="between two parties or more"):
        draft_agreement(paths[:1])


def test_an_agreement_without_a_party_of_that_name(demo):
    loaded = load_agreement(demo)
    with pytest.raises(TacitError, match="did you mean 'north'"):
        loaded.member("nort")
    assert replace(loaded, modulus=2**63).digest != loaded.digest
