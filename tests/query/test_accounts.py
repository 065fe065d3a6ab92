"""Keys are random, kept as hashes, and told to nobody (catalogue: H-07)."""

from __future__ import annotations

import hashlib

import pytest

from tacit.query.account import Account, account_of, is_key_hash, key_hash, new_key
from tacit.query.refusal import Refusal


def test_a_key_has_256_bits_and_no_two_are_alike():
    keys = {new_key() for _ in range(100)}
    assert len(keys) == 100 and all(len(key) == 43 for key in keys)


def test_the_hash_is_that_of_the_standard_library():
    assert key_hash("abc") == "sha256:" + hashlib.sha256(b"abc").hexdigest() and is_key_hash(key_hash("abc"))
    for text in ("abc", "sha256:12", key_hash("abc").upper(), key_hash("abc") + "\n"):
        assert not is_key_hash(text)


@pytest.mark.parametrize("given", [None, "", "wrong", "\ud800", "é" * 10_000, "sha256:" + "0" * 64])
def test_an_account_is_found_by_its_key_alone(given):
    key = new_key()
    accounts = [
        Account(name=name, role="analyst", key=key_hash(one)) for name, one in (("ana", key), ("ben", new_key()))
    ]
    assert account_of(key, accounts).name == "ana"
    with pytest.raises(Refusal) as caught:
        account_of(given, accounts)
    assert caught.value.code == "bad_key"
    assert not given or given not in str(caught.value)
    assert accounts[0].key not in repr(accounts[0]), "not even the hash is shown"


def test_the_hash_of_a_key_is_no_key():
    account = Account(name="ana", role="analyst", key=key_hash("secret"))
    with pytest.raises(Refusal):
        account_of(account.key, [account])


def test_what_each_role_may_do():
    allowed = {role: (account.may_ask, account.sees_all) for role in ("owner", "analyst", "auditor")
               if (account := Account(name="x", role=role, key=""))}  # fmt: skip
    assert allowed == {"owner": (True, True), "analyst": (True, False), "auditor": (False, True)}
