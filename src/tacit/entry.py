"""What a folder's ``ALL`` says of each measure, model, method and attack: how to call it and where it stands.

The tags say what a notion is about (identity or attribute disclosure), of which kind it is (Boolean model or measurable
risk), whose privacy it concerns, what drives it, whether it is a property of the data or of the mechanism, and whether
it is shown or proven.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from typing import Any, Literal

from .errors import TacitError, nearest_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Tags:
    """Where a notion stands."""

    about: Literal[
        "identity",
        "attribute",
        "identity and attribute",
        "membership",
        "copies",
        "linkability",
        "singling out",
        "utility",
    ]
    kind: Literal["measure", "model", "method", "attack"]
    whose: Literal["respondent", "owner", "user"] = "respondent"
    driven: Literal["data", "computation", "result"] = "data"
    form: Literal["syntactic", "semantic"] = "syntactic"
    shown: Literal["empirically", "proven"] = "empirically"
    linkage: Literal["generic", "specific"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of a folder's ``ALL``: the callable, its catalogue row and tags, and parameters for the clinic example.

    The example is what ``tacit methods`` and the docs show, and what the battery of tests runs the entry with.
    ``needs`` says without which roles or files a measure means nothing, so that an audit leaves it out in silence;
    ``upto`` up to how many records an audit takes it unasked. Methods say when to ``use`` and when to ``avoid`` them.
    ``repeatable`` is False for methods whose noise comes from the secure source of the differential-privacy library: no
    seed gives it again.
    """

    call: Callable[..., Any]
    catalogue: str
    tags: Tags
    example: Mapping[str, Any] = field(default_factory=dict)
    needs: tuple[Literal["weight", "household", "population", "confidential", "hierarchy", "original"], ...] = ()
    upto: int | None = None
    use: str = ""
    avoid: str = ""
    repeatable: bool = True

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters: the fields of a model, method or attack, the options of a measure."""
        if is_dataclass(self.call):
            return tuple(one.name for one in fields(self.call))
        return tuple(one.name for one in self._keyword_options)

    @property
    def required(self) -> tuple[str, ...]:
        """The options that a measure cannot do without."""
        return tuple(one.name for one in self._keyword_options if one.default is one.empty)

    @property
    def _keyword_options(self) -> list[inspect.Parameter]:
        beside = ("original", "lineage", "population")
        every = inspect.signature(self.call).parameters.values()
        return [one for one in every if one.kind is one.KEYWORD_ONLY and one.name not in beside]

    @property
    def summary(self) -> str:
        """The first line of the docstring, as plain text."""
        first = (self.call.__doc__ or "").strip().split("\n")[0]
        return re.sub(r":math:`([^`]*)`", r"\1", first).replace("``", "")


def build_from_params(name: str, kind: Callable[..., Any], parameters: Mapping[str, Any]) -> Any:
    """What a plan describes, from its parameters by name: one that it does not take, or lacks, is named in the error."""
    known = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
    takes = f"{name} takes {', '.join(known)}" if known else f"{name} takes no parameter"
    for parameter in parameters:
        if parameter not in known:
            near = nearest_name(str(parameter), known)
            raise TacitError(
                f"{name} has no parameter {parameter!r}", fix=f"did you mean {near!r}? {takes}" if near else takes
            )
    for parameter, one in known.items():
        if parameter not in parameters and one.default is MISSING and one.default_factory is MISSING:
            raise TacitError(f"{name} lacks its parameter {parameter!r}", fix=takes)
    return kind(**parameters)
