"""A column read once: what its name or label says, and what its values are like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import narwhals as nw

from .nearly_unique import number_tests
from .notion import Notion, first_match, words_of
from .person_names import name_tests
from .profile import Profile, profile_column
from .shapes import CONTACTS, MANY_WORDS, SEVERAL_WORDS, contact_expression, shape_expressions, words_at_least
from .words import BODY, NOTIONS, REMARKS, WEIGHT

if TYPE_CHECKING:
    from ..release import Release


FREE_TEXT = "free text may contain names: read it or drop it"
FEW_PER_CODE = 0.1
"""Codes recur: a column of them has at most so many different values per record."""
SOME = 0.01
"""From this share of texts with a telephone number or an address in them, a column is free text."""
JUST_NAME = [[word] for word in ("name", "names", "namen", "nom", "nome", "nombre", "naam")]
PHRASES = 0.05
"""From this share of phrases that no other record has, a column is free text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnEvidence:
    """``by_label`` says that the label of the column named the notion, because its name did not."""

    profile: Profile
    notion: Notion | None
    by_label: bool = False

    @property
    def name_reasons(self) -> tuple[str, ...]:
        """What the name or label says, as a reason; nothing when it names no notion, or only that there are remarks."""
        if self.notion is None or self.notion is REMARKS:
            return ()
        return (f"{'labelled' if self.by_label else 'named'} like {self.notion.title}",)

    @property
    def just_name(self) -> bool:
        """Whether the column is called name, and not the name of something."""
        return words_of(self.profile.column) in JUST_NAME

    @property
    def nameless_category(self) -> bool:
        """Whether the name says nothing and the values are no amounts: whole numbers that recur may be codes."""
        amounts = self.profile.type == "integer" and self.profile.distinct_share > FEW_PER_CODE
        return self.notion is None and self.profile.type != "number" and not amounts

    @property
    def is_free_text(self) -> bool:
        """Whether people wrote what they liked: phrases of six words, of three in a column named like remarks."""
        words = SEVERAL_WORDS if self.notion is REMARKS else MANY_WORDS
        return self.profile.share(_word_test_name(words)) >= PHRASES or self.has_contacts

    @property
    def has_contacts(self) -> bool:
        """Whether telephone numbers, addresses or the like stand in some of the texts."""
        return self.profile.share(CONTACTS) >= SOME


def read_column(release: Release, column: str, tests: Mapping[str, nw.Expr] | None = None) -> ColumnEvidence:
    """The name and the values of a column; ``tests`` are run on the values beside those of the shapes."""
    notion, by_label = notion_of(release, column)
    asked = {
        **shape_expressions(release.types[column]),
        **_phrase_tests(release, column),
        **number_tests(release.types[column]),
    }
    names = name_tests() if release.types[column] == "text" else {}
    asked |= {**names, **(tests or {})}
    return ColumnEvidence(
        profile=profile_column(release, column, asked, different=names), notion=notion, by_label=by_label
    )


def notion_of(release: Release, column: str) -> tuple[Notion | None, bool]:
    """The notion that a column's name stands for, else that of its label; and whether it was the label."""
    named = first_match(NOTIONS, column, release.types[column])
    labelled = first_match(NOTIONS, release.labels.get(column, ""), release.types[column])
    if named is WEIGHT and labelled is BODY:
        return labelled, True
    if named is not None:
        return named, False
    return labelled, labelled is not None


def free_text(release: Release) -> tuple[str, ...]:
    """The columns of free text that would leave with the release, in which anything may stand, names too.

    Free text is a column in which at least 5 % of the values are phrases that no other record has: of six words, or
    of three where the name says remarks, or 1 % hold a telephone number or an address. Identifiers are left out, because they are dropped. One group-by per column
    of text, on any engine.

    >>> import polars as pl
    >>> from tacit import Release
    >>> notes = ["saw her with her son Tim at noon", "no change since the visit of last May"]
    >>> free_text(Release(pl.DataFrame({"note": notes, "sex": ["f", "m"]})))
    ('note',)
    """
    asked = [name for name in release.columns if release.types[name] == "text" and release.roles[name] != "identifier"]
    return tuple(name for name in asked if _reading_of_words(release, name).is_free_text)


def _reading_of_words(release: Release, column: str) -> ColumnEvidence:
    return ColumnEvidence(
        profile=profile_column(release, column, _phrase_tests(release, column)), notion=notion_of(release, column)[0]
    )


def _phrase_tests(release: Release, column: str) -> dict[str, nw.Expr]:
    if release.types[column] != "text":
        return {}
    phrases = {_word_test_name(count): words_at_least(count) for count in (SEVERAL_WORDS, MANY_WORDS)}
    return {**phrases, CONTACTS: contact_expression()}


def _word_test_name(count: int) -> str:
    return f"{count} words"
