"""How the records of a synthetic release were made up, and what is promised of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...attack.runner import AttackResult
from ...plan.outcome import Outcome
from ...plan.synthesis import Synthesis
from ...result import format_fact
from ..audience import Audience
from ..blocks import Block, Items, Section, Table, Text
from ..words import count_phrase, format_percent, summarise_value, to_prose

PROMISE = (
    "Nothing else is promised: an analysis of anything that the generator was not fitted to may miss what is there and find what "
    "is not."
)
WORST = (
    "A mean hides the few who are given away. Of the hundredth of the people whom an attack finds most surely, this is how sure an "
    "intruder may be that one who scores as high was learnt from, when as many others are asked about: 50 % is guessing."
)
LISTED, MOST = 20, 60


def synthetic_section(outcome: Outcome, audience: Audience) -> Section | None:
    """From how many people, beside whom, fitted to what; and the worst 1 % of the records, for internal eyes by row."""
    made = outcome.synthesis
    if made is None:
        return None
    blocks: list[Block] = [Text(_training_people_sentence(made, outcome)), *_fitted_blocks(made)]
    table = worst_table(outcome)
    if table is not None:
        blocks += [Text(WORST), table]
    if audience == "internal":
        blocks += _riskiest_rows_blocks(outcome, made)
    return Section(id="synthetic", title="How the records were made up", blocks=tuple(blocks))


def _training_people_sentence(made: Synthesis, outcome: Outcome) -> str:
    what = (
        "No record of the release is anybody's"
        if made.is_fully_synthetic
        else "A part of the release is made up, given the rest"
    )
    said = f"{what}: a generator learnt from {count_phrase(made.trained, 'record')} and drew new ones."
    if made.is_fully_synthetic:
        said += " How many records look alike says nothing about such a file, so that it is not counted."
    if len(made.files) > 1:
        said += f" There are {len(made.files)} such files. Whoever has one has all, so they were attacked together; losses are the mean over them."
    if made.control == "nobody":
        return f"{said} Nobody was kept back from it, so that most attacks could not be judged."
    who = "were kept back from it" if made.control == "kept back" else "of another file are not in the data"
    whole = ", households as a whole" if outcome.original.household is not None and made.control == "kept back" else ""
    return (
        f"{said} {count_phrase(made.outsiders, 'record')} {who}{whole}: what an attack finds of these people is chance."
    )


def _fitted_blocks(made: Synthesis) -> list[Block]:
    """What each step was fitted to, and that nothing else is promised."""
    steps = tuple(
        said for method, found in made.fitted_statistics.items() for said in _finding_sentences(to_prose(method), found)
    )
    return [Text("The generator was fitted to:"), Items(steps), Text(PROMISE)] if steps else [Text(PROMISE)]


def _finding_sentences(method: str, found: Any) -> list[str]:
    """A finding as sentences, one for each of its parts; of columns by column, those in brackets that it was drawn from."""
    if not isinstance(found, Mapping):
        return [f"{method}: {summarise_value(found)}"]
    if all(isinstance(part, list | tuple) for part in found.values()):
        return [f"{method}: {_format_columns(found)}"]
    return [
        said for name, part in found.items() for said in _finding_sentences(f"{method}, {to_prose(str(name))}", part)
    ]


def _format_columns(part: Mapping[str, Any]) -> str:
    if sum(len(one) for one in part.values()) > MOST:
        return summarise_value(part)
    return "; ".join(f"{name} ({', '.join(map(_format_column_set, one)) or 'none'})" for name, one in part.items())


def _format_column_set(given: Any) -> str:
    """A column, or several that were counted together."""
    return " × ".join(map(str, given)) if isinstance(given, list | tuple) else str(given)


def worst_table(outcome: Outcome) -> Table | None:
    """How sure an intruder may be of the worst 1 % of the records, by each attack on membership."""
    found = [(to_prose(one.name), one.worst) for one in outcome.presence if one.worst is not None]
    if not found or outcome.synthesis is None:
        return None
    rows = []
    for name, worst in found:
        low, high = worst.interval or (worst.value, worst.value)
        rows.append(
            (name, format_percent(worst.value), f"{format_percent(low)} to {format_percent(high, up=True)}", "50 %")
        )
    return Table(
        caption="The worst 1 % of the records: how sure an intruder may be of them",
        head=("Attack", "Sure", "95 % interval", "By chance"),
        rows=tuple(rows),
        numeric=frozenset({1, 2, 3}),
    )


def _riskiest_rows_blocks(outcome: Outcome, made: Synthesis) -> list[Block]:
    """The people who are found most surely, by the row of the data file."""
    scores, names = _membership_scores(outcome.presence, made.trained)
    if not len(scores):
        return []
    copied = _copied_people(outcome.presence, made.trained)
    best = scores.argmax(axis=0)
    order = np.lexsort((-scores.mean(axis=0), -scores.max(axis=0)))[: min(LISTED, -(-made.trained // 100))]
    file_row = np.arange(made.trained) if made.rows is None else made.rows
    rows = tuple(
        (
            f"row {file_row[at] + 1:,}",
            names[best[at]],
            _format_outsiders_reached(scores[best[at], at], made),
            "yes" if copied[at] else "no",
        )
        for at in order
    )
    caption = (
        f"Who they are, by the row of the data file: the first {count_phrase(len(rows), 'record')}. Somebody is always first; the "
        "table above says whether that means anything"
    )
    head = ("Record", "Found best by", "Outsiders who score as high", "Copied")
    return [Table(caption=caption, head=head, rows=rows, numeric=frozenset({2}), folded=True)]


def _format_outsiders_reached(outscored: float, made: Synthesis) -> str:
    """How many outsiders score as high, of all; ties count one half."""
    return f"{format_fact(round(2 * (1 - float(outscored)) * made.outsiders) / 2)} of {format_fact(made.outsiders)}"


def _membership_scores(attacks: Sequence[AttackResult], people: int) -> tuple[np.ndarray, list[str]]:
    """By each attack on membership the share of outsiders whom each person outscores."""
    found = [one for one in attacks if one.worst is not None and one.result is not None and one.result.per_record]
    each = [one.result.per_record.values()[:people] for one in found if one.result and one.result.per_record]
    return np.array(each), [to_prose(one.name) for one in found]


def _copied_people(attacks: Sequence[AttackResult], people: int) -> np.ndarray:
    """Whom a released record equals, exactly or nearly."""
    copied = np.zeros(people, dtype=bool)
    for one in attacks:
        if one.result is not None and one.result.id == "copies" and one.result.per_record is not None:
            copied |= one.result.per_record.values()[:people] > 0
    return copied
