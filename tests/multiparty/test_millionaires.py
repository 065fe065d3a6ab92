"""Garbled comparison, oblivious transfer, and the two together against the trusted party (I-05)."""

from __future__ import annotations

import hashlib
import random
import secrets
from functools import partial
from itertools import combinations, product

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import TacitError
from tacit.multiparty import garbling, group
from tacit.multiparty.faults import BadMessage
from tacit.multiparty.garbling import evaluate_circuit, garble_circuit, output_hash
from tacit.multiparty.local_network import LocalNetwork, run_protocol
from tacit.multiparty.ring import Ring
from tacit.multiparty.session import check_task
from tacit.multiparty.tasks import compare_task as transfer
from tacit.multiparty.tasks.compare_task import secure_greater

from .ideal import trusted_greater
from .over_tls import agreed, joined
from .test_products import Answers
from .test_sets import SMALL

NUMBER = st.integers(0, 2**64 - 1)


def seen(made, a, b):
    """The labels that the evaluator holds."""
    return [
        [made.label(zero, number >> place & 1) for place, zero in enumerate(wires)]
        for number, wires in ((a, made.first), (b, made.second))
    ]


@pytest.mark.parametrize("bits", [1, 2, 3, 4])
def test_all_pairs_of_small_numbers_are_compared(bits):
    made = garble_circuit(bits)
    for a, b in product(range(2**bits), repeat=2):
        label = evaluate_circuit(*seen(made, a, b), made.tables)
        assert label == made.label(made.output, trusted_greater(a, b))
        assert label == made.label(made.output, trusted_greater(a, b))


def test_a_gate_has_the_product_of_its_labels_in_all_four_rows():
    """The published equations, row by row: both halves decrypt to the label of a·b."""
    rng = random.Random(5)
    for gate in range(20):
        a, b, offset = (rng.getrandbits(128) for _ in range(3))
        offset |= 1
        zero, table = garbling._garble_and(a, b, offset, gate)
        for x, y in product((0, 1), repeat=2):
            held, other = a ^ x * offset, b ^ y * offset
            left = garbling._hash_label(held, 2 * gate) ^ (held & 1) * table[0]
            right = garbling._hash_label(other, 2 * gate + 1) ^ (other & 1) * (table[1] ^ held)
            assert left ^ right == zero ^ (x & y) * offset


def test_the_hash_of_labels_is_sha_256_of_a_known_text():
    known = b"tacit half gate\0" + (7).to_bytes(16, "big") + (3).to_bytes(8, "big")
    assert garbling._hash_label(7, 3).to_bytes(16, "big") == hashlib.sha256(known).digest()[:16]


@given(NUMBER, NUMBER)
@settings(max_examples=20)
def test_large_numbers_are_compared(a, b):
    made = garble_circuit(64)
    for x, y in ((a, b), (a, a), (a, a ^ 1), (0, b)):
        assert evaluate_circuit(*seen(made, x, y), made.tables) == made.label(made.output, x > y)


def test_the_evaluator_holds_one_of_two_labels_and_never_two_at_the_offset():
    made = garble_circuit(64)
    first, second = seen(made, 2**63 + 5, 12345)
    held = [*first, *second, evaluate_circuit(first, second, made.tables)]
    assert all(x ^ y != made.offset for x, y in combinations(held, 2))
    assert made.offset not in {*held, *(half for table in made.tables for half in table)}


def bits_seen(a, b, garbler, count=1500):
    """How often each last bit of the labels and tables that the evaluator sees is 1, over many garblings from a seed."""
    rng = random.Random(11)
    found = [0] * 12
    for _ in range(count):
        made = garbler(3, rng.getrandbits)
        first, second = seen(made, a, b)
        places = [*first, *second, *(half for table in made.tables for half in table)]
        found = [total + (one & 1) for total, one in zip(found, places, strict=True)]
    return found, count


def differ(garbler):
    """Whether what is seen tells apart inputs with the same output: six deviations at one of 12 places, and seeded."""
    one, count = bits_seen(6, 1, garbler)
    two, _ = bits_seen(3, 1, garbler)
    return any(abs(x - y) > 6 * (count / 2) ** 0.5 for x, y in zip(one, two, strict=True))


def test_what_the_evaluator_sees_does_not_tell_inputs_apart():
    assert not differ(garble_circuit)


def test_labels_whose_last_bit_is_the_value_are_seen():
    """Planted: labels of 0 end with 0, so that the last bit of a label is the bit that it hides."""

    def planted(bits, draw):
        return garble_circuit(bits, lambda size: draw(size) & ~1)

    assert differ(planted)


@pytest.mark.parametrize("choices", [[], [0], [1], [0, 1, 1, 0]])
def test_a_transfer_gives_the_chosen_messages(choices):
    pairs = [(bytes([place]) * 16, bytes([place + 100]) * 16) for place in range(len(choices))]

    async def program(seat, own):
        if seat.me == "A":
            return await transfer.transfer_send(seat, "B", own)
        return await transfer.transfer_receive(seat, "A", own)

    found = run_protocol(program, {"A": pairs, "B": choices}, LocalNetwork("AB", Ring(2**64)))
    assert found["B"] == [pair[c] for pair, c in zip(pairs, choices, strict=True)]


def test_the_other_message_is_under_another_key(monkeypatch):
    """With the receiver's own power the pad of the chosen message comes off, and that of the other does not."""
    powers, table = [], LocalNetwork("AB", Ring(2**64))
    monkeypatch.setattr(transfer, "new_power", lambda: powers.append(group.new_power()) or powers[-1])

    async def program(seat, own):
        if seat.me == "A":
            return await transfer.transfer_send(seat, "B", own)
        return await transfer.transfer_receive(seat, "A", own)

    run_protocol(program, {"A": [(b"a" * 16, b"b" * 16)], "B": [1]}, table)
    told = {step: bytes(words) for _, step, words in table.seats["B"].view}
    point = bytes(next(words for _, step, words in table.seats["A"].view if step == "receiver's points"))
    for power in powers[1:]:
        key = group.raise_points([told["sender's point"]], power)[0]
        opened = [
            transfer._encrypt_message(told["hidden messages"][16 * c :][:16], key, told["sender's point"], point, 0)
            for c in (0, 1)
        ]
        assert opened[1] == b"b" * 16 and opened[0] != b"a" * 16


@pytest.mark.parametrize("point", SMALL)
@pytest.mark.parametrize(("who", "step"), [("A", "sender's point"), ("B", "receiver's points")])
def test_points_outside_the_group_are_refused_by_sender(who, step, point):
    table = LocalNetwork("AB", Ring(2**64))
    table.seats[who] = Answers(table.seats[who], step, point)
    with pytest.raises(BadMessage, match=f"party '{who}' sent a point that is not in the group"):
        run_protocol(partial(secure_greater, bits=1), {"A": 1, "B": 0}, table)


@settings(max_examples=5)
@given(NUMBER, NUMBER)
def test_both_learn_what_a_trusted_party_says(a, b):  # catalogue: I-05
    for x, y in ((a, b), (b, b)):
        found = run_protocol(secure_greater, {"A": x, "B": y}, LocalNetwork("AB", Ring(2**64)))
        assert found == dict.fromkeys("AB", trusted_greater(x, y))


def test_a_wrong_announcement_is_refused():
    table = LocalNetwork("AB", Ring(2**64))
    table.seats["B"] = Answers(table.seats["B"], "label of the result", bytes(16))
    with pytest.raises(BadMessage, match="party 'B' announced what the circuit does not give"):
        run_protocol(partial(secure_greater, bits=2), {"A": 1, "B": 2}, table)


def returned_label(number, tables, bits=8):
    """The label that B sends back to a garbler with these tables, which offers labels of its own, and those; or how it ended."""
    table = LocalNetwork("AB", Ring(2**64))
    labels = [(bytes([place]) * 16, bytes([place + 100]) * 16) for place in range(bits)]

    async def program(seat, own):
        if seat.me == "B":
            return await secure_greater(seat, own, bits=bits)
        await seat.send_bytes("B", "tables", tables)
        await seat.send_bytes("B", "labels of the first", bytes(16 * bits))
        await transfer.transfer_send(seat, "B", labels)
        return await seat.recv_bytes("B", "label of the result", 16)

    try:
        return run_protocol(program, {"A": None, "B": number}, table)["A"], labels
    except BadMessage as problem:
        return problem, labels


@pytest.mark.parametrize("number", [0, 1, 97, 255])
def test_a_garbler_whose_tables_are_no_circuit_gets_no_label_back(number):
    """From the label it would compute the whole number: it knows all labels, and tries all numbers."""
    tables = secrets.token_bytes(2 * 16 * 8)
    ended, labels = returned_label(number, tables + secrets.token_bytes(64))
    assert isinstance(ended, BadMessage) and ended.party == "A" and "neither of its two results" in str(ended)
    halves = [int.from_bytes(tables[at : at + 16], "big") for at in range(0, len(tables), 16)]
    pairs = list(zip(halves[::2], halves[1::2], strict=True))
    outputs = {
        guess: evaluate_circuit([0] * 8, [int.from_bytes(labels[at][guess >> at & 1], "big") for at in range(8)], pairs)
        for guess in range(256)
    }
    assert len(set(outputs.values())) == 256, "each number has a label of its own, which is what would be read"


def test_a_garbler_that_announces_a_label_learns_whether_the_number_has_it_and_no_more():
    """One yes or no of its choice: what one cheater learns; a no ends the session, and names it."""
    tables, zeros = bytes(2 * 16 * 8), [0] * 8
    labels = returned_label(0, tables + bytes(32) + bytes([1]) * 32)[1]
    pairs = [(0, 0)] * 8

    def label(number):
        return evaluate_circuit(zeros, [int.from_bytes(labels[at][number >> at & 1], "big") for at in range(8)], pairs)

    hashes = output_hash(label(97)) + output_hash(label(3))
    for number in (97, 3):
        assert returned_label(number, tables + hashes)[0] == label(number).to_bytes(16, "big")
    assert isinstance(returned_label(50, tables + hashes)[0], BadMessage)


def test_one_label_for_both_results_is_refused():
    assert "one label for both" in str(returned_label(3, bytes(2 * 16 * 8) + bytes(64))[0])


TASK = {"compute": "greater", "rows": 10, "columns": {"wealth": {"low": 0, "high": 10**6, "decimals": 2}}}


def test_over_tls_both_learn_one_bit():
    frames = {"alice": pl.DataFrame({"wealth": [5000.25]}), "bob": pl.DataFrame({"wealth": [2500.0, 2500.24]})}
    found = joined(frames, "millionaires", TASK)
    assert [dict(one.figures) for one in found.values()] == [{"alice > bob": True}] * 2


@pytest.mark.parametrize(
    ("names", "change", "said"),
    [
        ("ABC", {}, "takes two parties"),
        ("AB", {"columns": {}}, "one column is compared"),
        ("AB", {"compute": "less"}, "compute = 'less' is unknown"),
        ("AB", {"columns": {"wealth": {"low": -1, "high": 1}}}, "below 0"),
        ("AB", {"rows": 2**62}, "below 0 or from 2\\^64 on"),
    ],
)
def test_what_is_wrong_with_a_task_is_told(names, change, said):
    with pytest.raises(TacitError, match=said):
        check_task(agreed(names, "millionaires", TASK | change))


def test_an_empty_file_is_refused():
    with pytest.raises(TacitError, match="0 rows"):
        check_task(agreed("AB", "millionaires", TASK)).load_input(pl.DataFrame({"wealth": []}), "A")
