"""The risk–utility map as one HTML file that needs nothing else, for internal eyes: it tells how each plan can be broken.

Unlike the other pages this one has scripts: Vega, which draws, and templates/map.js, which answers the reader. Names
from the plan reach the page as escaped text and as JSON, never as HTML or as script, and the page may fetch nothing.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence

from ..errors import TacitError
from ..result import format_fact
from ..study.results import Point, Study
from ..study.selection import is_acceptable
from .blocks import Block, Code, Items, Map, Section, Table, Text
from .map_chart import drawing_library, map_specification, strategy_style
from .map_data import MapData, left_open, missed_requirements
from .map_statement import map_statement, point_title
from .page import Page
from .words import count_phrase, format_percent, join_words, to_prose

LISTED = 500
"""Candidates in the table of all: more of them slow a page down, and nobody reads them."""
NAMED = 12
"""Numbers of failed candidates that are named for each reason."""


def map_page(study: Study, *, command: str = "tacit explore PLAN") -> Page:
    """The choice first, then the map, the front, what was weighed, what failed, all candidates, and the plans.

    ``command`` is what was typed: the page tells how to write a point as a plan by it. About 1 MB and 0.3 kB more for
    each candidate.
    """
    sections = [section for section in _page_sections(study, command) if section is not None]
    said, figures = map_statement(study), _key_figures(study)
    return Page(title=study.title, statement=said, figures=figures, sections=sections)


def _page_sections(study: Study, command: str) -> Iterator[Section | None]:
    yield _map_section(study, command)
    yield _front_section(study)
    yield _weights_section(study)
    yield _failed_section(study)
    yield _candidates_section(study)
    yield _plans_section(study, command)


def _key_figures(study: Study) -> list[tuple[str, str]]:
    states = [point.evaluation.state for point in study.points if point.number]
    ends = ((state, states.count(state)) for state in ("done", "stopped", "failed"))
    return [
        ("Candidates tried", format_fact(len(states))),
        ("How they ended", ", ".join(f"{format_fact(count)} {state}" for state, count in ends if count)),
        ("On the front", format_fact(len(study.front))),
    ]


def _map_section(study: Study, command: str) -> Section:
    data = MapData.of(study)
    said = (
        "Each mark is a candidate. The line is the front: no candidate that was evaluated to the end lies below it, and "
        "along it less risk costs more loss. Hollow grey marks were stopped early, because another candidate is better in "
        "everything; they have at least this risk and loss. Dashed lines are bounds; a requirement on attacks is judged by "
        "the upper end of the 95 % interval, so that a point just below its line may miss it. The front is that of the "
        "whole risk and the whole loss: on other axes its points stay large, without a line."
    )
    drawn = Map(
        caption="Risk and loss of every candidate",
        risk=data.risk,
        kinds=data.kinds,
        loss=data.loss,
        strategies=tuple((name, *strategy_style(place)) for place, name in enumerate(data.strategies)),
        specification=_script_safe_json(map_specification(data)),
        data=_script_safe_json(
            {"points": data.rows, "risk": data.risk, "kinds": data.kinds, "loss": data.loss, "command": command}
        ),
        library=drawing_library(),
    )
    return Section(id="map-title", title="The map", blocks=(drawn, Text(said)))


def _script_safe_json(value: object) -> str:
    """JSON that cannot end the script element that it stands in."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _front_section(study: Study) -> Section | None:
    points = [study.point(number) for number in study.front]
    if not points:
        return None
    said = Text(
        "No other candidate has less risk and no more loss than one of these. From the least risk to the least loss:"
    )
    table = _points_table("The front", points, study, folded=False)
    return Section(id="front", title="The front", blocks=(said, table))


def _candidates_section(study: Study) -> Section:
    order = sorted(study.points, key=lambda point: _sort_key(point, study))
    several = len(study.points) > LISTED
    which = f"The best {LISTED} of {format_fact(len(study.points))} candidates" if several else "All candidates"
    said = "The best come first: those that meet what was asked, by the declared preference, then the others."
    said += " The file candidates.csv in the folder of the study has all." if several else ""
    table = _points_table(which, order[:LISTED], study, folded=True)
    return Section(id="candidates", title="All candidates", blocks=(Text(said), table))


def _sort_key(point: Point, study: Study) -> tuple[bool, bool, bool, float, float, float, int]:
    """The order of :func:`tacit.study.selection.chosen`, so that the chosen point is the first row."""
    prefer = study.prefer or {"risk": 1.0, "loss": 1.0}
    at = {"risk": point.risk or 0.0, "loss": point.loss or 0.0}
    score = sum(weight * at[axis] for axis, weight in prefer.items())
    will_do = is_acceptable(point, study.at_most)
    return point.risk is None, not point.done, not will_do, score, at["risk"], at["loss"], point.number


def _points_table(caption: str, points: Sequence[Point], study: Study, *, folded: bool) -> Table:
    parts = (*(study.risk if len(study.risk) > 1 else ()), *(study.loss if len(study.loss) > 1 else ()))
    head = (
        "Point",
        "Strategy",
        "Parameters",
        "Risk",
        "Loss",
        "Meets all",
        *(to_prose(one.name).capitalize() for one in parts),
    )
    numeric = frozenset({3, 4, *range(6, len(head))})
    rows = tuple((*_point_cells(point, study), *_part_cells(point, study)) for point in points)
    return Table(caption=caption, head=head, rows=rows, numeric=numeric, folded=folded)


def _point_cells(point: Point, study: Study) -> tuple[str, ...]:
    chosen = " ← chosen" if point.number == study.chosen else ""
    risk, loss = _format_share(point.risk, point), _format_share(point.loss, point)
    return (
        format_fact(point.number),
        point.strategy + chosen,
        left_open(point) or "–",
        risk,
        loss,
        _requirements_cell(point, study),
    )


def _part_cells(point: Point, study: Study) -> Iterator[str]:
    """What risk and loss are made of, where there are several parts."""
    for weighed, found in ((study.risk, point.evaluation.risks), (study.loss, point.evaluation.losses)):
        if len(weighed) > 1:
            yield from (_format_share(found.get(one.name), point) for one in weighed)


def _format_share(value: float | None, point: Point) -> str:
    if value is None:
        return "–"
    return format_percent(value) if point.done else f"≥ {format_percent(value)}"


def _requirements_cell(point: Point, study: Study) -> str:
    """Whether it meets what was asked, and what it misses; by how much is told of the point alone."""
    state, why = point.evaluation.state, point.evaluation.why
    if state == "failed":
        return f"failed: {why or 'no reason is known'}"
    if state == "stopped":
        return why or "stopped"
    missed = [reason.partition(":")[0] for reason in missed_requirements(point, study)]
    return f"✗ no: {', '.join(missed)}" if missed else "✓ yes"


def _weights_section(study: Study) -> Section:
    rows = tuple(
        (to_prose(one.name), word, format_fact(one.weight), format_fact(dict(one.options)) if one.options else "–")
        for word, weighed in (("risk", study.risk), ("loss", study.loss))
        for one in weighed
    )
    head = ("Measure", "Of", "Weight", "Options")
    table = Table(caption="Risk and loss are weighted means of these", head=head, rows=rows, numeric=frozenset({2}))
    return Section(id="weighed", title="What was weighed", blocks=(table, Items(tuple(_search_sentences(study)))))


def _search_sentences(study: Study) -> Iterator[str]:
    if study.attacks:
        yield f"Every candidate was attacked by {join_words([to_prose(name) for name in study.attacks])}, where it applies."
    if study.required:
        bounds = [f"{to_prose(kind)} at most {format_percent(most)}" for kind, most in study.required.items()]
        yield f"Required of attacks: {join_words(bounds)}."
    if study.at_most:
        yield f"Asked beside the requirements: {join_words([f'{axis} at most {format_percent(most)}' for axis, most in study.at_most.items()])}."
    if study.prefer:
        yield f"Preference among those that meet all: {join_words([f'{axis} {format_fact(weight)}' for axis, weight in study.prefer.items()])}."
    yield f"Search: {to_prose(study.search)}" + (f"; {study.ended}." if study.ended else ".")


def _failed_section(study: Study) -> Section | None:
    reasons: dict[tuple[str, str], list[str]] = defaultdict(list)
    for point in study.points:
        if point.evaluation.state == "failed":
            reasons[(point.strategy, point.evaluation.why or "no reason is known")].append(format_fact(point.number))
    if not reasons:
        return None
    rows = tuple(
        (strategy, why, format_fact(len(numbers)), ", ".join(numbers[:NAMED]) + (", …" if len(numbers) > NAMED else ""))
        for (strategy, why), numbers in sorted(reasons.items(), key=lambda pair: -len(pair[1]))
    )
    head = ("Strategy", "Why", "Candidates", "Points")
    table = Table(caption="Candidates that could not be made or measured", head=head, rows=rows, numeric=frozenset({2}))
    return Section(id="failed", title="What failed", blocks=(table,))


def _plans_section(study: Study, command: str) -> Section:
    """The front and the chosen one as plan files; any other by the command."""
    numbers = dict.fromkeys([*([] if study.chosen is None else [study.chosen]), *study.front])
    said = Text("Any point can be written as a plan, which then makes the release:")
    blocks: list[Block] = [said, Code(f"{command} --point NUMBER --write FILE")]
    try:
        for number in numbers:
            title = point_title(study.point(number)) + (", chosen" if number == study.chosen else "")
            blocks.append(Code(study.plan(number), title=title, id=f"plan-{number}"))
    except TacitError as problem:
        blocks.append(Text(f"The plans are not written out here: {problem.what}; {problem.fix}."))
    if numbers:
        blocks.insert(
            2, Text(f"Written out here: the {count_phrase(len(numbers), 'plan')} of the front and of the choice.")
        )
    return Section(id="plans", title="As a plan", blocks=tuple(blocks))
