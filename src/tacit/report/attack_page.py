"""What attacks on a file found, at one value of a parameter or at several, as HTML pages for internal eyes: they point at people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..attack.learning.summary import COLUMNS, WEIGHTS
from ..attack.runner import AttackResult
from ..attack.smallest_sets import ColumnSet, SmallestSets
from ..plan.attack_findings import AttackFindings
from ..plan.attribute_report import AttributeReport
from ..plan.curve import CurveFindings
from ..result import Result, format_fact
from .blocks import Block, Figure, Figures, Items, Section, Table, Text
from .charts import BEFORE, bar_chart, bin_labels, interval_chart, line_chart, render_svg
from .listed_rows import LISTED, listed_rows
from .page import Page
from .sections.attacks import attack_blocks
from .sections.attribute_disclosure import learnt_blocks, signed_percent
from .sections.membership import presence_blocks
from .sections.notes import list_notes
from .statement import Statement
from .words import format_percent, join_words, to_prose


def attack_page(found: AttackFindings) -> Page:
    """The verdict or the worst attack first, then what the intruder is sure of, which columns matter, and who is at risk."""
    sections = [section for section in _page_sections(found) if section is not None]
    said, figures = _attack_statement(found), _key_figures(found)
    return Page(title=found.title, statement=said, figures=figures, sections=sections)


def _page_sections(found: AttackFindings) -> Iterator[Section | None]:
    scenario = Text(_scenario_sentence(found))
    if found.attacks or not (found.learnt or found.presence):
        shown = attack_blocks(found.attacks, "internal", required=found.required)
        yield Section(id="attacks", title="Attacks beside guessing", blocks=(scenario, *shown))
    yield _certain_links_section(found)
    yield _column_importance_section(found)
    yield _learned_distance_section(found)
    yield _attribute_disclosure_section(found)
    yield from (predictors_section(lesson, place) for place, lesson in enumerate(found.taught))
    if found.presence:
        yield Section(id="presence", title="Who is there", blocks=presence_blocks(found.presence, "internal"))
    yield _people_at_risk_section(found)
    yield _notes_section(found)


def _scenario_sentence(found: AttackFindings) -> str:
    told = "has read what was published about the masking" if found.told else "has read nothing about the masking"
    return f"The intruder knows {join_words(found.knows)}, {told}, and tries to find its people in the release."


def _attack_statement(found: AttackFindings) -> Statement:
    judged = found.bounded_results
    if not judged:
        return Statement(verdict="open", headline="No attack could be made.", reasons=())
    worst = found.worst
    if worst is not None and worst.result is not None and found.at_risk is None:
        headline = "Nobody said which rows belong together: these are beliefs of the intruder, not hits."
        reason = f"{to_prose(worst.name)} believes to have found {format_percent(worst.result.value)} of the people."
        return Statement(verdict="open", headline=headline, reasons=(reason,))
    reasons = tuple(_worst_attack_sentences(found))
    if found.required is None:
        return Statement(
            verdict="open", headline="No bound was set: there is no verdict on this file.", reasons=reasons
        )
    holds = all(result.worst_case <= found.required for result in judged)
    said = "No attack may find or learn" if holds else "An attack may find or learn"
    return Statement(
        verdict="holds" if holds else "fails",
        headline=f"{said} more than {format_percent(found.required)}, at the upper end of the 95 % interval.",
        reasons=reasons,
    )


def _worst_attack_sentences(found: AttackFindings) -> Iterator[str]:
    """The worst attack of each sort in a sentence."""
    if found.worst is not None and found.worst.result is not None:
        result = found.worst.result
        yield (
            f"The worst attack, {to_prose(found.worst.name)}, finds {format_percent(result.value)} of the people ({_format_interval(result)}); "
            f"guessing finds {_fact_percent(result, 'baseline')}."
        )
    learnt = [(one, one.gain) for one in found.learnt if one.gain is not None]
    if learnt:
        one, gain = max(learnt, key=lambda pair: pair[1].worst_case)
        yield (
            f"Of {gain.column}, {to_prose(one.name)} says {_fact_percent(gain, 'right')} rightly; the rest of the people teach "
            f"{_fact_percent(gain, 'right by the rest of the people')}, always the same guess would be right of {_fact_percent(gain, 'best single guess')}."
        )
    for other in found.presence:
        if other.result is not None:
            yield f"{to_prose(other.name)}: {format_fact(other.result.value)}, guessing {format_fact(other.result.facts.get('baseline', '–'))}."


def _format_interval(result: Result) -> str:
    low, high = result.interval or (result.value, result.value)
    return f"95 % interval {format_percent(low)} to {format_percent(high, up=True)}"


def _fact_percent(result: Result, name: str) -> str:
    value = result.facts.get(name)
    return format_percent(value) if isinstance(value, float | int) else "–"


def _key_figures(found: AttackFindings) -> list[tuple[str, str]]:
    figures = [("Records", format_fact(found.records))]
    if found.worst is not None and found.worst.result is not None:
        result = found.worst.result
        figures += [("Worst attack", format_percent(result.value)), ("Guessing", _fact_percent(result, "baseline"))]
        sure = [one.result.facts.get("sure links", 0.0) for one in found.attacks if one.result is not None]
        figures.append(("Sure links", format_percent(max(float(str(share)) for share in sure))))
    gains = [one.gain.value for one in found.learnt if one.gain is not None]
    return [*figures, *([("Learnt about members", signed_percent(max(gains)))] if gains else [])]


def _certain_links_section(found: AttackFindings) -> Section | None:
    """What the intruder could be sure of, attack by attack."""
    made = [(to_prose(one.name), one.result) for one in found.attacks if one.result is not None]
    if not made:
        return None
    names = "single links", "right single links", "sure links", "sure links that are right"
    rows = tuple(
        (name, *(_fact_percent(result, fact) for fact in names), format_fact(result.facts.get("mean candidates", "–")))
        for name, result in made
    )
    head = ("Attack", "One candidate", "… and right", "Sure", "… and right", "Mean candidates")
    said = "A link is sure when the intruder can know that it is right: one record is possible, and all others are ruled out. One candidate alone is no proof."
    table = Table(caption="Shares of the people", head=head, rows=rows, numeric=frozenset(range(1, len(head))))
    return Section(id="sure", title="What the intruder can be sure of", blocks=(Text(said), table))


def _column_importance_section(found: AttackFindings) -> Section | None:
    """Which columns matter most."""
    if found.drop_one is None or len(found.drop_one.columns) < 2:
        return None
    full = found.drop_one.full
    columns = found.drop_one.columns
    rows = tuple(
        (one.column, *("nobody" if part is None else format_percent(part.value) for part in (one.without, one.alone)))
        for one in columns
    )
    head = ("Column", "Found without it", "Found with it alone")
    table = Table(
        caption=f"With all of them the worst attack finds {format_percent(full.value)}",
        head=head,
        rows=rows,
        numeric=frozenset({1, 2}),
    )
    drawn = [(f"without {one.column}", one.without) for one in columns if one.without is not None]
    caption = "Dot: share found without the column; line: its 95 % interval; dashed: with all columns"
    figure = Figure(
        svg=render_svg(interval_chart(drawn, bound=full.value), label=f"Which columns matter. {caption}."),
        caption=caption,
        table=table,
        open=True,
    )
    said = "Each column is taken from the intruder in turn; then it is left with that column alone. Mask first what lowers the share most when it is missing."
    return Section(id="columns", title="Which columns matter most", blocks=(Text(said), Figures((figure,))))


def _learned_distance_section(found: AttackFindings) -> Section | None:
    """Which columns the distance needs that the intruder would learn from people it has found, and how far it goes."""
    result = next((one.result for one in found.attacks if one.name == "learned" and one.result is not None), None)
    if result is None or not isinstance(shares := result.facts.get(COLUMNS), Mapping):
        return None
    weights = result.facts.get(WEIGHTS)
    weights = weights if isinstance(weights, Mapping) else {}
    largest = sorted(shares.items(), key=lambda one: (-one[1], -weights.get(one[0], 0.0)))
    table = Table(
        caption="Share of the people learned from who are no longer found when the same distance ignores a column"
        + (", and the column's weight in it" if weights else ""),
        head=("Column", "Lost without it", *(["Weight"] if weights else [])),
        rows=tuple(
            (
                column,
                format_percent(share),
                *([format_percent(weights[column]) if weights[column] else "under 0.01 %"] if weights else []),
            )
            for column, share in largest
        ),
        numeric=frozenset({1, 2}),
    )
    return Section(
        id="learned", title="Which columns identify people", blocks=(Text(_learned_distance_sentence(result)), table)
    )


def _attribute_disclosure_section(found: AttackFindings) -> Section | None:
    """What is learnt of confidential columns, and of whom."""
    if not found.learnt:
        return None
    blocks = learnt_blocks(found.learnt, required=found.required)
    told = [table for one in found.learnt if (table := _disclosed_people_table(one)) is not None]
    return Section(id="learnt", title="What is learnt about people", blocks=(*blocks, *told))


def _disclosed_people_table(one: AttackResult) -> Table | None:
    """The people of whom an attack says what nobody else's records would have told."""
    if one.gain is None or one.gain.per_record is None:
        return None
    name, column = to_prose(one.name), one.gain.column
    return listed_rows(
        one.gain.per_record.values(),
        lambda many: f"{name} of {column}: {many:,} people of whom more is said rightly than the others' records tell",
        head="Right above the rest",
        shown=format_percent,
    )


def _learned_distance_sentence(result: Result) -> str:
    upper, bound = "resubstitution (upper bound)", "no such distance finds more than"
    most = (
        f", and no distance of the family finds more than {_fact_percent(result, bound)}"
        if bound in result.facts
        else ""
    )
    return (
        f"An intruder who has found some people already can learn from them which columns still point at people. Of people it "
        f"has not found yet, the distance learned so (family: {result.facts.get('family')}) finds {format_percent(result.value)} "
        f"(cross-validated: the figure to go by); of those that it learned from, {_fact_percent(result, upper)} (resubstitution, ties not counted)"
        f"{most}. Mask first what most people are lost without."
    )


def _people_at_risk_section(found: AttackFindings) -> Section | None:
    """Who is at risk."""
    if found.at_risk is None or found.worst is None or found.worst.result is None:
        return None
    frame = found.at_risk.frame().head(LISTED)
    rows = tuple(
        (str(row + 1), format_percent(chance), to_prose(by), "yes" if sure else "no")
        for row, chance, by, sure in frame.iter_rows()
        if by is not None
    )
    said = "Rows are those of the intruder's file, counted from 1. The chance is that of the attack that finds the person most easily."
    if not rows:
        return Section(id="people", title="Who is at risk", blocks=(Text("No attack has a chance to find anybody."),))
    table = Table(
        caption=f"The {len(rows)} people who are found most easily",
        head=("Row", "Chance to be found", "Attack", "Sure"),
        rows=rows,
        numeric=frozenset({1}),
        folded=True,
    )
    return Section(
        id="people", title="Who is at risk", blocks=(Text(said), *_chance_figures(found.worst.result), table)
    )


def _chance_figures(result: Result) -> Iterator[Figures]:
    if result.per_record is None:
        return
    counts = result.per_record.histogram()
    labels = bin_labels(counts)
    caption = "People by their chance to be found, by the worst attack"
    rows = tuple((label, format_fact(count)) for label, count in zip(labels, counts.counts, strict=True))
    table = Table(caption=caption, head=("Chance", "People"), rows=rows, numeric=frozenset({1}))
    drawn = render_svg(
        bar_chart(labels, counts.counts, colour=BEFORE), label=f"{caption}. The numbers are in the table below."
    )
    yield Figures((Figure(svg=drawn, caption=caption, table=table),))


def _notes_section(found: AttackFindings) -> Section | None:
    """What the attacks could not use, and warnings; each once."""
    said: list[str] = list(found.warnings)
    for one in found.attacks:
        notes = one.result.facts.get("notes") if one.result is not None else None
        said += [f"{to_prose(one.name)}: {note}" for note in notes] if isinstance(notes, list) else []
    return list_notes(said)


def curve_page(found: CurveFindings) -> Page:
    """The chart of every attack over the parameter, and the table behind it."""
    caption = "Share found by each attack, with its 95 % interval"
    caption += "" if found.required is None else f"; dashed: the bound of {format_percent(found.required)}"
    rows = [{**row, "attack": to_prose(str(row["attack"]))} for row in found.curve.as_json()]
    chart = line_chart(rows, title=f"{to_prose(found.method)}: {found.parameter}", bound=found.required)
    drawn = render_svg(chart, label=f"{caption}. The numbers are in the table below.")
    figure = Figure(svg=drawn, caption=caption, table=curve_table(found), open=True)
    said = f"The intruder knows {join_words(found.knows)} of everybody and has read what was done to the data. Each value is masked once: two runs differ by more than the intervals tell."
    section = Section(id="curve", title="Protection against attacks", blocks=(Text(said), Figures((figure,))))
    title = f"{found.title}: {found.parameter} of {to_prose(found.method)}"
    return Page(title=title, statement=_curve_statement(found), sections=[section])


def curve_table(found: CurveFindings) -> Table:
    """A row for each value and attack."""
    rows = tuple(
        (
            str(row["parameter"]),
            to_prose(str(row["attack"])),
            format_percent(row["value"]),
            f"{format_percent(row['low'])} to {format_percent(row['high'], up=True)}",
            format_percent(row["baseline"]),
            format_percent(row["sure"]),
        )
        for row in found.curve.as_json()
    )
    head = (found.parameter, "Attack", "Re-identified", "95 % interval", "Guessing", "Sure")
    return Table(caption="Every attack that applies", head=head, rows=rows, numeric=frozenset(range(2, len(head))))


def _curve_statement(found: CurveFindings) -> Statement:
    worst = [(point.parameter, point.worst.result) for point in found.curve.points]
    shares = ", ".join(
        f"{format_percent(result.value)} at {format_fact(value)}" for value, result in worst if result is not None
    )
    reason = f"The worst attack at each value finds {shares}."
    reason += "" if found.flat_note is None else f" Note: {found.flat_note}."
    if found.required is None:
        return Statement(verdict="open", headline="No bound is required: choose by the curve.", reasons=(reason,))
    enough = [
        format_fact(value) for value, result in worst if result is not None and result.worst_case <= found.required
    ]
    said = f"The bound of {format_percent(found.required)} is met with {found.parameter} = {join_words(enough, 'or')}."
    none = f"The bound of {format_percent(found.required)} is met with none of the values."
    return Statement(verdict="holds" if enough else "fails", headline=said if enough else none, reasons=(reason,))


FEW = (
    "A value that many columns tell together may be harmless, because nobody knows them all; one that a few tell is within "
    "everybody's reach. Each person's value is said by the records of others."
)


def predictors_section(lesson: AttributeReport, place: int = 0) -> Section:
    """The smallest sets of columns as a table, and the agreement of models in a sentence."""
    blocks: list[Block] = []
    if lesson.sets is not None:
        blocks += [Text(FEW), _smallest_sets_table(lesson.sets)]
    if lesson.agreement is not None:
        blocks.append(Text(_agreement_sentence(lesson.agreement)))
    if lesson.notes:
        blocks.append(Items(lesson.notes))
    return Section(id=f"teaches-{place}", title=f"What teaches {lesson.column}", blocks=tuple(blocks))


def _smallest_sets_table(found: SmallestSets) -> Table:
    rows = tuple(_column_set_row(one) for one in found.sets) or (
        (f"{_column_set_row(found.best)[0]} (does not suffice)", *_column_set_row(found.best)[1:]),
    )
    return Table(
        caption=f"The fewest columns that tell it better than the best single guess, which is right of {format_percent(found.guess)}",
        head=("Columns", "Right", "Above the guess", f"95 % interval, all {found.possible:,} sets together"),
        rows=rows,
        numeric=frozenset({1, 2, 3}),
    )


def _column_set_row(one: ColumnSet) -> tuple[str, ...]:
    low, high = one.gain_interval
    return (
        ", ".join(one.columns),
        format_percent(one.right),
        signed_percent(one.gain),
        f"{signed_percent(low)} to {signed_percent(high, up=True)}",
    )


def _agreement_sentence(result: Result) -> str:
    return (
        f"A model learnt from the release and one learnt from the original say the same of {format_percent(result.value)} of the people "
        f"(DDMBAR): where that is much and the models are right, whoever has the release can infer what the original told."
    )
