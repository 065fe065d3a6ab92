"""Prefixes of IP addresses and of codes: the networks are those of Python's ipaddress, on every engine."""

from __future__ import annotations

from ipaddress import ip_network

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.lazily import relation

from tacit import Release, TacitError
from tacit.protect import Generalise
from tacit.release.hierarchy import hierarchy
from tacit.risk import k_anonymity


def shown(values: list[str | None], bits: list[int], level: int, *, lazily: bool = False) -> list[str | None]:
    frame = pl.DataFrame({"ip": values}, schema={"ip": pl.String})
    release = Release(relation(frame) if lazily else frame, quasi="ip", hierarchies={"ip": {"ip": bits}})
    return release.protect(Generalise(levels={"ip": level})).release.series("ip").to_list()


V4, V6 = st.ip_addresses(v=4).map(str), st.ip_addresses(v=6)


@pytest.mark.parametrize("lazily", [False, True])
@given(values=st.lists(V4, min_size=1, max_size=20), bits=st.integers(8, 31))
def test_networks_of_ipv4(lazily, values, bits):
    # catalogue: E-12
    expected = [str(ip_network(f"{value}/{bits}", strict=False)[0]) for value in values]
    assert shown([*values, None], [bits], 1, lazily=lazily) == [*expected, None]


@given(values=st.lists(V6, min_size=1, max_size=20), bits=st.integers(32, 127), long=st.booleans())
def test_networks_of_ipv6_however_they_are_written(values, bits, long):
    written = [value.exploded.upper() if long else str(value) for value in values]
    expected = [str(ip_network(f"{value}/{bits}", strict=False)[0]) for value in values]
    assert shown([*written, None], [bits, 8], 1) == [*expected, None]


def test_the_worked_example_in_bits_and_in_parts():
    # catalogue: E-12: 172.169.2.132 → 172.169.0.0; five rows in classes of 3 and 2, so k = 2
    values = ["172.169.2.132", "172.169.7.1", "172.169.200.9", "10.20.3.4", "10.20.30.40"]
    for given_bits in ([24, 16, 8], [3, 2, 1]):
        kept = shown(values, given_bits, 2)
        assert kept == ["172.169.0.0"] * 3 + ["10.20.0.0"] * 2
        assert k_anonymity(Release(pl.DataFrame({"ip": kept}), quasi="ip")).value == 2
    assert hierarchy({"ip": [3, 2]}) == hierarchy({"ip": [24, 16]})
    assert hierarchy(hierarchy({"ip": [20, 12]}).spec()) == hierarchy({"ip": [20, 12]})
    assert shown(values, [20], 1)[2] == "172.169.192.0"
    assert shown(["2001:db8:1::7"], [64, 48, 32], 3, lazily=True) == ["2001:db8::"]


@pytest.mark.parametrize("odd", ["256.1.1.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "::1", "house", "1.2.3.4 "])
def test_what_is_no_address_is_refused_with_its_row(odd):
    with pytest.raises(TacitError, match="has 1 value that its hierarchy lacks, the first in row 2\n") as caught:
        shown(["10.0.0.1", odd], [16], 1)
    assert odd not in str(caught.value)
    if ":" not in odd:
        with pytest.raises(TacitError, match="has 1 different values that are no IPv6 addresses"):
            shown(["::1", odd], [48], 1)


@pytest.mark.parametrize("bits", [[16, 24], [4, 2], [24, 7], [], [128], [24, 2]])
def test_bits_that_make_no_ladder_are_refused(bits):
    with pytest.raises(TacitError, match="do not fall"):
        hierarchy({"ip": bits})


def test_a_prefix_as_long_as_every_code_is_refused():
    """Such a level would be called generalised and hide nothing."""
    codes = pl.DataFrame({"zip": ["N1CFFA", "N1CAAB", "N1C", None]})
    for given_frame in (codes, relation(codes)):
        release = Release(given_frame, quasi="zip", hierarchies={"zip": {"prefix": [9, 7, 6, 5, 3]}})
        for level in (1, 2):
            with pytest.raises(TacitError, match=r"at most 6 characters, of which a prefix of . hides nothing"):
                release.protect(Generalise(levels={"zip": level}))
        kept = release.protect(Generalise(levels={"zip": 4})).release.series("zip").to_list()
        assert kept == ["N1C******"] * 3 + [None]
    empty = Release(pl.DataFrame({"zip": [None]}, schema={"zip": pl.String}), hierarchies={"zip": {"prefix": [6, 3]}})
    assert empty.protect(Generalise(levels={"zip": 1})).to_native()["zip"].to_list() == [None]


@pytest.mark.parametrize("lazily", [False, True])
def test_digits_of_other_scripts_make_no_address(lazily):
    with pytest.raises(TacitError, match="column 'ip'") as told:
        shown(["1.2.3.4", "17\u0662.16.2.132"], [20], 1, lazily=lazily)
    assert "16.2" not in str(told.value)
