"""What a study leaves behind: the map, a table of all candidates, and the same as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from ..errors import TacitError
from ..json_text import json_text
from ..plan.commit import private_folder
from ..study.candidate import Candidate
from ..study.evaluation import Evaluation
from ..study.results import Point, Study
from .map_page import map_page
from .page import lay_out

MAP, TABLE, FOUND, STORE = "map.html", "candidates.csv", "study.json", "study.sqlite"


def write_study(study: Study, out: str | Path, *, command: str) -> Path:
    """Write map, table and JSON into a folder, where they replace those of an earlier run; for internal eyes."""
    target = Path(out)
    with private_folder(target) as folder:
        try:
            (folder / MAP).write_text(lay_out(map_page(study, command=command)), encoding="utf-8")
            study.frame().write_csv(folder / TABLE)
            (folder / FOUND).write_text(json_text(study.as_json()), encoding="utf-8")
            for name in (MAP, TABLE, FOUND):
                (folder / name).chmod(0o600)
                (folder / name).replace(target / name)
        except OSError as problem:
            raise TacitError(
                f"the study cannot be written to {str(target)!r}: {problem.strerror}",
                code="cannot_write",
                fix="make room or choose another folder with --out; what was found out is kept",
            ) from problem
    return target


def kept_point(out: str | Path, number: int) -> Point:
    """A point of the study in a folder, with its steps."""
    file = Path(out) / FOUND
    try:
        points = json.loads(file.read_text(encoding="utf-8"))["points"]
    except (OSError, ValueError, KeyError) as problem:
        raise TacitError(
            f"there is no study in {str(out)!r}",
            code="wrong_type",
            fix="explore first, without --point, with the same --out",
        ) from problem
    found = next((point for point in points if point["number"] == number), None)
    if found is None:
        raise TacitError(
            f"there is no point {number}",
            code="unknown_name",
            fix=f"points are numbered from 0 to {points[-1]['number']}",
        )
    steps = tuple(found["steps"])
    candidate = Candidate(strategy=found["strategy"], steps=steps, values=found["parameters"])
    evaluation = Evaluation(state=found["state"], why=found["why"])
    return Point(number=number, candidate=candidate, evaluation=evaluation, risk=found["risk"], loss=found["loss"])
