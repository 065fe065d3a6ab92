"""Sentences of the library in everyday words: what a method or a measure says of itself, for who does not program."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from .texts import texts


def to_plain_language(sentence: str) -> str:
    """The sentence with the words of the page in the place of terms; not for sentences that name columns of the data.

    >>> to_plain_language("Every record shares its quasi-identifiers with at least k − 1 others.")
    'Every record shares what an intruder may know with at least k − 1 others.'
    """
    pattern, words = _term_pattern()
    return pattern.sub(lambda found: words[found[0]], sentence)


@cache
def _term_pattern() -> tuple[re.Pattern[str], dict[str, str]]:
    say: Any = texts().everyday
    words = dict(say.terms.mapping)
    longest = sorted(words, key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest))})\b"), words
