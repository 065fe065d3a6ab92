"""What every masking method is declared to do is what it does; nothing else keeps a list of methods by what they do."""

import ast
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.published import published_step

import tacit
from tacit import Release, TacitError
from tacit.examples import clinic
from tacit.protect import METHODS
from tacit.release.step_effects import (
    adds_records,
    blanks_cells,
    drops_records,
    exchanges_values,
    flatten_steps,
    masks_values,
    may_change_column,
    step_effect,
)

SOURCES = Path(tacit.__file__).parent


@pytest.fixture(scope="module")
def original() -> Release:
    example = clinic(150, seed=3)
    return Release(example.frame, **example.roles, kinds=example.kinds, hierarchies=example.hierarchies, missing="own")


@pytest.fixture(scope="module")
def applied(original):
    """Every method with its example, applied once; left out is one with a secret key, and one that leaves no row."""
    return {
        name: original.protect(entry.call(**entry.example), seed=5)
        for name, entry in METHODS.items()
        if name not in ("pseudonymise", "suppress_records")
    }


def cells(masked, original, column):
    """The true and the released cells of a column, record by record; None where the column was taken away."""
    if column not in masked.release.columns:
        return None
    real = pl.Series(masked.rows() >= 0)
    true = original.take(np.maximum(masked.rows(), 0)).series(column)
    return (one.cast(pl.String).filter(real) for one in (true, masked.release.series(column)))


def keyed(release, column):
    """The release with one quasi-identifier, the column."""
    return Release(release.to_native().select(column), quasi=column, missing="own")


def test_records_that_are_dropped_or_invented_are_declared(applied, original):
    for name, masked in applied.items():
        rows = masked.rows()
        if set(range(original.size)) - set(rows.tolist()):
            assert drops_records(masked.trace), name
        if (rows < 0).any() or len(set(rows.tolist())) < len(rows):
            assert adds_records(masked.trace), name


def test_cells_that_are_made_missing_are_declared(applied, original):
    for name, masked in applied.items():
        for column in original.columns:
            pair = cells(masked, original, column)
            if pair is None:
                continue
            true, shown = pair
            if (true.is_not_null() & shown.is_null()).any() and not blanks_cells(masked.trace):
                assert any(may_change_column(step, column, masked.release) for step in flatten_steps(masked.trace)), (
                    name,
                    column,
                )


def test_values_that_are_exchanged_are_declared(applied, original):
    """A column with the same values in other records; a shuffle of all of them is no exchange between two."""
    for name, masked in applied.items():
        for column in original.columns:
            pair = cells(masked, original, column)
            if pair is None or name in ("data_shuffle", "mask_terms", "new_households", "dp_microaggregate"):
                continue
            true, shown = pair
            if (true != shown).any() and true.sort().equals(shown.sort()):
                assert exchanges_values(masked.trace), (name, column)


def test_population_uniques_refuses_every_method_that_changed_a_key(applied, original):
    refused = set()
    for name, masked in applied.items():
        if (masked.rows() < 0).any():
            continue
        changed = []
        for column in masked.release.columns:
            true, shown = cells(masked, original, column)
            if column in {*masked.release.levels, *masked.release.mixed, original.weight, original.household}:
                continue
            if (shown.is_not_null() & (true != shown).fill_null(True)).any():
                changed.append(column)
        coarsened = any(step_effect(step, masked.release).kind == "coarsens" for step in flatten_steps(masked.trace))
        if not changed or coarsened:
            continue
        key, people = keyed(masked.release, changed[0]), keyed(original, changed[0])
        with pytest.raises(TacitError, match=f"perturbed by {name}"):
            tacit.risk.population_uniques(tacit.Masked(key, masked.trace, masked.lineage), population=people)
        refused.add(name)
    assert {"randomised_response", "dp_identity", "pram", "rank_swap", "dp_microaggregate", "synth_trees"} <= refused


def test_a_method_that_nobody_declared_may_have_changed_every_key(original):
    masked = tacit.Masked(original, (published_step("home_made", {}),))
    with pytest.raises(TacitError, match="perturbed by home_made"):
        tacit.risk.population_uniques(masked, population=original)


def test_steps_that_only_hide_who_is_who_do_not_mask():
    hiding = {name for name in METHODS if not masks_values(published_step(name, {}))}
    of_households = {"drop_household", "new_households", "split_households"}
    assert hiding - {"pipeline", "anonymise"} == {"drop_identifiers", "pseudonymise", "shuffle"} | of_households


def test_no_other_list_says_what_methods_do():
    """A tuple, list or set of three or more methods outside the registries is a second truth that grows stale."""
    known = {
        "protect/candidates.py": "the methods that anonymise tries",
        "attack/masking_models/__init__.py": "masking models, some of which have the name of a method",
    }
    for path in SOURCES.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path.relative_to(SOURCES).as_posix() in known or sum(f'"{name}"' in text for name in METHODS) < 3:
            continue
        for node in ast.walk(ast.parse(text)):
            parts = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else getattr(node, "keys", ())
            parts = parts if isinstance(parts, list) else []
            named = [part.value for part in parts if isinstance(part, ast.Constant) and part.value in METHODS]
            assert len(named) < 3, f"{path.relative_to(SOURCES)}:{node.lineno} lists {', '.join(named)}"
