"""Columns that no attack could use are a field, not a sentence (A8)."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from tacit import Release, TacitError
from tacit.cli import attack
from tacit.plan import levels
from tacit.plan.attack_file import AttackConfig, attack_file
from tacit.plan.pairing import Pairing


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Release]:
    original = pl.DataFrame({"zip": [f"N{row % 20}" for row in range(60)], "age": [row % 50 for row in range(60)]})
    original.with_columns(zip=pl.col("zip").str.slice(0, 1) + "-coarse").write_csv(tmp_path / "masked.csv")
    return tmp_path / "masked.csv", Release(original, quasi=["zip", "age"], kinds={"age": "continuous"})


def test_a_column_with_unknown_values_is_named_and_stops_the_gate_whatever_the_sentence_says(
    files: tuple[Path, Release], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = levels.with_levels

    def reworded(*given: object, **more: object) -> tuple[Release, dict[str, str]]:
        release, why = real(*given, **more)  # type: ignore[arg-type]
        return release, dict.fromkeys(why, "said in other words")

    monkeypatch.setattr("tacit.plan.attack_file.with_levels", reworded)
    masked, original = files
    found = attack_file(masked, original, AttackConfig(attacks=("distance",)), pairing=Pairing(same_order=True), seed=1)
    assert found.incomparable == ("zip",)
    with pytest.raises(TacitError, match=r"cannot be judged: columns could not be compared \(zip\)"):
        attack._is_requirement_met(found, 1.0)


def test_comparable_columns_pass(files: tuple[Path, Release], tmp_path: Path) -> None:
    _, original = files
    original.to_native().write_csv(tmp_path / "same.csv")
    given = AttackConfig(attacks=("distance",))
    found = attack_file(tmp_path / "same.csv", original, given, pairing=Pairing(same_order=True), seed=1)
    assert found.incomparable == () and attack._is_requirement_met(found, 1.0) is True
