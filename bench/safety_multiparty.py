"""What one party could do to the others, measured: each line runs an attack, or a mistake, against the real protocols.

    python bench/safety_multiparty.py [--quick]

Parties are in one process, over real TLS where the wire matters and at one table where the protocol does.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import os
import random
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import gmpy2
import polars as pl
from bars import Bars

from tacit.errors import TacitError
from tacit.kernels.mersenne import PRIME
from tacit.multiparty import Agreement, Ring, Secret, group, make_keys, paillier
from tacit.multiparty.garbling import evaluate_circuit
from tacit.multiparty.local_network import LocalNetwork, run_protocol
from tacit.multiparty.protocols import (
    additive_sum,
    commutative,
    paillier_product,
    ring_sum,
    set_intersection,
    shamir_sum,
    verified_sum,
)
from tacit.multiparty.protocols.protocol import PROTOCOLS
from tacit.multiparty.session import taking_part, task_of
from tacit.multiparty.statistics.column import parse_column
from tacit.multiparty.statistics.sum_task import SumTask
from tacit.multiparty.tasks import compare_task, message_task
from tacit.multiparty.tasks.compare_task import secure_greater
from tacit.multiparty.wire import mesh
from tacit.multiparty.wire.network_party import NetworkParty

AGE = {"low": 0, "high": 120}
COLUMNS = {"age": AGE, "pay": {"low": 0, "high": 90_000}}
FRAME = pl.DataFrame({"age": [30, 41, 52], "pay": [1000, 30_000, 2000], "a": [1, 2, 3], "b": [4, 5, 7]})


def agreement_of(names: str, protocol: str, task: dict[str, Any], **more: Any) -> tuple[Agreement, dict[str, Secret]]:
    """An agreement between parties on this machine, and their keys."""
    base = random.SystemRandom().randrange(20_000, 30_000)
    made = [make_keys(name, host="127.0.0.1", port=base + place) for place, name in enumerate(names)]
    given = {"connect_timeout": 20.0, "round_timeout": 20.0, "max_message": 10**7, "modulus": 2**64} | more
    members = tuple(member for _, member in made)
    return Agreement(session="safety", protocol=protocol, task=task, members=members, **given), {
        secret.name: secret for secret, _ in made
    }


def sessions_end(agreement: Agreement, keys: dict[str, Secret], frames: Any, own: Any = None) -> dict[str, Any]:
    """What each party ends with: its result, or an error."""

    async def one(name: str) -> Any:
        try:
            frame = frames[name] if isinstance(frames, dict) else frames
            return await taking_part((own or {}).get(name, agreement), keys[name], frame, accept_output_disclosure=True)
        except TacitError as problem:
            return problem

    async def everybody() -> list[Any]:
        return await asyncio.wait_for(asyncio.gather(*map(one, keys)), 60)

    return dict(zip(keys, asyncio.run(everybody()), strict=True))


def results(ended: dict[str, Any]) -> int:
    """How many parties have a result."""
    return sum(hasattr(one, "figures") for one in ended.values())


def columns_in_another_order() -> int:
    """B1: sessions of four in which somebody gets figures although one file has its columns in another order."""
    kinds = {
        "additive_sum": {"compute": "mean", "columns": COLUMNS},
        "verified_sum": {"compute": "mean", "columns": COLUMNS},
        "ring_sum": {"compute": "k_means", "centres": [[20, 1], [60, 2]], "columns": COLUMNS},
        "scalar_product": {
            "compute": "correlation",
            "least_rows": 2,
            "columns": {name: {"party": name.upper(), "low": 0, "high": 9} for name in "ab"},
        },
    }
    computed = 0
    for protocol, task in kinds.items():
        agreement, keys = agreement_of("AB" if protocol == "scalar_product" else "ABC", protocol, {"rows": 3, **task})
        other = dict(reversed(task["columns"].items()))  # type: ignore[attr-defined]
        theirs = replace(agreement, task={**agreement.task, "columns": other})
        computed += results(sessions_end(agreement, keys, FRAME, {"B": theirs})) > 0
    return computed


class _Clock:
    """A seat that times how long its party computes between getting the columns and answering."""

    def __init__(self, seat: Any) -> None:
        self.seat, self.seconds, self.since = seat, 0.0, 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.seat, name)

    async def recv_bytes(self, sender: str, step: str, size: int | None = None) -> bytes:
        data: bytes = await self.seat.recv_bytes(sender, step, size)
        self.since = time.process_time()
        return data

    async def send_bytes(self, to: str, step: str, data: bytes) -> None:
        self.seconds = time.process_time() - self.since
        await self.seat.send_bytes(to, step, data)


def answer_time_ratio(rows: int) -> float:
    """B2: CPU seconds of an answer for a flag that half of the rows have, over those for one that none has."""
    key, ring, best = paillier.new_key(), Ring(2**64), {}
    run = partial(paillier_product.paillier_product, terms=[{"A": ("x",), "B": ("y",)}], most=rows, to="B")
    with patch.object(paillier_product, "new_key", lambda: key):
        for name, flags in {"none": [0] * rows, "half": [0, 1] * (rows // 2)}.items():
            for _ in range(3):
                table = LocalNetwork("AB", ring)
                clock = table.seats["B"] = _Clock(table.seats["B"])  # type: ignore[assignment]
                inputs = {"A": {("x",): ring.words([1] * rows)}, "B": {("y",): ring.words(flags)}}
                run_protocol(run, inputs, table)  # type: ignore[arg-type]
                best[name] = min(best.get(name, 1e9), clock.seconds)
    return best["half"] / best["none"]


def commitment_time_ratio() -> float:
    """B2: CPU seconds of commitments to numbers, over those of commitments to 0."""
    blinds, best = [secrets.randbelow(verified_sum.ORDER) for _ in range(150)], {}
    for _ in range(5):
        for number in (0, 12_345):
            since = time.process_time()
            for blind in blinds:
                verified_sum.commit_number(number, blind)
            best[number] = min(best.get(number, 1e9), time.process_time() - since)
    return best[12_345] / best[0]


def results_with_a_liar() -> int:
    """B3: parties of three that take a mean although one of them added 10^9 to a sum bounded by 360."""
    reads = SumTask.load_input

    def lies(task: Any, frame: Any, me: str) -> list[int]:
        return [number + (me == "B") * 10**9 * place for place, number in enumerate(reads(task, frame, me))]

    agreement, keys = agreement_of(
        "ABC", "verified_sum", {"compute": "mean", "rows": 3, "columns": {"age": AGE}}, adversary="malicious"
    )
    with patch.object(SumTask, "load_input", lies):
        ended = sessions_end(agreement, keys, FRAME)
    return results({name: ended[name] for name in "AC"}) + (results(ended) == 3)


PEOPLE = {"B": [97, 34, 51], "C": [45, 38, 60, 72]}


def people_read_by_steering(weight: int, rounds: int = 12, rows: int = 1000) -> int:
    """B4: the oldest person of the others, read exactly by a party that moves the centres of k_means with made-up rows.

    In each round it counts the others' rows above a boundary of its choice, until one is left, whose age is then the sum.
    """
    task = {"compute": "k_means", "rows": rows, "rounds": rounds, "centres": [[0], [120]], "columns": {"age": AGE}}
    agreement, _ = agreement_of("ABC", "additive_sum", task)
    asked, read = task_of(agreement), []

    async def steers(seat: Any, own: Any) -> Any:
        if seat.me != "A":
            return await asked.run(seat, own)
        low, high, at, before = 0.0, 120.0, [0, 120], None
        for _ in range(rounds):
            mine = [weight // 2, weight // 2 * at[0], weight - weight // 2, (weight - weight // 2) * at[1]]
            ring = seat.ring
            total = ring.to_signed(await PROTOCOLS["additive_sum"].run(seat, ring.words(mine)))
            if total == before:
                break  # where honest parties end too
            before, count, summed = total, total[2] - mine[2], total[3] - mine[3]
            boundary = (at[0] + at[1]) / 2
            if count == 1:
                read.append(summed)
            low, high = (boundary, high) if count > 1 else (low, boundary) if count < 1 else (low, high)
            middle = round((low + high) / 2)
            at = [max(0, 2 * middle - 120), min(120, 2 * middle)] if middle >= 60 else [0, 2 * middle]
        return {}

    own = {"A": None} | {name: asked.load_input(pl.DataFrame({"age": ages}), name) for name, ages in PEOPLE.items()}
    with contextlib.suppress(TacitError):
        run_protocol(steers, own, LocalNetwork("ABC", Ring(2**64)))  # type: ignore[arg-type]
    return int(max(max(ages) for ages in PEOPLE.values()) in read)


@contextlib.contextmanager
def _thief(chosen: Callable[[dict[str, set[bytes]]], Any]) -> Iterator[None]:
    """The first party has other points peeled than the common ones."""
    kept: dict[str, set[bytes]] = {}
    real = set_intersection.encrypt_sets

    async def compared(seat: Any, *rest: Any, **more: Any) -> Any:
        found = await real(seat, *rest, **more)
        if seat.me == "A":
            kept.update(found.sets if hasattr(found, "sets") else found[1])
        return found

    name = "announced_points" if hasattr(commutative, "announced_points") else "peeled"
    program = getattr(commutative, name)

    async def asks(seat: Any, points: Any, *rest: Any) -> Any:
        return await program(seat, chosen(kept) if seat.me == "A" else points, *rest)

    with patch.object(set_intersection, "encrypt_sets", compared), patch.object(set_intersection, name, asks):
        yield


def items_stolen() -> int:
    """B5: items of the other, of five, that the first party of two finds in a dictionary after asking for its whole set."""
    known = {group.hash_to_point(str(number)): str(number) for number in range(100)}
    table = LocalNetwork("AB", Ring(2**64))
    with _thief(lambda sets: sets["B"]), contextlib.suppress(TacitError):
        run_protocol(set_intersection.set_intersection, {"A": ["7"], "B": ["7", "11", "13", "17", "19"]}, table)  # type: ignore[arg-type]
    found = set()
    for _, _, words in table.seats["A"].view:
        data = bytes(word for word in words if word < 256)
        found |= {known[data[at : at + 32]] for at in range(0, len(data), 32) if data[at : at + 32] in known}
    return len(found)


def honest_parties_named() -> int:
    """B5: honest parties, of three, that an error names when the first asks for the third's whole set."""
    rows = {} if "rows" not in inspect.getsource(inspect.getmodule(_set_task())) else {"rows": 9}  # type: ignore[arg-type]
    agreement, keys = agreement_of("ABC", "set_intersection", {"compute": "items", "column": "id", **rows})
    sets = {"A": ["1", "2"], "B": ["2", "3"], "C": ["2", "4", "5"]}
    with _thief(lambda sets: sets["C"]):
        ended = sessions_end(agreement, keys, {name: pl.DataFrame({"id": items}) for name, items in sets.items()})
    return len({getattr(one, "party", "") for one in ended.values()} & set("BC"))


def _set_task() -> Any:
    from tacit.multiparty.session import SetTask

    return SetTask


class _Spoils:
    """A seat that announces wrongly to all but the first parties, one more of them in each round."""

    def __init__(self, seat: Any) -> None:
        self.seat, self.sent = seat, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.seat, name)

    async def send(self, to: str, step: str, words: Any, *, sealed: bool = False) -> None:
        unspoilt = "BCDE"[: 1 + self.sent // 4]
        self.sent += 1
        await self.seat.send(to, step, words if to in unspoilt else words ^ 1, sealed=sealed)


def senders_found(sessions: int) -> int:
    """B6: anonymous senders that one of five parties finds by announcing wrongly to all but some, and counting repeats."""
    right = 0
    for number in range(sessions):
        sender = "BCDE"[number % 4]
        table = LocalNetwork("ABCDE", Ring(2**64))
        table.seats["A"] = _Spoils(table.seats["A"])  # type: ignore[assignment]
        program = partial(message_task.dining_cryptographers, slots=1, size=8, rounds=4)
        inputs = {name: b"it is I" if name == sender else None for name in "ABCDE"}
        with contextlib.suppress(TacitError):
            heard = run_protocol(program, inputs, table)["A"]  # type: ignore[arg-type]
            right += "BCDE"[heard.messages.count(b"it is I") - 1] == sender  # type: ignore[attr-defined]
    return right


def values_read_by_a_modulus() -> int:
    """B7: values of the other, of fifteen, read by a first party whose modulus is 3^1292 and whose columns are powers of 4."""
    n, ring, values, most = 3**1292, Ring(2**64), [secrets.randbelow(100_000) for _ in range(15)], 10**7
    slots, read = paillier_product.Slots(most), []

    async def reads(seat: Any, own: Any) -> Any:
        if seat.me != "A":
            return await paillier_product.paillier_product(
                seat, own, terms=[{"A": ("x",), "B": ("y",)}], most=most, to="B"
            )
        public = paillier.PublicKey(n)
        proof = secrets.token_bytes(256 * getattr(paillier, "ROOTS", 0))
        await seat.send_bytes("B", "public key", n.to_bytes(256, "big") + proof)
        each = -(-len(values) // slots.count)
        await seat.send_bytes(
            "B", "encrypted columns", public.pack_ciphertexts([gmpy2.mpz(4), *[gmpy2.mpz(1)] * (each - 1)])
        )
        answer = gmpy2.mpz(int.from_bytes(await seat.recv_bytes("B", "encrypted sums", public.size), "big")) % n
        number = _logarithm_of(answer if answer % 3 == 1 else n - answer)
        places = [(number >> slots.width * (slots.count - 1 - row)) % (1 << slots.width) for row in range(slots.count)]
        read.extend(places)
        await seat.send("B", "share", ring.words([0]))
        return {}

    with contextlib.suppress(TacitError):
        run_protocol(reads, {"A": None, "B": {("y",): ring.words(values)}}, LocalNetwork("AB", ring))  # type: ignore[arg-type,dict-item]
    return sum(mine == theirs for mine, theirs in zip(read, values[: slots.count], strict=False))


def _logarithm_of(power: Any) -> int:
    """To the base 4 modulo a power of 3, digit by digit."""
    found, base, modulus = 0, gmpy2.mpz(4), gmpy2.mpz(3) ** 1292
    for place in range(1290):
        undo = gmpy2.invert(base, modulus)
        for digit in range(3):
            if power % 3 ** (place + 2) == 1:
                found += digit * 3**place
                break
            power = power * undo % modulus
        base = base**3 % modulus
    return found


def numbers_read_by_a_garbler(bits: int = 10) -> int:
    """B8: numbers, of three, that a garbler reads whole from the label that its random tables give."""
    right = 0
    for number in (3, 613, 1000):
        tables = secrets.token_bytes(2 * 16 * bits)
        labels = [(secrets.token_bytes(16), secrets.token_bytes(16)) for _ in range(bits)]

        async def garbles(seat: Any, own: Any, tables: bytes = tables, labels: Any = labels) -> Any:
            if seat.me == "B":
                return await secure_greater(seat, own, bits=bits)
            checked = "output_hash" in inspect.getsource(inspect.getmodule(secure_greater))  # type: ignore[arg-type]
            await seat.send_bytes("B", "tables", tables + (secrets.token_bytes(64) if checked else b"\0"))
            await seat.send_bytes("B", "labels of the first", bytes(16 * bits))
            await compare_task.transfer_send(seat, "B", labels)
            return int.from_bytes(await seat.recv_bytes("B", "label of the result", 16), "big")

        with contextlib.suppress(TacitError):
            label = run_protocol(garbles, {"A": None, "B": number}, LocalNetwork("AB", Ring(2**64)))["A"]  # type: ignore[arg-type,dict-item]
            halves = [int.from_bytes(tables[at : at + 16], "big") for at in range(0, len(tables), 16)]
            pairs = list(zip(halves[::2], halves[1::2], strict=True))
            wires = [[int.from_bytes(one, "big") for one in pair] for pair in labels]
            fits = [
                guess
                for guess in range(1 << bits)
                if evaluate_circuit([0] * bits, [pair[guess >> at & 1] for at, pair in enumerate(wires)], pairs)
                == label
            ]
            right += fits == [number]
    return right


def values_rounded_unseen() -> int:
    """B9: values of five that count as something else without a word."""
    with contextlib.suppress(TacitError):
        return sum(
            unit != 0.4 for unit in parse_column("x", {"low": 0, "high": 9}).units(pl.DataFrame({"x": [0.4] * 5}))
        )
    return 0


def exits_by_order_of_parties() -> int:
    """B10: parties of three that end with exit code 11 when one file has the parties in another order."""
    agreement, keys = agreement_of("ABC", "additive_sum", {"compute": "count", "rows": 3}, connect_timeout=10.0)
    theirs = replace(agreement, members=tuple(agreement.member(name) for name in "BAC"))
    ended = sessions_end(agreement, keys, FRAME, {"B": theirs})
    return sum(getattr(one, "exit_code", 0) == 11 for one in ended.values())


def results_beside_a_frozen_party() -> int:
    """B11: parties of four that get a Shamir sum although the fifth is silent after it has dealt its points."""
    agreement, keys = agreement_of(
        "ABCDE", "shamir_sum", {"compute": "count", "rows": 3}, modulus=PRIME, round_timeout=2.5
    )
    sends, count = NetworkParty._send_payload, [0]

    async def freezes(seat: Any, *rest: Any) -> None:
        if seat.me == "E":
            count[0] += 1
            if count[0] > 4:
                await asyncio.sleep(3600)
        await sends(seat, *rest)

    async def session() -> list[Any]:
        frozen = asyncio.create_task(taking_part(agreement, keys["E"], FRAME))
        found = await asyncio.gather(
            *(taking_part(agreement, keys[name], FRAME) for name in "ABCD"), return_exceptions=True
        )
        frozen.cancel()
        await asyncio.gather(frozen, return_exceptions=True)
        return found

    with patch.object(NetworkParty, "_send_payload", freezes):
        return sum(hasattr(one, "figures") for one in asyncio.run(session()))


def messages_without_a_digest() -> int:
    """B12: messages of a session whose sender has no digest to compare with the receiver's."""
    agreement, keys = agreement_of("ABC", "ring_sum", {"compute": "count", "rows": 3})
    ended = sessions_end(agreement, keys, FRAME)
    plain = {name: one.as_json() for name, one in ended.items()}
    sent = {(name, m["to"], m["step"], m["digest"]) for name, one in plain.items() for m in one.get("sent", [])}
    return sum(
        (m["sender"], name, m["step"], m["digest"]) not in sent for name, one in plain.items() for m in one["saw"]
    )


def other_certificates_accepted() -> int:
    """B13: sessions that go on although the called party shows a certificate that only the agreed key signed."""
    from datetime import UTC, datetime, timedelta

    from cryptography import x509
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    agreement, keys = agreement_of("ABC", "additive_sum", {"compute": "count", "rows": 3}, connect_timeout=2.0)
    loads, pem = mesh._load_own, serialization.Encoding.PEM

    def shows(made: Any, secret: Secret) -> None:
        if secret.name == "A":
            own = x509.load_pem_x509_certificate(secret.certificate.encode())
            key: Any = serialization.load_pem_private_key(secret.tls_key.encode(), None)
            new = Ed25519PrivateKey.generate()
            now = datetime.now(UTC)
            leaf = x509.CertificateBuilder(own.subject, x509.Name([]), new.public_key(), 7)
            leaf = leaf.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
            kind = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            certificate = leaf.sign(key, None).public_bytes(pem).decode()
            secret = replace(secret, certificate=certificate, tls_key=new.private_bytes(pem, *kind).decode())
        loads(made, secret)

    with patch.object(mesh, "_load_own", shows):
        return int(results(sessions_end(agreement, keys, FRAME)) > 0)


def median_error() -> int:
    """B14: how far the median of 2^59 + 3 is off."""
    value = 2**59 + 3
    task = {"compute": "quantile", "at": [0.5], "rows": 1, "columns": {"x": {"low": value - 4, "high": value + 4}}}
    asked = task_of(agreement_of("ABC", "additive_sum", task)[0])
    own = {name: asked.load_input(pl.DataFrame({"x": [value]}), name) for name in "ABC"}
    found: Any = run_protocol(asked.run, own, LocalNetwork("ABC", Ring(2**64)))  # type: ignore[arg-type]
    return abs(int(found["A"]["quantile"]["x"]["0.5"]) - value)


def results_of_two_announcements() -> int:
    """DONE: parties of three with a result although the first announced another sum to one of them."""
    announces = ring_sum.announce_total

    async def differently(seat: Any, total: Any, count: int) -> Any:
        if seat.me != "A":
            return await announces(seat, total, count)
        for other in seat.others:
            await seat.send(other, "announcement", total + (other == "B"))
        return total

    agreement, keys = agreement_of("ABC", "additive_sum", {"compute": "count", "rows": 9})
    with patch.object(additive_sum, "announce_total", differently):
        return results(sessions_end(agreement, keys, FRAME))


def wrong_shamir_sums() -> int:
    """Parties of five that take a wrong sum from a wrong point of one of them."""
    ring, table = Ring(PRIME), LocalNetwork("ABCDE", Ring(PRIME))

    class Wrong:
        def __init__(self, seat: Any) -> None:
            self.seat = seat

        def __getattr__(self, name: str) -> Any:
            return getattr(self.seat, name)

        async def send(self, to: str, step: str, words: Any, *, sealed: bool = False) -> None:
            await self.seat.send(to, step, words + (step == "sum of points"), sealed=sealed)

    table.seats["A"] = Wrong(table.seats["A"])  # type: ignore[assignment]
    with contextlib.suppress(TacitError):
        found = run_protocol(shamir_sum.shamir_sum, {name: ring.words([5]) for name in "ABCDE"}, table)
        return sum(words.tolist() != [25] for words in found.values())
    return 0


def keys_left_in_a_folder() -> int:
    """Files with the TLS key in the temporary folder of a party that is killed while it loads it."""
    agreement, keys = agreement_of("AB", "additive_sum", {"compute": "count", "rows": 3})
    with tempfile.TemporaryDirectory() as folder:
        with patch.object(tempfile, "tempdir", folder), patch.object(os, "unlink", lambda _: None):
            mesh.make_tls_context(agreement, keys["A"], server=True, trusted=["B"])
        return sum("PRIVATE KEY" in path.read_text() for path in Path(folder).iterdir())


def bars(bars: Bars) -> None:
    """One line a finding."""
    most, least = bars.at_most, bars.at_least
    most("B1 sessions of 4 that compute with columns in another order", columns_in_another_order(), 0, before=4)
    rows = 100 if bars.quick else 1000
    most(
        f"B2 answer time, flag of half the rows over none ({rows})",
        answer_time_ratio(rows),
        1.3,
        at_scale=True,
        before=2.65 if bars.quick else 19.7,
    )
    most("B2 time of commitments to numbers over those to 0", commitment_time_ratio(), 1.15, at_scale=True, before=1.23)
    most("B3 results of 3 although a party adds 10^9 (bound 360)", results_with_a_liar(), 0, before=3)
    most("B4 people read by steering k_means with 10^9 rows", people_read_by_steering(10**9), 0, before=1)
    bars.stated("B4 the same with the agreed 1,000 rows: not prevented", people_read_by_steering(1000), before=1)
    most("B5 items of 5 stolen from a set intersection of two", items_stolen(), 0, before=5)
    most("B5 honest parties of 2 named when the first steals", honest_parties_named(), 0, before=1)
    most("B6 anonymous senders of 4 found by one party", senders_found(4), 0, before=4)
    most("B7 values of 15 read by a modulus of 3^1292", values_read_by_a_modulus(), 0, before=15)
    most("B8 numbers of 3 read whole by a garbler", numbers_read_by_a_garbler(), 0, before=3)
    most("B9 values of 5 rounded without a word", values_rounded_unseen(), 0, before=5)
    least("B10 parties of 3 that say exit 11 for parties in another order", exits_by_order_of_parties(), 3, before=0)
    least("B11 parties of 4 with a Shamir sum beside a frozen one", results_beside_a_frozen_party(), 4, before=0)
    most("B12 messages whose sender has no digest", messages_without_a_digest(), 0, before=5)
    most("B13 sessions with a certificate that is not the agreed one", other_certificates_accepted(), 0, before=1)
    most("B14 units by which a median of 2^59 + 3 is off", median_error(), 0, before=3)
    most("results of 3 from two different announcements", results_of_two_announcements(), 0, before=3)
    most("wrong Shamir sums of 5 from one wrong point", wrong_shamir_sums(), 0, before=4)
    most("TLS keys left in a folder by a killed party", keys_left_in_a_folder(), 0, before=1)


if __name__ == "__main__":
    made = Bars("safety_multiparty", __doc__ or "")
    bars(made)
    made.end()
