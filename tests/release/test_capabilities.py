"""An engine from outside the package: it declares what it can do, and measures, methods and attacks ask for nothing else."""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl
import pytest

from tacit import Release, TacitError
from tacit.attack import Distance
from tacit.claims.scenario import Scenario
from tacit.plan.audit import run_audit
from tacit.protect import AddNoise, DummyRecords, Recode, SuppressRecords
from tacit.release.engines.convert import ENGINES
from tacit.release.engines.polars import PolarsTable
from tacit.release.engines.table import REQUIREMENTS, Capabilities

TOY = Capabilities(engine="toy", title="Toy", move="export the frame, and read it with engine={engine!r}")
FRAME = pl.DataFrame(
    {
        "age": [20, 20, 31, 31, 31, 64, 64, 70],
        "zip": ["N1", "N1", "N2", "N2", "N2", "S1", "S1", "S2"],
        "pay": [1.0, 2.5, 3.0, 4.0, 5.5, 6.0, 7.0, 8.0],
    }
)
ROLES = {"quasi": ["age", "zip"], "confidential": "pay", "missing": "own", "kinds": {"age": "continuous"}}


@dataclass
class ToyFrame:
    """A frame of the toy library."""

    data: pl.DataFrame
    capabilities_of_engine = TOY

    @property
    def columns(self) -> list[str]:
        return self.data.columns


def from_native(frame: ToyFrame) -> PolarsTable:
    """The way in, as each engine's module has one."""
    return PolarsTable(frame.data, ToyFrame, frame.capabilities_of_engine)


@pytest.fixture
def on_toy(monkeypatch):
    """A release of the toy engine; its capabilities may be changed."""
    monkeypatch.setitem(ENGINES, __name__.partition(".")[0], __name__)

    def build(**changed: object) -> Release:
        monkeypatch.setattr(ToyFrame, "capabilities_of_engine", replace(TOY, **changed))
        return Release(ToyFrame(FRAME), **ROLES)

    return build


@pytest.mark.parametrize("in_memory", [False, True])
def test_an_audit_gives_the_same_numbers(on_toy, in_memory):
    required = {"k_anonymity": 2}
    here = run_audit(Release(FRAME, **ROLES), require=required)
    there = run_audit(on_toy(in_memory=in_memory), require=required)
    assert there.passes == here.passes
    values = {(one.name, one.column): one.value for one in here.before}
    found = {(one.name, one.column): one.value for one in there.before}
    assert len(found) > 5 and set(found) <= set(values)
    assert found == {name: pytest.approx(values[name]) for name in found}


@pytest.mark.parametrize("in_memory", [False, True])
@pytest.mark.parametrize("method", [Recode(column="age", breaks=[30, 65]), Recode(column="zip", rare=2)])
def test_a_method_masks_as_it_does_in_memory(on_toy, method, in_memory):
    masked = on_toy(in_memory=in_memory).protect(method).to_native()
    assert isinstance(masked, ToyFrame)
    assert masked.data.equals(Release(FRAME, **ROLES).protect(method).to_native())


def test_a_row_kernel_runs_where_the_rows_are(on_toy):
    masked = on_toy().protect(AddNoise(columns=["pay"], variance=0.1), seed=4).to_native()
    assert isinstance(masked, ToyFrame)
    assert (masked.data["pay"] != FRAME["pay"]).all()


@pytest.mark.parametrize(
    ("capability", "method", "refused", "engine"),
    [
        ("can_take_rows", SuppressRecords(k=2), "records cannot be suppressed on Toy", "duckdb"),
        ("in_memory", DummyRecords(t=0.1), "dummies cannot be added on Toy", "polars"),
    ],
)
def test_a_refusal_names_operation_engine_and_remedy(on_toy, capability, method, refused, engine):
    with pytest.raises(TacitError) as problem:
        on_toy(**{capability: False}).protect(method, seed=1)
    assert problem.value.fields == {"engine": "toy", "capability": capability}
    assert problem.value.what.startswith(refused)
    assert problem.value.fix == f"export the frame, and read it with engine={engine!r}"


def test_an_attack_says_what_the_engine_lacks(on_toy):
    released = on_toy(can_read_columns=False)
    why = Distance().applies(released, Scenario(file=Release(FRAME), knows=("age", "zip")))
    assert why is not None and "Toy" in why


@pytest.mark.parametrize("capability", REQUIREMENTS)
def test_every_capability_can_be_lacking_and_has_a_remedy(capability):
    lacking = replace(TOY, **{capability: False})
    with pytest.raises(TacitError) as problem:
        lacking.require(capability, "it is refused")
    assert problem.value.code == "engine_lacks_capability"
    assert lacking.why_lacking(capability, "it is refused") == lacking.unsupported(capability, "it is refused").what
    assert replace(TOY, **{capability: True}).why_lacking(capability, "it is refused") is None
