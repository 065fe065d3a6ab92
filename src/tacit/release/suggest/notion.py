"""What a column's name says: from the words in it to the notion it stands for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from ..engines.table import Type
from ..roles import Role

Confidence: TypeAlias = Literal["sure", "likely", "guess"]


@dataclass(frozen=True)
class Notion:
    """Something that columns are about, and the words that name it.

    ``words`` are lower case without accents; ``*`` stands for any letters, ``_`` joins words that follow each other
    (or are written as one). ``types`` are the column types that can hold it. ``safe_harbor`` is the letter of the
    identifier in 45 CFR 164.514(b)(2)(i) that it falls under.
    """

    title: str
    role: Role
    words: str
    confidence: Confidence = "likely"
    types: frozenset[Type] = frozenset({"integer", "number", "text", "date", "datetime", "boolean"})
    safe_harbor: str | None = None

    @cached_property
    def _word_pattern(self) -> re.Pattern[str]:
        entries = "|".join(word.replace("_", "_?").replace("*", "[a-z]*") for word in self.words.split())
        return re.compile(f"(?:^|_)(?:{entries})(?:_|$)")

    def is_named_by(self, words: Iterable[str], type: Type) -> bool:
        """Whether the words name it and a column of this type can hold it."""
        return type in self.types and self._word_pattern.search("_".join(words)) is not None


def words_of(name: str) -> list[str]:
    """The words of a column's name: parted at signs, digits and capitals, without accents and case.

    >>> words_of("dateOfBirth"), words_of("Straße_Nr"), words_of("HHSize2")
    (['date', 'of', 'birth'], ['strasse', 'nr'], ['hh', 'size'])
    """
    parted = re.sub(r"(?<=[a-zß-ÿ0-9])(?=[A-ZÀ-Þ])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    plain = "".join(letter for letter in unicodedata.normalize("NFKD", parted) if not unicodedata.combining(letter))
    return re.findall(r"[a-z]+", plain.casefold())


def first_match(notions: Iterable[Notion], name: str, type: Type) -> Notion | None:
    """The first notion that a name stands for, if any."""
    words = words_of(name)
    return next((notion for notion in notions if notion.is_named_by(words, type)), None)
