"""Intersection and union are those of the trusted party; who sees what on the way; planted mistakes are seen (I-05)."""

from __future__ import annotations

import asyncio
from functools import partial
from itertools import combinations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import TacitError
from tacit.multiparty import group
from tacit.multiparty.faults import BadMessage, Contradiction, Fault
from tacit.multiparty.local_network import LocalNetwork, run_protocol
from tacit.multiparty.protocols import commutative, set_intersection, set_union
from tacit.multiparty.ring import Ring
from tacit.multiparty.session import task_of

from .ideal import trusted_intersection, trusted_union
from .over_tls import agreed, joined
from .parties import everybody, house

ITEMS = st.sets(st.text(st.characters(exclude_categories=["Cs"]), max_size=7), max_size=4)
PROGRAMS = {
    "intersection": set_intersection.set_intersection,
    "size": set_intersection.common_count,
    "union": set_union.set_union,
}


def run(name, sets, seats=None):
    names = "ABCDE"[: len(sets)]
    table = LocalNetwork(names, Ring(2**64))
    table.seats |= {} if seats is None else {who: made(table.seats[who]) for who, made in seats.items()}
    return run_protocol(PROGRAMS[name], dict(zip(names, sets, strict=True)), table), table


@settings(max_examples=15)
@given(st.lists(ITEMS, min_size=2, max_size=4))
def test_everybody_gets_what_a_trusted_party_gives(sets):  # catalogue: I-05
    """Four letters at most, so that sets meet; empty sets and equal ones are among them."""
    inputs = dict(zip("ABCDE", sets, strict=False))
    common, union = trusted_intersection(inputs), trusted_union(inputs)
    sizes = {name: len(items) for name, items in inputs.items()}
    for name, items, count in [("intersection", common, len(common)), ("union", union, len(union))]:
        for found in run(name, sets)[0].values():
            assert (found.items, found.count, found.sizes) == (items, count, sizes)
    assert {(found.items, found.count) for found in run("size", sets)[0].values()} == {(None, len(common))}


@pytest.mark.parametrize("name", PROGRAMS)
def test_only_the_first_party_sees_overlaps_and_they_are_right(name):
    sets = [["1", "2", "3", "4"], ["2", "3", "4", "5"], ["4", "9"]]
    found, _ = run(name, sets)
    assert found["B"].overlaps is None and found["C"].overlaps is None
    assert found["A"].overlaps == {("A",): 1, ("A", "B"): 2, ("A", "B", "C"): 1, ("B",): 1, ("C",): 1}


AFTERWARDS = ("items", "peeling", "points to be peeled")
"""Steps in which points of the result are shown on purpose."""


def messages(table, who):
    """The lists of points that a party received, by step and sender."""
    return {
        (sender, step): commutative.split_points(sender, step, bytes(words))
        for sender, step, words in table.seats[who].view
        if len(words) % group.SIZE == 0
    }


@pytest.fixture
def known_powers(monkeypatch):
    """Powers in a fixed order, so that two runs have the same; returned by turn: A, B, C."""
    powers = [group.new_power() for _ in range(3)]
    turn = iter(powers * 20)
    for module in (set_intersection, set_union):
        monkeypatch.setattr(module, "new_power", lambda: next(turn))
    return powers


SETS = [["1", "2", "3"], ["2", "3", "4"], ["3", "7"]]


@pytest.mark.parametrize("name", PROGRAMS)
def test_nobody_meets_a_point_twice_but_where_the_overlaps_say_so(name, known_powers):
    """Raised and peeled by one's own power as well; B and C see no two equal points before the items, A only overlaps."""
    _, table = run(name, SETS)
    for who, power in zip("ABC", known_powers, strict=True):
        hops = {key: points for key, points in messages(table, who).items() if not key[1].startswith(AFTERWARDS)}
        seen = {(key, way): set(made) for key, points in hops.items() for way, made in variants(points, power)}
        meets = sorted(
            len(seen[left] & seen[right]) for left, right in combinations(seen, 2) if seen[left] & seen[right]
        )
        if who != "A":
            assert meets == []
            continue
        # A holds B's and C's sets under all powers from others, and its last hop, which it raises itself: |B ∩ C| etc.
        sets_seen = [key for key in hops if key[1] == "set under all powers"]
        assert len(sets_seen) == 2 and len(set(hops[sets_seen[0]]) & set(hops[sets_seen[1]])) in (1, 2)


def variants(points, power):
    yield "as it is", points
    yield "raised", group.raise_points(points, power)
    yield "peeled", group.raise_points(points, group.invert_power(power))


def order_tells(name, known_powers):
    """Whether anything that anybody receives depends on the order of A's and B's rows."""
    views = []
    for sets in (SETS, [SETS[0][::-1], SETS[1][::-1], SETS[2]]):
        _, table = run(name, sets)
        views.append({who: table.seats[who].view for who in "ABC"})
    assert known_powers
    return views[0] != views[1]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_order_of_rows_is_in_no_message(name, known_powers):
    assert not order_tells(name, known_powers)


def test_an_unshuffled_union_is_seen(known_powers, monkeypatch):
    """Planted: lists keep their order."""
    monkeypatch.setattr(commutative, "sorted", list, raising=False)
    assert order_tells("union", known_powers)


SMALL = [
    bytes(32),  # y = 0, of order 4
    b"\x01" + bytes(31),  # the neutral point
    b"\xec" + b"\xff" * 30 + b"\x7f",  # y = −1, of order 2
    bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),  # of order 8
    b"\xee" + b"\xff" * 30 + b"\x7f",  # y = 1 + p: not canonical
    b"\x02" + bytes(31),  # off the curve
]


class Sends:
    """A seat that sends one wrong point instead of a list's first."""

    def __init__(self, seat, step, point):
        self.seat, self.step, self.point = seat, step, point

    def __getattr__(self, name):
        return getattr(self.seat, name)

    async def send_bytes(self, to, step, data):
        await self.seat.send_bytes(to, step, self.point + data[group.SIZE :] if step == self.step else data)


@pytest.mark.parametrize("point", SMALL)
@pytest.mark.parametrize("step", ["set, hop 1", "set under all powers", "peeling"])
def test_points_outside_the_group_are_refused_by_sender(point, step):
    with pytest.raises(BadMessage, match="party 'B' sent a point that is not in the group"):
        run("union", SETS, {"B": lambda seat: Sends(seat, step, point)})


def test_a_missing_check_would_be_seen(monkeypatch):
    """Planted: the first party takes points as they are, and the session goes on."""
    monkeypatch.setattr(commutative, "check_points", lambda _: None)
    found, _ = run("size", SETS, {"B": lambda seat: Sends(seat, "set under all powers", SMALL[1])})
    assert found["A"].sizes


@pytest.mark.parametrize("length", [1, 31, 33, 64])
def test_lists_of_another_length_or_with_repeats_are_refused(length):
    with pytest.raises((BadMessage, TacitError), match="party 'B' sent"):
        run("size", SETS, {"B": lambda seat: Sends(seat, "set, hop 1", group.hash_to_point("x") * length + b"?")})


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=7))
@settings(max_examples=10)
def test_what_is_encoded_can_be_read(item):
    assert group.decode_point(group.encode_point(item)) == item
    group.check_points([group.encode_point(item), group.hash_to_point(item)])


def test_items_that_no_point_holds_are_refused():
    assert group.decode_point(group.encode_point("é" * 14)) == "é" * 14
    with pytest.raises(TacitError, match="30 bytes"):
        group.encode_point("é" * 15)
    for point in (
        group.hash_to_point("x"),
        b"\0\0\xff" + bytes(28) + b"\x01",
        bytes(31) + b"\x1e",
        bytes(30) + b"a\x01",
    ):
        with pytest.raises(group.NotInGroup):
            group.decode_point(point)


def test_over_tls_two_parties_learn_what_they_have_in_common():
    frames = {"north": pl.DataFrame({"id": [1, 2, 3]}), "south": pl.DataFrame({"id": ["3", "1", "x"]})}
    found = joined(frames, "set_intersection", {"compute": "items", "column": "id", "rows": 9})
    assert [one.figures["items"] for one in found.values()] == [["1", "3"]] * 2
    assert [any("first party" in key for key in one.figures) for one in found.values()] == [True, False]


BAD = {
    "a repeated item": ({"id": [1, 2, 1]}, "repeats an earlier item in row 3"),
    "a missing item": ({"id": ["a", None]}, "missing value in row 2"),
    "numbers with decimals": ({"id": [1.5]}, "neither text nor whole"),
    "another column": ({"key": [1]}, "is not in the table"),
    "a long item": ({"id": ["a", "b" * 30]}, "more than 29 bytes in row 2"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_with_a_file_is_told_before_anything_is_sent(name):
    columns, said = BAD[name]
    task = task_of(agreed("AB", "set_union", {"compute": "items", "column": "id", "rows": 9}))
    with pytest.raises(TacitError, match=said):
        task.load_input(pl.DataFrame(columns), "A")


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ({"compute": "itms", "column": "id", "rows": 9}, "did you mean 'items'"),
        ({"compute": "items"}, "no column is named"),
        ({"compute": "items", "column": "id"}, "rows"),
        ({"compute": "items", "column": "id", "rows": 0}, "rows"),
        ({"compute": "items", "column": "id", "rows": 3, "row": 3}, "unknown key 'row'"),
    ],
)
def test_what_is_wrong_with_a_task_is_told(task, said):
    with pytest.raises(TacitError, match=said):
        task_of(agreed("AB", "set_union", task))


def test_two_parties_accept_what_a_union_tells():
    frame = pl.DataFrame({"id": ["a"]})
    with pytest.raises(TacitError, match="union alone tells"):
        joined({"A": frame, "B": frame}, "set_union", {"compute": "items", "column": "id", "rows": 9})


def stolen(sets, chosen, monkeypatch, *, program="intersection"):
    """How the session ends, and the table; A asks for ``chosen`` of everybody's points under all powers."""
    real = {"intersection": set_intersection, "union": set_union}[program]
    kept = {}

    async def compared(seat, points, power, *, most=None):
        found = await commutative.encrypt_sets(seat, points, power, most=most)
        kept[seat.me] = found
        return found

    async def announced(seat, points):
        return await commutative.announced_points(seat, chosen(kept["A"].sets) if seat.me == "A" else points)

    monkeypatch.setattr(real, "encrypt_sets", compared)
    monkeypatch.setattr(real, "announced_points", announced)
    names = "ABCDE"[: len(sets)]
    table = LocalNetwork(names, Ring(2**64))
    with pytest.raises(Fault) as ended:
        run_protocol(PROGRAMS[program], dict(zip(names, sets, strict=True)), table)
    return ended.value, table


def got(table, who):
    """The steps in which a party got points under its own power alone, or under none."""
    steps = [step for _, step, _ in table.seats[who].view]
    return [step for step in steps if step in (f"peeling for {who}", "peeling", "items")]


THEFTS = {
    "the whole set of the other": ([["1", "2"], ["2", "3", "4"]], lambda sets: sets["B"]),
    "one point of the other": ([["1", "2"], ["2", "3", "4"]], lambda sets: sorted(sets["B"] - sets["A"])[:1]),
    "the whole set of the second": (SETS, lambda sets: sets["B"]),
    "the whole set of the third": (SETS, lambda sets: sets["C"]),
    "what the others have in common": ([["1"], ["2", "3"], ["2", "3"]], lambda sets: sets["B"] & sets["C"]),
    "what it has in common with the third": ([["1", "3"], ["2", "4"], ["3", "4"]], lambda sets: sets["A"] & sets["C"]),
}


@pytest.mark.parametrize("kind", THEFTS)
def test_a_first_party_that_asks_for_more_than_the_common_points_gets_none(kind, monkeypatch):
    """Of two parties the whole set of the other was read once, and both exited with 0; of three the last, honest one was named."""
    sets, chosen = THEFTS[kind]
    ended, table = stolen(sets, chosen, monkeypatch)
    assert got(table, "A") == []
    assert (ended.party, ended.exit_code) in (("A", 11), ("", 14)), ended
    if kind != "what it has in common with the third":
        assert ended.party == "A"


@pytest.mark.parametrize("place", [1, 2, 3])
def test_who_changes_points_on_their_way_gets_nothing_and_no_honest_party_is_named(place):
    """B or C puts in points of a set that it holds: the one they are meant for sees that they are not its own."""
    cheat, step = {1: ("B", "peeling for C"), 2: ("C", "peeling for A"), 3: ("B", "peeling for A")}[place]

    sets = [["1", "2", "3"], ["1", "3", "4"], ["3", "1", "7"]]
    point = group.hash_to_point("x")
    with pytest.raises(Fault) as ended:
        run("intersection", sets, {cheat: lambda seat: Sends(seat, step, point)})
    assert isinstance(ended.value, Contradiction) and ended.value.exit_code == 14


LEFT_OUT = {
    "all but the third's": lambda sets: sets["C"],
    "the third's": lambda sets: (sets["A"] | sets["B"]) - sets["C"],
}


@pytest.mark.parametrize("kind", LEFT_OUT)
def test_a_union_without_somebodys_points_is_not_peeled(kind, monkeypatch):
    ended, table = stolen(SETS, LEFT_OUT[kind], monkeypatch, program="union")
    assert ended.party == "A" and ended.exit_code == 11 and got(table, "A") == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_nobody_brings_more_guesses_than_agreed(name):
    program = partial(PROGRAMS[name], most=3)
    with pytest.raises(BadMessage, match="party 'B' sent a set of more items than a party may bring"):
        run_protocol(program, {"A": ["1"], "B": list("1234"), "C": ["1"]}, LocalNetwork("ABC", Ring(2**64)))
    run_protocol(program, {"A": ["1"], "B": list("124"), "C": ["1"]}, LocalNetwork("ABC", Ring(2**64)))


def test_a_file_of_more_items_than_agreed_is_refused_before_anything_is_sent():
    task = task_of(agreed("AB", "set_intersection", {"compute": "items", "column": "id", "rows": 2}))
    with pytest.raises(TacitError, match="at most 2 a party"):
        task.load_input(pl.DataFrame({"id": [1, 2, 3]}), "A")


def test_over_tls_a_thief_is_named_by_both_others(monkeypatch):
    kept, real = {}, commutative.announced_points

    async def compared(seat, points, power, *, most=None):
        kept[seat.me] = await commutative.encrypt_sets(seat, points, power, most=most)
        return kept[seat.me]

    async def announced(seat, points):
        return await real(seat, kept["A"].sets["C"] if seat.me == "A" else points)

    monkeypatch.setattr(set_intersection, "encrypt_sets", compared)
    monkeypatch.setattr(set_intersection, "announced_points", announced)
    agreement, secrets = house("ABC", "set_intersection", task={"compute": "items", "column": "id", "rows": 9})
    frames = {name: pl.DataFrame({"id": items}) for name, items in zip("ABC", SETS, strict=True)}
    found = asyncio.run(everybody(agreement, secrets, frames=frames))
    assert {(found[name].party, found[name].exit_code) for name in "BC"} == {("A", 11)}, found
