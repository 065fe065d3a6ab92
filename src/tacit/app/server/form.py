"""The form in the body of a request."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

from starlette.requests import Request

from ...errors import TacitError
from ..clicks import in_clicks
from ..edits.form import Form
from ..forms import Mistakes
from ..texts import texts

__all__ = ["beside_fields", "form_of"]

LARGEST = 4_000_000
"""Bytes of a form: a hierarchy with every value written out is the largest of them."""


FIELDS = 100_000
"""Fields of a form: many times the largest, and no more than can be taken apart in an instant."""


async def form_of(request: Request) -> Form:
    """The form in the body of a request; an error for one that no page of ours sends."""
    too_large = TacitError("the form is too large", fix="put such a list into a file and name the file")
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > LARGEST:
            raise too_large
    try:
        return Form(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=FIELDS))
    except ValueError:
        raise too_large from None


def beside_fields(mistakes: Mistakes) -> dict[str, str]:
    """What is wrong with each field, as it stands beside it; under no name what is wrong with the whole form."""
    return {name: _beside(name, one) for name, one in mistakes.problems.items()}


def _beside(name: str, problem: TacitError) -> str:
    """What is wrong with a field: its name stands above it, and need not be typed."""
    column = f"column {problem.column!r} " if problem.column is not None else ""
    told = in_clicks(f"{column}{problem.what}", problem.fix)
    what, fix = (re.sub(rf"(^|e\.g\. ){re.escape(name)}=(?=\S)", r"\1", one) for one in (told.what, told.fix))
    return f"{what}. {texts().frame.fix} {fix}"
