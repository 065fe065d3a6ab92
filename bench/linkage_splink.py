"""Run by linkage_probabilistic.py in Splink's environment: EM on all pairs of the two files that stdin holds."""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import Any

import duckdb
import pyarrow as pa
from splink import Linker
from splink.internals.duckdb.database_api import DuckDBAPI


def comparison(name: str, m: list[float], u: list[float]) -> dict[str, Any]:
    levels = [
        {
            "sql_condition": f"{name}_l IS NULL OR {name}_r IS NULL",
            "label_for_charts": "unknown",
            "is_null_level": True,
        },
        {
            "sql_condition": f"{name}_l = {name}_r",
            "label_for_charts": "exact",
            "m_probability": m[1],
            "u_probability": u[1],
        },
        {"sql_condition": "ELSE", "label_for_charts": "different", "m_probability": m[0], "u_probability": u[0]},
    ]
    return {"output_column_name": name, "comparison_levels": levels}


def main() -> None:
    given = json.load(sys.stdin)
    begun = time.process_time()
    database = DuckDBAPI(duckdb.connect())
    sides = []
    for side in ("intruder", "release"):
        table = pa.table({"row": list(range(len(given[side][given["columns"][0]]))), **given[side]})
        sides.append(database.register(table, dataset_display_name=side))
    settings = {
        "link_type": "link_only",
        "unique_id_column_name": "row",
        "comparisons": [comparison(*one) for one in zip(given["columns"], given["m"], given["u"], strict=True)],
        "probability_two_random_records_match": given["prior"],
        "em_convergence": 1e-8,
        "max_iterations": given["steps"],
    }
    linker = Linker(sides, settings, log_level=logging.ERROR)
    linker.training.estimate_parameters_using_expectation_maximisation(
        "1=1",
        estimate_without_term_frequencies=True,  # its fastest way: it iterates over the counts of patterns
        fix_u_probabilities=False,
        populate_probability_two_random_records_match_from_trained_values=True,
        record_sample_proportion=1.0,
    )
    saved = linker.misc.save_model_to_json()
    found: dict[str, Any] = {"m": [], "u": [], "prior": saved["probability_two_random_records_match"]}
    for one in saved["comparisons"]:
        levels = [level for level in one["comparison_levels"] if not level.get("is_null_level")][::-1]
        for side in ("m", "u"):
            found[side].append([level[f"{side}_probability"] for level in levels])
    print(json.dumps(found | {"seconds": time.process_time() - begun}))


if __name__ == "__main__":
    main()
