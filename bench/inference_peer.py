"""Anonymeter's three risks of a folder of files, as JSON; runs in an environment of its own.

    python inference_peer.py FOLDER

The folder has people.csv, control.csv, release-*.csv and asked.json (columns and number of predicates).
"""

from __future__ import annotations

import json
import resource
import sys
import warnings
from pathlib import Path

import pandas as pd
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def evaluated(evaluator, **options):
    before = cpu()
    evaluator.evaluate(**options)
    risk = evaluator.risk()
    return {"risk": float(risk.value), "interval": [float(end) for end in risk.ci], "seconds": cpu() - before}


def main(folder: Path) -> None:
    warnings.filterwarnings("ignore")
    asked = json.loads((folder / "asked.json").read_text())
    people, control = (pd.read_csv(folder / f"{name}.csv") for name in ("people", "control"))
    found = {}
    for repeated in ("warm", "measured"):
        for path in sorted(folder.glob("release-*.csv")):
            if repeated == "warm" and found:
                break  # one round compiles the kernels
            released = pd.read_csv(path)
            common = {"ori": people, "syn": released, "control": control}
            found[path.stem.removeprefix("release-")] = {
                "inference": evaluated(
                    InferenceEvaluator(
                        aux_cols=asked["knows"], secret=asked["column"], n_attacks=len(people), **common
                    ),
                    n_jobs=1,
                ),
                "linkability": evaluated(
                    LinkabilityEvaluator(aux_cols=(asked["left"], asked["right"]), n_attacks=len(people), **common),
                    n_jobs=1,
                ),
                "singling out": evaluated(
                    SinglingOutEvaluator(n_cols=3, seed=1, n_attacks=asked["predicates"], **common), mode="multivariate"
                ),
            }
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
