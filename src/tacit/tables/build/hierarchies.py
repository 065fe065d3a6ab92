"""One way in: a dimension from whatever describes its codes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from ...errors import TacitError, format_value, nearest_name
from ...release.engines.table import type_of
from ...release.hierarchy import Hierarchy, Recipe, hierarchy
from ...release.hierarchy.base import label_expression
from ...release.hierarchy.build import RECIPES, WORDS
from ..dimension import TOTAL, Dimension
from .codes import code_text, codes_text
from .hrc import read_hrc
from .levels import from_nested, from_rows

OWN = ("hrc", "nested", "tree", "above", "columns")
"""Words for trees of codes beside those of :func:`tacit.release.hierarchy.hierarchy`."""
LADDERS = (*WORDS, *RECIPES)


def dimension(
    name: str,
    given: Any,
    codes: pl.Series | pl.DataFrame | Iterable[Any],
    *,
    total: str = TOTAL,
    folder: Path | None = None,
) -> Dimension:
    """The dimension of a table from a description of its codes and the codes that occur.

    ``given`` is one of: None (all codes directly under the total) · a :class:`Dimension` · code → the code above it ·
    codes within codes, ``{"North": ["Bergen", "Alta"], "South": {"East": ["Oslo"]}}`` · ``{"hrc": "codes.hrc"}`` ·
    ``{"nested": "codes.csv"}`` or a frame: a column per level, coarse to fine, with a header · any description of
    :func:`tacit.release.hierarchy.hierarchy`, as ``{"prefix": [3, 1]}`` or ``{"file": "codes.csv"}`` · ``["A10", "A21", "A88"]``:
    columns of the data, coarse to fine; ``codes`` is then a frame of these. Where a code of your own is such a word, say
    ``{"tree": …}`` or ``{"above": …}`` around it.

    Trees may be unbalanced. A code that is repeated as its own only child stands once. Files and mappings bring all their
    codes; rules such as prefixes have those that occur. O(codes × levels).

    >>> dimension("nace", {"prefix": [3, 1]}, ["101", "102", "205"]).codes
    ('Total', '1**', '2**', '101', '102', '205')
    >>> dimension("nace", {"101": "1", "1": "Total"}, ["101", "102"])
    Traceback (most recent call last):
    ...
    tacit.errors.TacitError: column 'nace' has the code '102', which its hierarchy lacks
      fix: did you mean '101'? else say what lies above '102'
    """
    if isinstance(given, Dimension):
        found = Dimension(name=name, codes=given.codes, parents=given.parents)
    else:
        found = Dimension.tree(name, _parent_links(name, given, codes, total=total, folder=folder), total=total)
    finest = codes.select(pl.coalesce(codes.columns[::-1])).to_series() if isinstance(codes, pl.DataFrame) else codes
    check_codes_known(found, _code_texts(name, finest))
    return found


def check_codes_known(dimension: Dimension, codes: Iterable[str]) -> None:
    """Refuse a code that the dimension lacks."""
    place = dimension.code_index
    unknown = next((code for code in codes if code not in place), None)
    if unknown is not None:
        near = nearest_name(unknown, dimension.codes)
        raise TacitError(
            f"has the code {unknown!r}, which its hierarchy lacks",
            code="missing_parameter",
            column=dimension.name,
            fix=(f"did you mean {near!r}? else " if near else "") + f"say what lies above {unknown!r}",
        )


def is_data_independent(given: Any, *, folder: Path | None = None) -> bool:
    """Whether a hierarchy for microdata says how codes add up, without a look at the data.

    >>> is_data_independent({"prefix": [3, 1]}), is_data_independent({"quantiles": [4, 2]})
    (True, False)
    """
    try:
        ladder = hierarchy(given, folder=folder)
    except TacitError:
        return False
    return hasattr(ladder, "expression") and not isinstance(ladder, Recipe)


def total_of(total: str | Mapping[str, str], name: str) -> str:
    """The code of all together in one dimension, from one for all or one for each."""
    return total if isinstance(total, str) else total.get(name, TOTAL)


def levels_of(name: str, given: Any, columns: Sequence[str]) -> tuple[str, ...]:
    """The columns that hold a dimension's codes, coarse to fine: those of a list, with the dimension's own column as the finest."""
    if isinstance(given, Mapping) and set(given) == {"columns"}:
        given = given["columns"]
    if not isinstance(given, list | tuple):
        return (name,)
    found = tuple(given) if name in given or name not in columns else (*given, name)
    odd = next((one for one in found if not isinstance(one, str) or one not in columns), None)
    if odd is not None:
        raise TacitError(
            f"has a list of levels with {format_value(odd)}, which is no column",
            code="wrong_type",
            column=name,
            fix="list columns of the data, coarse to fine; codes are given as {'North': ['Bergen', 'Alta']}",
        )
    return found


def _parent_links(name: str, given: Any, codes: Any, *, total: str, folder: Path | None) -> Mapping[str, str]:
    if given is None or isinstance(codes, pl.DataFrame):
        return _flat_or_levels(name, codes, total)
    if isinstance(given, str | Path):
        given = {"hrc" if str(given).lower().endswith(".hrc") else "file": given}
    if isinstance(given, pl.DataFrame | list | tuple):
        given = {"nested" if isinstance(given, pl.DataFrame) else "columns": given}
    word = next(iter(given)) if isinstance(given, Mapping) and len(given) == 1 else None
    if word in OWN:
        return _links_by_kind(name, word, given[word], total=total, folder=folder or Path())
    if isinstance(given, Mapping) and not any(one in LADDERS for one in given):
        plain = given and all(isinstance(upper, str) for upper in given.values())
        return _links_by_kind(name, "above" if plain else "tree", given, total=total, folder=Path())
    return _links_from_hierarchy(name, given, codes, total=total, folder=folder)


def _flat_or_levels(name: str, codes: Any, total: str) -> Mapping[str, str]:
    if isinstance(codes, pl.DataFrame):
        return from_rows(name, codes.rows(), total=total)
    written = _code_texts(name, codes)
    if total in written:
        raise TacitError(
            f"holds {total!r}, which is to be the code of all together",
            code="wrong_kind",
            column=name,
            fix="leave the totals out of the records, or give the total another code, e.g. total='All'",
        )
    return dict.fromkeys(written, total)


def _code_texts(name: str, codes: Any) -> list[str]:
    return codes_text(name, codes).to_list() if isinstance(codes, pl.Series) else [code_text(code) for code in codes]


def _links_by_kind(name: str, word: str, content: Any, *, total: str, folder: Path) -> Mapping[str, str]:
    if word == "hrc":
        return read_hrc(folder / content, total=total)
    if word == "above":
        return {code_text(code): code_text(upper) for code, upper in content.items()}
    if word == "tree":
        return from_nested(name, content, total=total)
    if word == "nested":
        rows = content if isinstance(content, pl.DataFrame) else _read_csv(folder / content)
        return from_rows(name, rows.select(pl.all().cast(pl.String)).rows(), total=total)
    raise TacitError(
        "has levels in several columns of records, and this is no table of records",
        code="wrong_type",
        column=name,
        fix="give the tree of its codes, e.g. {'nested': 'codes.csv'} with a column per level",
    )


def _read_csv(file: Path) -> pl.DataFrame:
    try:
        return pl.read_csv(file, infer_schema_length=0)
    except FileNotFoundError:
        raise TacitError(f"the file {file.name!r} is not there", code="wrong_type", fix="check its path") from None
    except pl.exceptions.PolarsError:
        raise TacitError(
            f"the file {file.name!r} cannot be read as a CSV",
            code="cannot_read",
            fix="a header, then a row per code: coarse,…,fine",
        ) from None


def _links_from_hierarchy(name: str, given: Any, codes: Any, *, total: str, folder: Path | None) -> Mapping[str, str]:
    """The tree that a hierarchy for microdata gives: its labels at every level."""
    ladder = hierarchy(given, folder=folder)
    if not hasattr(ladder, "expression") or isinstance(ladder, Recipe):
        raise TacitError(
            "has a hierarchy that the data decide",
            code="unsuitable_column",
            column=name,
            fix="give the one of a release: release.hierarchies[…]",
        )
    return from_rows(name, _level_rows(name, ladder, pl.Series(name, codes).unique(maintain_order=True)), total=total)


def _level_rows(name: str, ladder: Hierarchy, present: pl.Series) -> list[tuple[str, ...]]:
    values = ladder.domain(present).alias(name)
    frame = nw.from_native(values.to_frame())
    ladder.check_type(name, type_of(name, frame.schema[name]))
    above = [
        frame.select(label_expression(ladder, name, level).alias(name))[name].to_native().cast(pl.String)
        for level in range(ladder.height - 1, 0, -1)
    ]
    lost = next((place for place in range(len(values)) if any(one[place] is None for one in above)), None)
    if lost is not None:
        raise TacitError(
            f"has the code {code_text(values[lost])!r}, which its hierarchy lacks",
            code="missing_parameter",
            column=name,
            fix="add it there",
        )
    return list(zip(*above, codes_text(name, values), strict=True))
