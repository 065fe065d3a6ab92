"""Remarks in which people stand: found by telephone numbers and addresses in the texts, whatever the column's name."""

from __future__ import annotations

import polars as pl
import pytest

from tacit import Release, suggest
from tacit.release.suggest import free_text

PLAIN = ["comes again", "no change", "referred"] * 40


@pytest.mark.parametrize(
    "contact", ["call Tim 0664 1234567", "wrote to tim.huber@example.org today", "see www.huber.example/tim soon"]
)
@pytest.mark.parametrize("name", ["comment", "v17"])
def test_a_few_contacts_among_plain_remarks_are_enough(contact, name):
    # catalogue: A-03
    frame = pl.DataFrame({name: [*PLAIN, contact, contact], "sex": ["f", "m"] * 61})
    found = suggest(Release(frame))[name]
    assert found.role == "identifier"
    assert "telephone numbers or addresses" in found.reasons[-1]
    assert found.warning
    assert free_text(Release(frame)) == (name,)


def test_plain_remarks_that_recur_are_categories():
    frame = pl.DataFrame({"comment": PLAIN, "sex": ["f", "m"] * 60})
    assert free_text(Release(frame)) == ()


def test_whole_number_postcodes_get_prefixes_and_thousands_are_noticed():
    frame = pl.DataFrame(
        {"postcode": [1010 + 7 * i for i in range(100)], "income": [f"{i + 1}.{100 + i},45" for i in range(100)]}
    )
    found = suggest(Release(frame))
    assert found["postcode"].hierarchy == {"prefix": [4, 2, 1]}
    assert "thousands" in found["income"].warning
