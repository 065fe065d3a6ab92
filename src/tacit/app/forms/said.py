"""What a docstring says of a parameter, in one plain sentence."""

from __future__ import annotations

import inspect
import re

__all__ = ["sentence_about"]

ENDS = re.compile(r"\n\s*(?:References\n|>>> |Examples?\n)")
MATHS = re.compile(r"\n\s*\.\. math::.*?(?=\n\s*\n|\Z)", re.DOTALL)
PIECES = re.compile(r"(?:^|\n\s*\n|\n)\s*[*-] |\n\s*\n")
SENTENCES = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?:\*\*)?\s+(?=[A-Z`(\"])")
CLAUSES = re.compile(r";\s+")
SEE = re.compile(r"\s*\((?:see )?:\w+:`[^`]*`\)")
ROLE = re.compile(r":\w+:`~?(?:[\w.]*\.)?([^`]*)`")
IDS = re.compile(r"(?:, )?\b[A-Z]-\d\d\b")
LONG = 140
"""Letters beyond which the part of a sentence that begins with the parameter is enough."""
LONGEST = 300
"""Letters beyond which a sentence helps nobody who fills in a form."""
SHORT = 5
"""Words below which a sentence is a heading."""


def sentence_about(name: str, docstring: str | None) -> str:
    """The sentence that begins with the parameter, or the first that mentions it; none whose formula would not read.

    >>> sentence_about("k", "Groups of ``k`` like records (E-02). ``k`` is 3 or more; see :class:`~tacit.protect.Mdav`.")
    'k is 3 or more; see Mdav.'
    >>> sentence_about("q", "Nothing about it.")
    ''
    """
    mention = re.compile(rf"``{re.escape(name)}(?:``|\s?=)")
    whole = MATHS.sub("", ENDS.split(inspect.cleandoc(docstring or ""), maxsplit=1)[0])
    every = (" ".join(one.split()) for piece in PIECES.split(whole) for one in SENTENCES.split(piece))
    found = [_shorter(sentence, mention) for sentence in every if mention.search(sentence)]
    readable = map(_plain, sorted(found, key=lambda one: not mention.match(one)))
    return next((one for one in readable if one), "")


def _shorter(sentence: str, mention: re.Pattern[str]) -> str:
    clauses = [clause for clause in CLAUSES.split(sentence) if mention.match(clause)]
    return clauses[0] if clauses and len(sentence) > LONG else sentence


def _plain(sentence: str) -> str:
    """The sentence without mark-up; nothing when it is a heading, a formula, or about time and memory."""
    text = ROLE.sub(r"\1", SEE.sub("", sentence))
    if "\\" in text or "O(" in text or len(text.split()) < SHORT or len(text) > LONGEST:
        return ""
    plain = IDS.sub("", text).replace(" ()", "").replace("``", "").replace("**", "").strip(" :,;")
    return plain if plain.endswith((".", ")", "?")) else f"{plain}."
