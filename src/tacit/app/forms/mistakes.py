"""All that is wrong with what was typed into a form, each beside its field."""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import TacitError

__all__ = ["Mistakes"]


class Mistakes(TacitError):
    """One error for the whole form; ``problems`` has that of each parameter."""

    problems: Mapping[str, TacitError] = {}

    @staticmethod
    def of(problems: Mapping[str, TacitError]) -> Mistakes:
        """The mistakes as one error, in the order of the fields.

        >>> wrong = TacitError("'x' is not a number", fix="write digits", where="k")
        >>> print(Mistakes.of({"k": wrong}))
        k: 'x' is not a number
          fix: write digits
        """
        every = list(problems.values())
        told = "; ".join(one.told for one in every)
        found = Mistakes(told, fix="; ".join(dict.fromkeys(one.fix for one in every)))
        found.problems = dict(problems)
        return found
