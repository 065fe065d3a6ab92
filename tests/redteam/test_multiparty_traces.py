"""Attackers of computing together, who read what is left behind: files, accounts, transcripts, exit codes and time.

They were written from the documentation alone. A marker is planted at one party and looked for in all that the others have. Each attack has
a power test.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import time
from pathlib import Path

import polars as pl
import pytest
from tests.redteam.parties import COLUMNS, HEAD, NAMES, ROWS, WAIT, Circle, Offices, frames, spoilt

from tacit.multiparty import Ring, SessionResult
from tacit.multiparty.local_network import LocalNetwork, run_protocol
from tacit.multiparty.session import task_of

ITEMS = 'compute = "items"\ncolumn = "patient"\nrows = 50'
MEANS = "compute = 'mean'\nrows = 100\n[task.columns]\n"
AGE, PAY = "age = { low = 0, high = 120 }\n", "pay = { low = 0, high = 100000, decimals = 2 }\n"


@pytest.fixture(scope="module")
def offices(tmp_path_factory) -> Offices:
    return Offices(tmp_path_factory.mktemp("offices"))


def traces_of(secret: str, folder: Path) -> list[str]:
    """The files in which a secret stands: in clear, in hexadecimal or base64, or as a digest that a list of guesses would meet."""
    raw = secret.encode()
    forms = {raw, raw.hex().encode(), base64.b64encode(raw).rstrip(b"=")[:-1]}
    for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "blake2b", "blake2s"):
        digest = hashlib.new(name, raw).digest()[:16]
        forms |= {digest, digest.hex().encode(), base64.b64encode(digest)[:20]}
    found = []
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        text = file.read_bytes()
        if any(form in text or form in text.lower() for form in forms):
            found.append(file.name)
    return found


def test_no_file_of_a_party_holds_an_item_of_another(offices):
    secret = {name: f"patient-{name}-7f3a91c2" for name in NAMES}
    files = {name: pl.DataFrame({"patient": [secret[name], "common-1", "common-2"]}) for name in NAMES}
    head = HEAD % ("set_intersection", WAIT, ITEMS)
    assert offices.meet(dict.fromkeys(NAMES, head), files, "sets") == dict.fromkeys(NAMES, 0)
    for name in NAMES:
        figures = json.loads((offices.root / name / "sets.json").read_text())["figures"]
        assert sorted(figures["items"]) == ["common-1", "common-2"]
        assert (offices.root / name / "sets.transcript").stat().st_size > 500, "there is something to search"
        for other in NAMES:
            assert traces_of(secret[other], offices.root / name) == []


def test_power_a_planted_item_is_found(tmp_path):
    for at, planted in enumerate([b"x7f3a", b"x7f3a".hex().encode(), hashlib.sha256(b"x7f3a").hexdigest().encode()]):
        (tmp_path / f"{at}.json").write_bytes(b'{"saw": "' + planted + b'"}')
    (tmp_path / "other.json").write_bytes(b'{"saw": "y7f3a"}')
    assert traces_of("x7f3a", tmp_path) == ["0.json", "1.json", "2.json"]


def test_processes_with_columns_in_another_order_end_with_11_and_write_nothing(offices):
    heads = dict.fromkeys(NAMES, HEAD % ("additive_sum", WAIT, MEANS + AGE + PAY))
    heads["east"] = HEAD % ("additive_sum", WAIT, MEANS + PAY + AGE)
    assert offices.meet(heads, frames(), "order") == dict.fromkeys(NAMES, 11)
    assert not [file.name for name in NAMES for file in (offices.root / name).glob("order.json")]


def test_a_process_with_values_beyond_the_bounds_ends_with_2_and_the_others_with_10(offices):
    heads = dict.fromkeys(NAMES, HEAD % ("additive_sum", 15, MEANS + AGE + PAY))
    files = frames() | {"east": spoilt("beyond the bounds")}
    assert offices.meet(heads, files, "bounds") == {"north": 10, "south": 10, "east": 2}
    for name in NAMES:
        assert not (offices.root / name / "bounds.json").exists()
        assert not re.search(r"77777|88888|\b121\b", (offices.root / name / "bounds.printed").read_text())


def numbers_seen(ended: SessionResult) -> set[int]:
    """All words of 8 bytes that a party got, at any place, in either order, and all numbers of its account."""
    seen = {round(float(one) * 100) for one in re.findall(r"-?\d+(?:\.\d+)?", json.dumps(ended.figures))}
    for message in ended.transcript():
        for text in re.findall(r"[0-9a-f]{16,}", json.dumps(message)):
            raw = bytes.fromhex(text[: len(text) // 2 * 2])
            seen |= {
                int.from_bytes(raw[at : at + 8], order) for at in range(len(raw) - 7) for order in ("little", "big")
            }
    return seen


def test_no_message_of_a_sum_holds_a_figure_of_one_party():
    """Neither a party's sum nor that of two, nor its negative; by chance a word of 64 bits is one of them below 1e-13."""
    circle, files = Circle(), frames()
    ended = circle.meet(
        dict.fromkeys(NAMES, circle.agree(compute="sum", rows=ROWS, columns={"pay": COLUMNS["pay"]})), files
    )
    sums = {name: round(files[name]["pay"].sum() * 100) for name in NAMES}
    total = sum(sums.values())
    for name in NAMES:
        seen = numbers_seen(ended[name])
        assert total in seen, "the attack reads what is there"
        for other in set(NAMES) - {name}:
            single, rest = sums[other], total - sums[other]
            assert not seen & {single, rest, 2**64 - single, 2**64 - rest}


class Clocked(LocalNetwork):
    """A table that notes, in seconds of computing, when a message is sent or asked for."""

    def queue(self, sender: str, to: str, step: str):
        self.__dict__.setdefault("marks", []).append((step, time.process_time()))
        return super().queue(sender, to, step)


def answer_seconds(flag: int, rows: int = 200) -> float:
    """How long the second party of a product computes between the other's columns and its own answer."""
    columns = {"x": {"party": "north", "low": 0, "high": 9}, "flag": {"party": "south", "low": 0, "high": 1}}
    circle = Circle(("north", "south"))
    task = task_of(circle.agree(protocol="scalar_product", compute="product", rows=rows, columns=columns))
    files = {"north": pl.DataFrame({"x": [7] * rows}), "south": pl.DataFrame({"flag": [flag] * rows})}
    table = Clocked(("north", "south"), Ring(2**64))
    own = {name: task.load_input(frame, name) for name, frame in files.items()}
    assert run_protocol(task.run, own, table)["north"]["product"] == {"x · flag": 7 * rows * flag}
    asked = max(at for step, at in table.marks if step == "encrypted columns")
    return min(at for step, at in table.marks if step == "encrypted sums" and at > asked) - asked


def time_tells(timed, rounds: int) -> bool:
    """Whether a column of zeros and one of ones take unlike times in every round: a busy machine disturbs one, a leak is in all."""

    def ratio() -> float:
        zeros, ones = (min(times) for times in zip(*[(timed(0), timed(1)) for _ in range(2)], strict=True))
        return zeros / ones

    return all(not 0.5 < ratio() < 2 for _ in range(rounds))


def test_answer_time_of_a_product_does_not_tell_the_flags():
    """Zeros and ones are the farthest prevalences: an answer that is raised to the values themselves is at once at zeros."""
    assert not time_tells(answer_seconds, 20)


def test_power_a_power_by_the_values_is_told_by_its_time():
    def timed(flag: int) -> float:
        modulus, start = 2**4096 - 17, time.process_time()
        for _ in range(4):
            pow(3**2000, flag * (2**200 - 1), modulus)
        return time.process_time() - start

    assert time_tells(timed, 3)
