"""A refusal is an answer: a code for programs, a sentence and a hint for people, and nothing about the data.

Every refusal is decided from the question, the declarations of the owner, earlier questions and the ledger alone; the
true answer is never looked at (Kenthapadi, Mishra and Nissim 2005, Simulatable auditing).
"""

from __future__ import annotations

from typing import Any, Literal

from ..errors import TacitError

Code = Literal[
    "bad_request",  # the request itself: no JSON, wrong types, a number that is none
    "bad_key",  # no key, or one that nobody has
    "not_allowed",  # a role, project or data set that this account does not have
    "unknown_dataset",
    "unknown_column",
    "unsupported_sql",  # no SELECT of the allowed form; the token is named
    "undeclared_bounds",  # a sum over a column whose bounds the owner did not declare
    "unknown_value",  # a value outside the declared list or bounds
    "too_complex",  # a condition or a number of groups above the limit
    "too_large",  # a body above the limit
    "budget",  # data set, project or account has not enough left
    "small_set",  # exact answers: fewer units than the least, or all but fewer
    "overlap",  # exact answers: too many units in common with an earlier question
    "would_disclose",  # exact answers: together with earlier ones it determines somebody's value
    "mode",  # this aggregate is not offered in the mode of the data set
    "time_out",  # the engine took longer than the limit; charged
    "failed",  # the engine failed; charged
    "closed",  # the data set answers nothing new after failures of its engine, until its owner reopens it; not charged
    "busy",  # too many questions at once, or the ledger cannot be written; not charged
]


class Refusal(TacitError):
    """A question that is not answered: ``code``, the sentence (``what``) and the hint (``fix``).

    >>> print(Refusal("budget", "the data set has ε = 0.2 left and this costs ε = 0.5", fix="ask for less"))
    the data set has ε = 0.2 left and this costs ε = 0.5
      fix: ask for less
    """

    code: Code

    def __init__(self, code: Code, what: str, *, fix: str, column: str | None = None, where: str | None = None) -> None:
        super().__init__(what, code=code, fix=fix, column=column, where=where)

    def as_json(self) -> dict[str, Any]:
        """Code, sentence and hint."""
        subject = f"column {self.column!r} " if self.column is not None else ""
        return {"code": self.code, "sentence": subject + self.what, "hint": self.fix}
