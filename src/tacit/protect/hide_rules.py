"""Result privacy for records: a declared rule, such as a path of a decision tree, can no longer be mined."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from ..errors import TacitError, check_columns, format_value, suggest_alternative
from ..frozen import FrozenDict
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ..release.households import household_level, one_per_household
from ..release.masked import Masked
from ..release.trace import Finding, Trace, to_plain_data
from .parameters import is_number, make_rng
from .rules.baskets import Cells
from .rules.exact import Exact
from .rules.fia import MaxFia, MinFia
from .rules.problem import HidingMethod, Limit, Problem, SensitivePattern
from .rules.rounds import until_hidden
from .rules.sliding_window import SlidingWindow
from .rules.thresholds import least_count, parse_confidence, share_of

if TYPE_CHECKING:
    import polars as pl

    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


Condition: TypeAlias = Any


"""A value, a tuple of values, or a mapping with ``from`` (at least) and ``below`` (less than)."""


ENDS = ("from", "below")


CONDITIONS_FIX = "a value ('F'), several (['F', 'M']), or an interval ({'from': 30, 'below': 40})"


def checked_condition(column: str, given: object) -> Condition:
    """A condition as a value that can be compared and saved."""
    if isinstance(given, Mapping):
        if not given or not set(given) <= set(ENDS):
            raise TacitError(
                "has an interval without from and below", code="missing_parameter", column=column, fix=CONDITIONS_FIX
            )
        ends = {end: _check_scalar(column, given[end]) for end in ENDS if end in given}
        if len(ends) == 2 and not ends["from"] < ends["below"]:
            raise TacitError(
                "has an interval that is empty", code="unsuitable_column", column=column, fix=CONDITIONS_FIX
            )
        return FrozenDict(ends)
    if isinstance(given, Sequence) and not isinstance(given, str | bytes):
        if not given:
            raise TacitError("has a list without a value", code="missing_parameter", column=column, fix=CONDITIONS_FIX)
        return tuple(_check_scalar(column, one) for one in given)
    return _check_scalar(column, given)


def _check_scalar(column: str, given: object) -> Any:
    if isinstance(given, str | bool | dt.date) or is_number(given):
        return given.isoformat() if isinstance(given, dt.date) else given
    raise TacitError(
        f"has a condition that is {format_value(given)}", code="unsuitable_column", column=column, fix=CONDITIONS_FIX
    )


def matching_records(release: Release, column: str, condition: Condition) -> np.ndarray:
    """The records whose value meets the condition; each different value is looked at once. O(n).

    A condition that no record meets is an error: a misspelt value would hide nothing, and nobody would know.
    """
    codes = release.codes(column)
    values = codes.dictionary.to_list()
    ask = _typed_condition(column, condition, release.types[column])
    meets = np.array([_meets_condition(value, ask) for value in values] + [False], dtype=bool)
    found: np.ndarray = meets[codes.codes]
    if not found.any():
        raise TacitError(
            "has no value that meets the condition on it",
            code="missing_values",
            column=column,
            fix="check its spelling, or leave the rule out",
        )
    return found


def _meets_condition(value: Any, ask: Condition) -> bool:
    if isinstance(ask, Mapping):
        return ("from" not in ask or value >= ask["from"]) and ("below" not in ask or value < ask["below"])
    return value in ask


def _typed_condition(column: str, condition: Condition, type_: str) -> Any:
    """The condition in values of the column's type."""
    if isinstance(condition, Mapping):
        if type_ in ("text", "boolean"):
            raise TacitError(
                f"has an interval and holds {type_}", code="wrong_kind", column=column, fix="name the values instead"
            )
        return {end: _cast_value(column, one, type_) for end, one in condition.items()}
    listed = condition if isinstance(condition, tuple) else (condition,)
    return tuple(_cast_value(column, one, type_) for one in listed)


def _cast_value(column: str, value: Any, type_: str) -> Any:
    fits = {
        "text": isinstance(value, str),
        "boolean": isinstance(value, bool),
        "integer": is_number(value),
        "number": is_number(value),
    }.get(type_, isinstance(value, str))
    if fits and type_ in ("date", "datetime"):
        try:
            return (dt.date if type_ == "date" else dt.datetime).fromisoformat(value)
        except ValueError:
            fits = False
    if not fits:
        raise TacitError(
            f"holds {type_}, and the condition is {format_value(value)}",
            code="wrong_kind",
            column=column,
            fix="give a value of its type",
        )
    return value


def condition_expression(column: str, condition: Condition, type_: str) -> pl.Expr:
    """The condition for Polars: another way than :func:`matching_records`, for the check afterwards; missing does not meet it."""
    import polars as pl

    ask, held = _typed_condition(column, condition, type_), pl.col(column)
    if not isinstance(ask, Mapping):
        return held.is_in(list(ask)).fill_null(False)
    whole = pl.lit(True)
    if "from" in ask:
        whole = whole & (held >= ask["from"])
    if "below" in ask:
        whole = whole & (held < ask["below"])
    return whole.fill_null(False)


def fitting_values(condition: Condition) -> str:
    """The condition as text, for internal pages."""
    if isinstance(condition, Mapping):
        return f"[{condition.get('from', '')}..{condition.get('below', '')})"
    return " or ".join(map(str, condition)) if isinstance(condition, tuple) else str(condition)


FIX = '{"given": {"sex": "F"}, "then": {"diagnosis": "I21.4"}}; without "then" the records that meet "given" are to be few'


@dataclass(frozen=True, slots=True)
class DeclaredRule:
    """A rule on records: whoever meets all of ``given`` meets all of ``then``."""

    given: Mapping[str, Condition]
    then: Mapping[str, Condition]

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns of both sides."""
        return (*self.given, *self.then)

    def __str__(self) -> str:
        sides = [
            ", ".join(f"{column}={fitting_values(one)}" for column, one in side.items())
            for side in (self.given, self.then)
        ]
        return " -> ".join(side for side in sides if side)


def parse_rule(given: object) -> DeclaredRule:
    """A rule as a plan has it."""
    if not isinstance(given, Mapping) or not {"given"} <= set(given) <= {"given", "then"}:
        raise TacitError("a rule has given and then, and nothing else", code="invalid_parameter", fix=f"e.g. {FIX}")
    sides = []
    for name in ("given", "then"):
        side = given.get(name, {})
        if not isinstance(side, Mapping) or (name == "given" and not side):
            raise TacitError(f"a rule's {name} names no columns", code="no_usable_column", fix=f"e.g. {FIX}")
        check_columns(list(side))
        sides.append(FrozenDict({column: checked_condition(column, one) for column, one in side.items()}))
    both = set(sides[0]) & set(sides[1])
    if both:
        raise TacitError("is on both sides of a rule", code="duplicate", column=min(both), fix="leave it out of one")
    return DeclaredRule(sides[0], sides[1])


class Records:
    """The rules on one release: units are columns, and a blank ends every rule that reads the cell."""

    def __init__(self, release: Release, rules: Sequence[DeclaredRule], *, ignored: bool) -> None:
        self._ignored = ignored
        self.columns = check_columns(
            list(dict.fromkeys(column for rule in rules for column in rule.columns)), release.columns
        )
        self._release, self._rules = release, rules
        self._fits = [
            {column: matching_records(release, column, one) for column, one in {**rule.given, **rule.then}.items()}
            for rule in rules
        ]
        self._filled = np.stack([release.valid(column) for column in self.columns])

    def problem(self, cells: Cells, limits: Sequence[Limit], least: int) -> Problem:
        """What is left to do when cells (row, place of the column) are blank."""
        filled = self._filled.copy()
        filled[cells.codes, cells.rows] = False
        sought = tuple(
            self._find_rule(rule, fits, limit, filled)
            for rule, fits, limit in zip(self._rules, self._fits, limits, strict=True)
        )
        return Problem(size=self._release.size, lengths=filled.sum(axis=0), least=least, sought=sought)

    def _find_rule(
        self, rule: DeclaredRule, fits: Mapping[str, np.ndarray], limit: Limit, filled: np.ndarray
    ) -> SensitivePattern:
        unit = {column: self.columns.index(column) for column in rule.columns}
        now = {column: fits[column] & filled[unit[column]] for column in rule.columns}
        # Whoever ignores blanks does not count a record of the body whose head is blank.
        read = [filled[unit[column]] for column in rule.then] if self._ignored else []
        body = np.logical_and.reduce([*(now[column] for column in rule.given), *read])
        whole = np.logical_and.reduce([body, *(now[column] for column in rule.then)])
        return SensitivePattern(
            units=tuple(sorted(unit.values())),
            victims=tuple(unit[column] for column in rule.then or rule.given),
            rows=np.flatnonzero(whole),
            limit=limit,
            often={unit[column]: int(now[column].sum()) for column in rule.columns},
            body_units=tuple(unit[column] for column in (rule.columns if self._ignored else rule.given))
            if rule.then
            else (),
            body_rows=np.flatnonzero(body) if rule.then else None,
        )

    def similar_records(self, row: int, unit: int) -> np.ndarray:
        """The records that look like one whose cell is blanked: they meet the rest of a rule of its, and not that cell's."""
        column = self.columns[unit]
        for rule, fits in zip(self._rules, self._fits, strict=True):
            if column in rule.columns and all(fits[one][row] for one in rule.columns):
                rest = [fits[one] for one in rule.columns if one != column]
                free = self._filled[unit] & ~fits[column]
                return np.flatnonzero(np.logical_and.reduce([free, *rest]))
        return np.zeros(0, np.int64)

    def count_rules(self, masked: Release) -> list[dict[str, object]]:
        """Support and confidence of each rule in a release, and the most that blanks leave possible; by Polars alone."""
        import polars as pl

        frame = pl.DataFrame({column: masked.series(column) for column in self.columns})
        found = []
        for rule in self._rules:
            met = {
                column: condition_expression(column, one, masked.types[column])
                for column, one in {**rule.given, **rule.then}.items()
            }
            read = [pl.col(column).is_not_null() for column in rule.then] if self._ignored else []
            body = pl.all_horizontal([*(met[column] for column in rule.given), *read])
            may = pl.all_horizontal([one | pl.col(column).is_null() for column, one in met.items()])
            counts = frame.select(
                body=body.sum(), both=pl.all_horizontal(list(met.values())).sum(), most=may.sum()
            ).row(0)
            found.append({"rule": str(rule), "body": counts[0], "support": counts[1], "most": counts[2]})
        return found


By = Literal["exact", "sliding_window", "min_fia", "max_fia"]


Blanks = Literal["ignored", "absent"]


WAYS: dict[str, HidingMethod] = {
    "exact": Exact(keep="none"),
    "sliding_window": SlidingWindow(),
    "min_fia": MinFia(),
    "max_fia": MaxFia(),
}


@describe(
    tags=Tags(about="attribute", kind="method", shown="proven"),
    effects=MethodEffects("nothing", blanks=True),
    family="remove",
    example={
        "rules": [{"given": {"sex": "F"}, "then": {"education": {"from": 6}}}],
        "minsup": 0.05,
        "minconf": 0.2,
    },
    use="A rule or a path of a decision tree that the file shows is itself the secret: it must not be found in it.",
    avoid="The values of single people are the secret: a rule that is hidden leaves them as they are.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class HideRules:
    r"""Blank few cells so that declared rules fall below a support or a confidence.

    A rule says: whoever meets ``given`` meets ``then``, e.g. ``{"given": {"sex": "F", "birth": {"from": "1980-01-01"}},
    "then": {"diagnosis": "I21.4"}}``; a condition is a value, a list of values, or an interval with ``from`` and
    ``below``. Without ``then`` it is a pattern, hidden by its support alone. A rule is mined when at least ``minsup``
    of the records (a share, or a whole number of them) meet both sides, and of those that meet ``given`` at least the
    share ``minconf`` meets ``then``. Records count alike, whatever their weight. ``blanks`` says how a miner reads a
    missing cell of ``then``: ``"ignored"``, as most learners do, leaves the record out, so that a blank lowers the
    confidence only as long as others are left who do not meet ``then``; ``"absent"`` counts it as not met, which needs
    fewer blanks. What is hidden from the first reader is hidden from the second.

    ``by="exact"`` blanks the fewest cells, proven by an integer program (:class:`.rules.Exact`); the others are
    heuristics for very many rules. ``spread`` draws for each rule how much further below it falls, up to that share of its
    threshold. A blank in a rule's cell tells that it was worth blanking: ``decoys`` blanks are added for each, in records
    that meet the rest of the rule but not that cell's condition, as far as there are any; for a reader who ignores blanks
    they cost more blanks in turn. Cells that are equal within every household are blanked for all its members.

    **Claim**: no rule is mined from the result by the reader that ``blanks`` names. *Checked* by a count in Polars that
    shares nothing with the search (``evidence["rules"]``), and in the tests by counting rows one by one. Whoever takes
    blanks for anything finds at most ``evidence["rules"][i]["most"]`` records. The rules, thresholds and margins are not
    in the trace: they are what was hidden.

    Time O(n · columns of the rules) and the integer program over groups of like records; memory O(n · columns).

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"sex": ["F"] * 4 + ["M"] * 4, "ill": ["flu"] * 3 + ["cold"] * 5}))
    >>> rule = {"given": {"sex": "F"}, "then": {"ill": "flu"}}
    >>> m = r.protect(HideRules(rules=[rule], minsup=2, minconf=0.7))
    >>> m.to_native()["ill"].null_count(), m.evidence["rules"]
    (1, [{'rule': 'sex=F -> ill=flu', 'body': 3, 'support': 2, 'most': 3}])

    References
    ----------
    Atallah et al. (1999), Disclosure limitation of sensitive rules, IEEE KDEX, 45–52.
    Saygin, Verykios, Clifton (2001), Using unknowns to prevent discovery of association rules, SIGMOD Record 30(4), 45–54.
    """

    rules: Sequence[Mapping[str, Any]]
    minsup: float
    minconf: float | None = None
    by: By = "exact"
    blanks: Blanks = "ignored"
    spread: float = 0.0
    decoys: float = 0.0

    def __post_init__(self) -> None:
        if isinstance(self.rules, str | Mapping) or not isinstance(self.rules, Sequence) or not self.rules:
            raise TacitError(
                f"rules={format_value(self.rules)} is no list of rules",
                code="wrong_type",
                parameter="rules",
                fix=EXAMPLE,
            )
        found = tuple(parse_rule(one) for one in self.rules)
        object.__setattr__(self, "rules", tuple(_freeze_rule(one) for one in found))
        if not isinstance(self.minsup, int) or isinstance(self.minsup, bool) or self.minsup < 1:
            share_of(self.minsup, "minsup", zero=False)
        if self.minconf is not None:
            parse_confidence(self.minconf)
        elif any(one.then for one in found):
            raise TacitError(
                "a rule has a confidence, and none is given", code="invalid_parameter", fix="e.g. minconf=0.6"
            )
        for name, words in (("by", get_args(By)), ("blanks", get_args(Blanks))):
            if getattr(self, name) not in words:
                given = getattr(self, name)
                raise TacitError(
                    f"{name}={format_value(given)} is unknown",
                    code="unknown_name",
                    parameter=name,
                    fix=suggest_alternative(str(given), words),
                )
        share_of(self.spread, "spread", zero=True)
        if not is_number(self.decoys) or self.decoys < 0:
            raise TacitError(
                f"decoys={format_value(self.decoys)} is no number of blanks",
                code="wrong_kind",
                parameter="decoys",
                fix="e.g. decoys=1",
            )

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release with blanks; the outcome has their number in each column."""
        if not release.size:
            raise TacitError(
                "the release has no rows", code="too_few_records", fix="check the file or the filter that made it"
            )
        report_progress(progress, "hide_rules", 0.0)
        rules = [parse_rule(one) for one in self.rules]
        held = Records(release, rules, ignored=self.blanks == "ignored")
        rng = make_rng(self, seed) if self.spread or self.decoys else None
        least = least_count(self.minsup, release.size)
        plain_limits = [Limit(least=least, conf=parse_confidence(self.minconf) if one.then else None) for one in rules]
        before = held.problem(Cells.of([], []), plain_limits, least)
        limits = [
            Limit(least=one.limit.least, conf=one.limit.conf, margin=_draw_margin(one.most_left + 1, self.spread, rng))
            for one in before.sought
        ]
        cells, evidence = self._choose_cells(release, held, limits, least, rng, progress)
        rows = {column: np.zeros(release.size, dtype=bool) for column in held.columns}
        for unit, column in enumerate(held.columns):
            rows[column][cells.rows[cells.codes == unit]] = True
        lost = {column: marked for column, marked in rows.items() if marked.any()}
        masked = release.suppress_cells(lost) if lost else release
        absent = [str(rule) for rule, one in zip(rules, before.sought, strict=True) if not one.is_exposed]
        counted = _check_hidden(held.count_rules(masked), plain_limits)
        report_progress(progress, "hide_rules", 1.0)
        counts = {column: int(marked.sum()) for column, marked in lost.items()}
        return Masked(
            masked, (self._publish_trace(counts, absent),), evidence={**evidence, "rules": counted, "absent": absent}
        )

    def _choose_cells(
        self,
        release: Release,
        held: Records,
        limits: Sequence[Limit],
        least: int,
        rng: np.random.Generator | None,
        progress: Progress | None,
    ) -> tuple[Cells, dict[str, Any]]:
        """The cells with their decoys; decoys may end the body of a rule, so it is looked again."""

        def whole(cells: Cells) -> Cells:
            return _for_households(release, held.columns, cells)

        cells, evidence = until_hidden(lambda gone: held.problem(whole(gone), limits, least), WAYS[self.by], progress)
        if len(whole(cells)) > len(cells):
            evidence["proven"] = False
        cells = whole(cells)
        if rng is not None and self.decoys:
            veiled = whole(cells.union(_draw_decoys(held, cells, self.decoys, rng)))
            more, _ = until_hidden(
                lambda gone: held.problem(whole(veiled.union(gone)), limits, least), WAYS[self.by], progress
            )
            evidence["decoys"] = len(veiled) - len(cells)
            cells = whole(veiled.union(more))
        return cells, evidence

    def _publish_trace(self, counts: Mapping[str, int], absent: Sequence[str]) -> Trace:
        """What may be published: the way, and the blanks in each column."""
        kept = {name: Finding(to_plain_data(getattr(self, name)), publishable=False) for name in HELD_BACK}
        if absent:
            kept["nothing_to_hide"] = Finding(list(absent), publishable=False)
        blanks = Finding(dict(counts), publishable=True, counts=True)
        published = {"by": self.by, "blanks": self.blanks, "decoys": self.decoys}
        return replace(Trace.of(self, suppressed=blanks, **kept), parameters=published)


EXAMPLE = 'e.g. rules=[{"given": {"sex": "F"}, "then": {"diagnosis": "I21.4"}}]'


HELD_BACK = ("rules", "minsup", "minconf", "spread")


"""Parameters that tell what was hidden, or how far below which threshold."""


def _freeze_rule(rule: DeclaredRule) -> Any:
    from ..frozen import FrozenDict

    return FrozenDict(given=rule.given, then=rule.then) if rule.then else FrozenDict(given=rule.given)


def _draw_margin(top: int, spread: float, rng: np.random.Generator | None) -> int:
    return int(rng.integers(0, int(spread * top) + 1)) if rng is not None and spread else 0


def _for_households(release: Release, columns: Sequence[str], cells: Cells) -> Cells:
    """The cells with those of all members where a column describes the household."""
    if release.household is None or not len(cells):
        return cells
    level, household = household_level(release, columns), one_per_household(release)[1]
    found = cells
    for unit, column in enumerate(columns):
        mine = cells.rows[cells.codes == unit]
        if column in level and len(mine):
            members = np.flatnonzero(np.isin(household, household[mine]))
            found = found.union(Cells.of(members, np.full(len(members), unit)))
    return found


def _draw_decoys(held: Records, cells: Cells, share: float, rng: np.random.Generator) -> Cells:
    """For each blank a draw from the records that look like its own."""
    rows: list[int] = []
    units: list[int] = []
    for unit in np.unique(cells.codes).tolist():
        mine = cells.rows[cells.codes == unit]
        pools = [held.similar_records(row, unit) for row in mine.tolist()]
        pool = np.setdiff1d(np.unique(np.concatenate(pools)), mine)
        drawn = rng.choice(pool, min(round(share * len(mine)), len(pool)), replace=False)
        rows += drawn.tolist()
        units += [unit] * len(drawn)
    return Cells.of(rows, units)


def _check_hidden(counted: list[dict[str, Any]], limits: Sequence[Limit]) -> list[dict[str, Any]]:
    """The independent count; a rule that can still be mined is a defect of the search."""
    for found, limit in zip(counted, limits, strict=True):
        enough = limit.conf is None or found["support"] >= limit.conf * found["body"]
        if found["support"] >= limit.least and enough:
            raise AssertionError("hide_rules left a rule that can be mined")
    return counted
