"""Terms of people, as in search logs: groups of at least k people share one list of terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, get_args

import numpy as np
import polars as pl

from ..errors import TacitError, check_columns, check_int, format_value, suggest_alternative
from ..progress import report_progress, sub_progress
from ..registry import MethodEffects, Tags, describe
from ..release.hierarchy.nodes import nodes
from ..release.hierarchy.taxonomy import Taxonomy
from ..release.masked import Masked
from ..release.trace import FEWEST, Finding, Trace
from ..risk.user_k import Form
from ._microaggregation.partition import partition_points
from ._semantic.taxonomies import of_the_data
from .parameters import column_name, drop_metadata, make_rng

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.hierarchy.taxonomy import Distance
    from ..release.release import Release
    from ..seed import Seed

ROOM = 24
"""Dimensions into which people are projected."""

LENGTH = 0.25
"""How much it counts that one uses twice as many terms as another; sisters at depth 3 lie about 0.5 apart."""


@describe(
    tags=Tags(about="identity", kind="method", shown="proven"),
    effects=MethodEffects("changes", ("column",), drops=True, adds=True),
    family="special",
    example={"person": "household", "column": "diagnosis", "k": 3},
    use="Search logs, baskets, documents: many terms of each person, and a taxonomy of the terms.",
    avoid="Each person has one record (microaggregate), or analysts need the exact terms that go together.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class MaskTerms:
    r"""Give groups of at least ``k`` people with like terms one and the same list of terms.

    The table is a list of events: a column says who (``person``), another which term of a taxonomy (``column``), e.g.
    the queries of a search log or the words of documents. Two things hold afterwards:

    - **k people, one list.** Everybody's list (as a ``form``: ``"multiset"``, ``"set"`` or ``"sequence"``) is that of
      at least k people, so that no number of known terms leads to fewer: :func:`~tacit.risk.user_k` is k or more.
    - **No rare term.** A term that fewer than k people used is lifted to its lowest ancestor under which at least
      k people have terms: every term that is released stands for terms of k people or more. Such labels make the column
      one of text, remembered as ``mixed``.

    People are grouped by the shares of their terms under every concept of the taxonomy (the partition is that of
    :class:`~tacit.protect.Microaggregate`). A group's list has as many terms as its members have on average,
    rounded; its events, in the order of the taxonomy, are cut into that many blocks of equal size, and each block gives
    its semantic centroid: in proportion, and no term that nobody in the group is behind.

    **What is lost.** A person's own terms and their number: who had more events loses the rest, who had fewer gets
    copies of own rows (lineage −1) with the terms of the list. A sequence is that of the group, by mean place, and its
    ``order`` column becomes 1, 2, 3, …. Events without a term are left out. ONLY these columns are masked: other
    columns of the events (times, clicks) stay as they are and can single people out; drop or mask them. The
    trace names them.

    O(n log n) time about, O(n + people · 24) memory.

    >>> import polars as pl
    >>> from tacit import Release
    >>> from tacit.risk import user_k
    >>> terms = {"edges": {"flu": "ill", "cold": "ill", "tram": "go", "bus": "go", "ill": "all", "go": "all"}}
    >>> log = pl.DataFrame({"who": [1, 1, 2, 2, 3, 3, 4], "term": ["flu", "cold", "flu", "flu", "bus", "tram", "bus"]})
    >>> r = Release(log, hierarchies={"term": terms})
    >>> masked = r.protect(MaskTerms(person="who", column="term", k=2), seed=1)
    >>> masked.to_native().group_by("who", maintain_order=True).agg("term")["term"].to_list()
    [['flu', 'flu'], ['flu', 'flu'], ['bus', 'go'], ['bus', 'go']]
    >>> user_k(r, person="who", column="term").value, user_k(masked, person="who", column="term").value
    (1, 2)

    References
    ----------
    Erola, Castellà-Roca, Navarro-Arribas and Torra (2011), Semantic microaggregation for the anonymization of query logs
    using the Open Directory Project, SORT special issue, 41–58. Navarro-Arribas, Torra, Erola and Castellà-Roca (2012),
    User k-anonymity for privacy preserving data mining of query logs, Information Processing and Management 48,
    476–487. Batet, Erola, Sánchez and Castellà-Roca (2013), Utility preserving query log anonymization via semantic
    microaggregation, Information Sciences 242, 49–63.
    """

    person: str
    column: str
    k: int
    form: Form = "multiset"
    order: str | None = None

    def __post_init__(self) -> None:
        column_name(self.person)
        column_name(self.column)
        check_int("k", self.k, least=2)
        if self.form not in get_args(Form):
            raise TacitError(
                f"form={format_value(self.form)} is unknown",
                code="unknown_name",
                parameter="form",
                fix=suggest_alternative(str(self.form), get_args(Form)),
            )
        if (self.form == "sequence") != (self.order is not None):
            raise TacitError(
                "a sequence needs the column of its order, and only a sequence has one",
                code="missing_parameter",
                fix="e.g. form='sequence', order='time'",
            )
        given = (self.person, self.column, *(() if self.order is None else (column_name(self.order),)))
        check_columns(given)

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release with the lists of the groups; the outcome counts groups, events lost and copied."""
        check_columns([self.person, self.column, *filter(None, [self.order])], release.columns)
        report_progress(progress, "mask_terms", 0.0)
        rng = make_rng(self, seed)
        known = of_the_data(release, self.column)
        found = read_events(
            release, self.person, self.column, form=self.form, order=self.order, place=known.depth_first_order()
        )
        people = len(found.counts)
        if people < self.k:
            raise TacitError(
                f"k={self.k} is above the {people} people who have terms",
                code="out_of_range",
                parameter="k",
                column=self.person,
                fix="use a smaller k",
            )
        used = lift_terms(release, self.column, known, found, self.k)
        mixed = rng.permutation(people)
        group = np.empty(people, dtype=np.int64)
        group[mixed] = partition_points(
            embed_people(found, used, rng)[mixed], self.k, rng=rng, progress=sub_progress(progress, 0.2, 0.8)
        )
        made = group_profiles(found, used, group, self.form)
        laid = _laid_out(found, made, group)
        masked = self._replace_terms(release, used, laid)
        report_progress(progress, "mask_terms", 1.0)
        outcome = self._make_findings(release, used, group, laid)
        return Masked(masked, (Trace.of(self, **outcome),), laid.lineage)

    def _replace_terms(self, release: Release, used: Concepts, laid: _MaskedRows) -> Release:
        """The rows with their new terms, in the column's own type unless a term was lifted."""
        labels = used.known.values.gather(laid.concept).alias(self.column)
        if not used.lifted:
            codes = release.codes(self.column)
            place = {text: at for at, text in enumerate(codes.dictionary.cast(pl.String))}
            labels = codes.dictionary.gather([place[text] for text in labels]).alias(self.column)
        changes: dict[str, np.ndarray | pl.Series] = {self.column: labels}
        out = release.take(laid.row)
        if self.order is not None:
            changes[self.order] = laid.place + 1
            out = drop_metadata(out, [self.order], hierarchies=True)
        out = drop_metadata(out.with_columns(changes), [self.column], hierarchies=False)
        return out.with_metadata(mixed=(*out.mixed, self.column)) if used.lifted else out

    def _make_findings(
        self, release: Release, used: Concepts, group: np.ndarray, laid: _MaskedRows
    ) -> dict[str, Finding]:
        apart = used.known.distance(release.codes(self.column).codes[laid.row].astype(np.int64), laid.concept)
        sizes = np.bincount(group)
        others = [name for name in release.columns if name not in (self.person, self.column, self.order)]
        kept = int((laid.lineage >= 0).sum())
        return {
            "people": Finding(len(group), publishable=True, counts=True),
            "groups": Finding(len(sizes), publishable=True),
            "smallest_group": Finding(int(sizes.min()), publishable=True),
            "events_lost": Finding(release.size - kept, publishable=True, counts=True),
            "events_copied": Finding(len(laid.row) - kept, publishable=True, counts=True),
            "lifted": Finding(used.lifted, publishable=True),
            "distance": Finding(float(apart.mean()), publishable=len(apart) >= FEWEST),
            "columns_left_as_they_are": Finding(others, publishable=True),
        }


@dataclass(frozen=True, eq=False)
class _MaskedRows:
    """The released rows: the row each was made from, its lineage, its place in the list and its concept."""

    row: np.ndarray
    lineage: np.ndarray
    place: np.ndarray
    concept: np.ndarray


def _laid_out(found: Events, made: Profiles, group: np.ndarray) -> _MaskedRows:
    """The list of the group for each person, spread evenly over the person's own events in their order.

    People follow each other as they first appear in the file; the order of the rows of one tells nothing.
    """
    counts, start = found.counts, found.start
    appears = np.argsort(np.minimum.reduceat(found.row, start))
    length = np.diff(made.start)[group[appears]]
    who = np.repeat(appears, length)
    place = np.arange(len(who)) - np.repeat(np.cumsum(length) - length, length)
    lengths = np.repeat(length, length)
    event = start[who] + (2 * place + 1) * counts[who] // (2 * lengths)
    row = found.row[event]
    again = np.append(False, event[1:] == event[:-1])
    return _MaskedRows(row, np.where(again, -1, row), place, made.concept[made.start[group[who]] + place])


class Profiles(NamedTuple):
    """Group g is given the concepts ``concept[start[g]:start[g + 1]]``, in this order."""

    concept: np.ndarray
    start: np.ndarray


def embed_people(found: Events, used: Concepts, rng: np.random.Generator) -> np.ndarray:
    r"""People as points: for each concept and each of its ancestors the share of the person's terms that lie under it.

    Squared distances between these shares are kept on average by a projection on 24 random directions of signs; one
    more dimension is the number of terms, as its logarithm. O(n · 24) time, O(people · 24) memory.
    """
    line, own = used.known.line, used.known.own
    height = line.shape[1] - 1
    table = np.zeros((len(line), ROOM))
    for level in range(height):
        signs = rng.choice((-1.0, 1.0), (int(line[:, level].max(initial=0)) + 1, ROOM))
        table += np.where(own[:, level, None], signs[line[:, level]], 0.0)
    table /= np.sqrt(2 * max(1, height) * ROOM)
    counts = found.counts
    placed = table[used.of_term[found.term]]
    shares = np.column_stack([np.bincount(found.person, weights=axis) for axis in placed.T]) / counts[:, None]
    return np.column_stack([shares, LENGTH * np.log2(counts)])


def group_profiles(found: Events, used: Concepts, group: np.ndarray, form: Form) -> Profiles:
    r"""For every group as many terms as its members have on average, rounded, each the centroid of equally many events.

    The events of the group stand in the order of a depth-first walk of the taxonomy and are cut into that many blocks
    of equal size; each block gives its semantic centroid. So every branch gets its share of the profile, to within one
    place. Events that only the root covers tell nothing and are left out, unless there is no other. Of a set each
    term comes once; in a sequence the blocks follow the mean place of their events. O(n log n) time.
    """
    concept = used.of_term[found.term]
    of = group[found.person]
    members = np.bincount(group)
    groups = len(members)
    said = concept != used.top
    kept = said | (np.bincount(of, weights=said, minlength=groups) == 0)[of]
    within = _relative_positions(found)[kept]
    concept, of = concept[kept], of[kept]
    sort = np.lexsort((concept, used.known.depth_first_order()[concept], of))
    concept, of, within = concept[sort], of[sort], within[sort]
    size = np.bincount(of, minlength=groups)
    wanted = np.rint(np.bincount(group[found.person], minlength=groups) / members).astype(np.int64)
    length = np.clip(wanted, 1, size)
    rank = np.arange(len(of)) - (np.cumsum(size) - size)[of]
    block = (np.cumsum(length) - length)[of] + rank * length[of] // size[of]
    chosen = group_centroids(used.known, concept, block)
    owner = np.repeat(np.arange(groups), length)
    if form == "sequence":
        mean = np.bincount(block, weights=within) / np.bincount(block)
        chosen = chosen[np.lexsort((np.arange(len(chosen)), mean, owner))]
    elif form == "set":
        count = len(used.known.values)
        pairs = np.unique(owner * count + chosen)
        owner, chosen = pairs // count, pairs % count
    return Profiles(chosen, np.searchsorted(owner, np.arange(groups + 1)))


def _relative_positions(found: Events) -> np.ndarray:
    """Where in the list of its person each event stands, from 0 to 1."""
    counts = found.counts[found.person]
    placed: np.ndarray = (np.arange(len(found.person)) - found.start[found.person] + 0.5) / counts
    return placed


def group_centroids(known: Taxonomy, values: np.ndarray, group: np.ndarray, by: Distance = "ancestors") -> np.ndarray:
    r"""The value of each group, one of its own, with the least summed distance to the values of the group.

    .. math:: c_g = \arg\min_{c \in g} \sum_{v \in g} d(c, v)

    ``values`` are numbers of the taxonomy, the groups are numbered from 0 without gaps. Ties: the first in
    the taxonomy, so that the order of the file does not matter. Equal values are counted, not compared: O(n log n + Σ different² · height) time, O(n) memory.

    >>> import polars as pl
    >>> from tacit.release.hierarchy.build import from_edges
    >>> from tacit.release.hierarchy.taxonomy import build_taxonomy
    >>> jobs = from_edges({"surgeon": "health", "nurse": "health", "health": "work", "clerk": "work"})
    >>> known = build_taxonomy(jobs, "job", pl.Series(["surgeon", "nurse", "clerk"]))
    >>> group_centroids(known, np.array([0, 1, 2, 2, 1, 1]), np.array([0, 0, 0, 1, 1, 1])).tolist()
    [0, 1]

    References
    ----------
    Martínez, Sánchez and Valls (2012), Semantic adaptive microaggregation of categorical microdata, Computers &
    Security 31, 653–672.
    """
    from ..kernels.centroids import group_centroids as nearest

    count = len(known.values)
    pairs, often = np.unique(group.astype(np.int64) * count + values, return_counts=True)
    different = pairs % count
    start = np.searchsorted(pairs, np.arange(int(group.max(initial=-1)) + 2) * count)
    chosen = nearest(start, different, often, known.line, known.own, by == "ancestors")
    found: np.ndarray = different[chosen]
    return found


@dataclass(frozen=True, eq=False)
class Concepts:
    """What each term is released as at the finest.

    ``of_term[t]`` is the concept of term t: a number in ``known``, the taxonomy of the terms (first, numbered as they
    are) and of the concepts behind them. ``top`` is the number of the root if a term is lifted to it, else −1;
    ``lifted`` says whether any concept is another than the terms themselves.
    """

    known: Taxonomy
    of_term: np.ndarray
    top: int
    lifted: bool


def lift_terms(release: Release, column: str, known: Taxonomy, found: Events, k: int) -> Concepts:
    """Each term, or its lowest ancestor under which at least k people have events; O(height · n log n) time.

    A concept that a taxonomy shows at several levels is one: where a value is also a node above others, a term that
    is lifted to that node is released as that value.
    """
    terms, height = known.line.shape[0], known.line.shape[1] - 1
    every = np.arange(terms)
    level = np.full(terms, height)
    for at in range(height - 1, -1, -1):
        node = known.line[:, at].astype(np.int64)
        pairs = np.unique(node[found.term] * (int(found.person.max()) + 1) + found.person)
        users = np.bincount(pairs // (int(found.person.max()) + 1), minlength=int(node.max()) + 1)
        level[users[node] >= k] = at
    shown = _own_level(known.own, level)
    node = known.line[every, shown].astype(np.int64)
    _, first, concept = np.unique(shown * terms + node, return_index=True, return_inverse=True)
    named = nodes(release.hierarchies[column], column, known.values)
    text = [known.values.cast(pl.String), *named.labels[1:]]
    labels = pl.Series([text[shown[t]][int(node[t])] for t in first], dtype=pl.String)
    names = pl.concat([text[0].rename("term"), labels.rename("term")])
    both = known.lift_to_levels(np.append(every, first), np.append(np.zeros(terms, np.int64), shown[first]), names)
    root = np.flatnonzero(shown[first] == height)
    lifted = bool((labels.gather(concept) != text[0].alias("")).any())
    return Concepts(both, terms + concept, terms + int(root[0]) if len(root) else -1, lifted)


def _own_level(own: np.ndarray, level: np.ndarray) -> np.ndarray:
    """The lowest level from the given one up at which the node is a concept of its own."""
    from_here = own & (np.arange(own.shape[1])[None, :] >= level[:, None])
    found: np.ndarray = from_here.argmax(axis=1)
    return found


@dataclass(frozen=True, eq=False)
class Events:
    """Events in the order of the people, and within a person in an order that the values decide.

    Event i stands in row ``row[i]``: person ``person[i]`` (numbered from 0) used the term with the code ``term[i]``.
    """

    row: np.ndarray
    person: np.ndarray
    term: np.ndarray

    @property
    def counts(self) -> np.ndarray:
        """How many events each person has."""
        return np.bincount(self.person)

    @property
    def start(self) -> np.ndarray:
        """Where the events of each person begin."""
        counts = self.counts
        found: np.ndarray = np.cumsum(counts) - counts
        return found


def read_events(
    release: Release, person: str, column: str, *, form: Form, order: str | None, place: np.ndarray
) -> Events:
    """The events that have a term; of a set each term of a person once. O(n log n) time.

    Within a person they are in the order of ``order`` for a sequence, else in that of ``place``, one for each code.
    """
    people, terms = release.codes(person), release.codes(column)
    for name, codes in ((person, people), *(((order, release.codes(order)),) if order is not None else ())):
        if codes.has_missing:
            lost = codes.codes == codes.missing
            raise TacitError(
                f"is missing in {int(lost.sum()):,} rows, the first of them row {int(lost.argmax()) + 1}",
                code="missing_values",
                column=name,
                fix="remove these rows, or fill the cells: each event belongs to a person"
                + (" and has its place in the sequence" if order is not None else ""),
            )
    rows = np.flatnonzero(terms.codes < len(terms.dictionary))
    if not len(rows):
        raise TacitError(
            "has no term",
            code="missing_values",
            column=column,
            fix="check the column, or the filter that made the file",
        )
    term = terms.codes[rows].astype(np.int64)
    who = np.unique(people.codes[rows], return_inverse=True)[1].astype(np.int64)
    within = place[term] if order is None else release.codes(order).codes[rows]
    sort = np.lexsort((term, within, who))
    rows, who, term = rows[sort], who[sort], term[sort]
    if form == "set":
        first = np.append(True, (np.diff(who) != 0) | (np.diff(term) != 0))
        rows, who, term = rows[first], who[first], term[first]
    return Events(rows, who, term)
