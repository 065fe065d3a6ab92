"""Examples of sessions: agreements, keys and made-up files for all parties, to be run on one machine."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from ..errors import TacitError, suggest_alternative
from ..examples import clinic
from ..files import write_text
from .agreement.keys import card_text, make_keys, write_secret

HOSPITALS = ("north", "south", "east", "west", "centre")
SESSION = """# Written by: tacit party demo {name}
[session]
name = "{title}"
protocol = "{protocol}"
modulus = "{modulus}"
adversary = "{adversary}"
connect_timeout = 30
round_timeout = 20

[task]
{task}
"""
AGES = 'compute = "mean"\nrows = 100000\n[task.columns]\nage = {{ low = 0, high = 120 }}'.replace("{{", "{").replace(
    "}}", "}"
)
DEMOS: dict[str, dict[str, Any]] = {
    "hospitals": {
        "title": "Mean age of patients with a hospital-acquired infection",
        "protocol": "additive_sum",
        "modulus": "2^64",
        "task": AGES,
    },
    "ring": {"title": "Mean age, on a ring", "protocol": "ring_sum", "modulus": "2^64", "task": AGES},
    "rings": {"title": "Mean age, on two rings", "protocol": "cycles_sum", "modulus": "2^64", "task": AGES},
    "shamir": {
        "title": "Mean age, by points of polynomials",
        "protocol": "shamir_sum",
        "modulus": "2^61-1",
        "task": AGES,
    },
    "verified": {
        "title": "Mean age, with commitments that prove who cheats",
        "protocol": "verified_sum",
        "modulus": "2^64",
        "adversary": "malicious",
        "task": AGES,
    },
    "private": {
        "title": "Mean age, with noise that nobody knows",
        "protocol": "dp_sum",
        "modulus": "2^64",
        "task": AGES.replace("rows", "rho = 0.1\ndelta = 1e-6\ncolluders = 2\nrows", 1),
    },
    "patients": {
        "title": "Patients that all hospitals have treated",
        "protocol": "set_intersection",
        "modulus": "2^64",
        "task": 'compute = "items"\ncolumn = "patient"\nrows = 1000',
    },
}
"""What ``tacit party demo`` can show."""


def prepare_demo(name: str, folder: Path, *, say: Callable[[str], None] = lambda _: None) -> Path:
    """Keys, an agreement and a file for each of five hospitals, in a new folder; the path of the agreement."""
    if name not in DEMOS:
        raise TacitError(f"there is no demo {name!r}", code="unknown_name", fix=suggest_alternative(name, DEMOS))
    if folder.exists() and any(folder.iterdir()):
        raise TacitError(f"{str(folder)!r} is not empty", code="file_exists", fix="choose another folder with --out")
    folder.mkdir(parents=True, exist_ok=True)
    cards = []
    for place, (hospital, port) in enumerate(zip(HOSPITALS, _free_ports(len(HOSPITALS)), strict=True)):
        secret, member = make_keys(hospital, host="127.0.0.1", port=port)
        write_secret(secret, folder / f"{hospital}.secret.toml")
        _hospital_patients(place).write_csv(folder / f"{hospital}.csv")
        cards.append(card_text(member))
    agreement = folder / "AGREEMENT.toml"
    session = SESSION.format(name=name, **({"adversary": "semi-honest"} | DEMOS[name]))
    write_text(agreement, "\n".join([session, *cards]))
    say(f"written: {agreement}, and keys and made-up patients of {', '.join(HOSPITALS)}")
    return agreement


def _hospital_patients(place: int) -> pl.DataFrame:
    """The infected patients of one hospital: another part of the clinic example for each."""
    births = clinic(1000 * (place + 1)).frame["birth"].tail(120 + 40 * place)
    aged = pl.DataFrame({"age": (2024 - births.dt.year()).cast(pl.Int64)}).drop_nulls()
    return aged.with_row_index("patient", offset=20 * place)


def _free_ports(count: int) -> list[int]:
    """Ports that nobody listens on now."""
    held = [socket.socket() for _ in range(count)]
    try:
        for one in held:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in held]
    finally:
        for one in held:
            one.close()
