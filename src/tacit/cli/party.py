"""``tacit party``: compute together with other houses, without showing the data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..files import check_target_path, write_text
from ..json_text import json_text
from .options import Json
from .terminal import outlive_peers, print_json

if TYPE_CHECKING:
    import polars as pl


party = typer.Typer(no_args_is_help=True, help="Compute together with other houses without showing the data.")

Accepts = Annotated[
    bool,
    typer.Option("--accept-output-disclosure", help="Go on although the result alone tells what others brought along."),
]
AgreementFile = Annotated[Path, typer.Argument(help="The agreement (TOML), the same for all parties.")]


@party.command()
def keys(
    name: Annotated[str, typer.Argument(help="What the others call this party.")],
    host: Annotated[str, typer.Option(help="Where the others reach it.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port it listens on.", min=1, max=65_535)] = 9400,
    out: Annotated[Path, typer.Option(help="Folder for NAME.secret.toml and NAME.card.toml.")] = Path(),
    days: Annotated[int, typer.Option(help="How long the certificate is good for.", min=1, max=3650)] = 398,
) -> None:
    """Make the keys of a party: a secret file that stays here, and a card for the agreement.

    Example:  tacit party keys north --host north.example --port 9400
    """
    from ..multiparty.agreement.keys import card_text, make_keys, write_secret

    secret, member = make_keys(name, host=host, port=port, days=days)
    hidden, card = out / f"{name}.secret.toml", out / f"{name}.card.toml"
    for path in (hidden, card):
        check_target_path(path, replace=False)
    write_secret(secret, hidden)
    write_text(card, card_text(member))
    print(f"secret       {hidden}   (never leaves this machine)")
    print(f"card         {card}   (put it into the agreement)")
    print(f"fingerprint  {member.fingerprint}   (compare it by telephone)")


@party.command()
def agree(
    cards: Annotated[list[Path], typer.Argument(help="The cards of all parties, NAME.card.toml.")],
    out: Annotated[Path, typer.Option(help="The agreement to write.")] = Path("AGREEMENT.toml"),
) -> None:
    """Write a first agreement from the cards of all parties; what is computed is then changed by hand.

    Example:  tacit party agree north.card.toml south.card.toml east.card.toml
    """
    from ..multiparty.agreement.draft import draft_agreement

    text = draft_agreement(cards)
    write_text(out, text)
    print(f"written: {out}; say in it what is computed, and send the same file to all parties")


@party.command()
def check(agreement: AgreementFile, accept_output_disclosure: Accepts = False, as_json: Json = False) -> None:
    """Check an agreement and show what it comes to; the digest must be the same at all parties.

    Exit code 0: it can be run. 2: it cannot, and why.

    Example:  tacit party check AGREEMENT.toml
    """
    from ..multiparty.agreement.load import load_agreement
    from ..multiparty.session import check_task

    loaded = load_agreement(agreement)
    task = check_task(loaded, accept_output_disclosure=accept_output_disclosure)
    told = {
        "session": loaded.session,
        "digest": loaded.digest,
        "protocol": loaded.protocol,
        "smallest coalition that breaks it": task.collusion_threshold,
        "the result alone tells": task.leakage or "no more than its name says",
        "seen on the way": {one: said for one in loaded.names if (said := task.side_information(one))}
        or "nothing more",
        "parties": {one.name: f"{one.host}:{one.port} {one.fingerprint}" for one in loaded.members},
    }
    if as_json:
        print_json(told)
        return
    for key, value in told.items():
        for line in [f"{name}  {text}" for name, text in value.items()] if isinstance(value, dict) else [value]:
            print(f"{key:<34} {line}")


@party.command()
def join(
    agreement: AgreementFile,
    name: Annotated[str, typer.Option("--as", help="Which party this is.")],
    data: Annotated[list[Path], typer.Option(help="This party's own file: csv, parquet, …; several, one option each.")],
    secret: Annotated[Path | None, typer.Option(help="Secret keys; NAME.secret.toml beside the agreement.")] = None,
    out: Annotated[Path | None, typer.Option(help="File for the result (JSON).")] = None,
    transcript: Annotated[
        Path | None,
        typer.Option(help="File for every message that arrived, in full; secret, as it tells more with others' files."),
    ] = None,
    listen: Annotated[str | None, typer.Option(help="Listen on this ADDRESS or ADDRESS:PORT instead.")] = None,
    accept_output_disclosure: Accepts = False,
    accept_empty: Annotated[bool, typer.Option("--accept-empty", help="Go on with a file without rows.")] = False,
    as_json: Json = False,
) -> None:
    """Take part in a session: the figures of all data together, and an account of what this party saw.

    Exit code 0: computed. 2: a mistake in file or agreement. 10: a party is missing. 11: it sent a bad message. 12: it
    cheated, proven. 13: it was silent for too long. 14: the figures contradict what was agreed, or each other, and nobody can see
    whose fault it is. After any but 0 no result was written.

    Example:  tacit party join AGREEMENT.toml --as north --data patients.csv --out result.json
    """
    from ..errors import TacitError
    from ..multiparty.agreement.keys import load_secret
    from ..multiparty.agreement.load import load_agreement
    from ..multiparty.session import join as joined

    loaded = load_agreement(agreement)
    loaded.member(name)
    for path in (out, transcript):
        if path is not None:
            check_target_path(path, replace=False)
    if out is not None and transcript is not None and out.resolve() == transcript.resolve():
        raise TacitError(
            f"--out and --transcript are both {str(out)!r}", code="duplicate", fix="give each a file of its own"
        )
    keys_of = load_secret(secret or agreement.parent / f"{name}.secret.toml")
    if keys_of.name != name:
        raise TacitError(
            f"these are the keys of {keys_of.name!r}, not of {name!r}",
            code="invalid_parameter",
            fix="give --secret, or another --as",
        )
    outlive_peers()  # a party that went away is told by name
    found = joined(
        loaded,
        keys_of,
        _read_rows(data, name),
        accept_output_disclosure=accept_output_disclosure,
        accept_empty=accept_empty,
        listen=listen,
        transcript=transcript is not None,
    )
    # Printed first: the others have their result, and a full disk must not cost this party its own.
    if as_json:
        print_json(found.as_json())
    else:
        print(found)
    for path, content in ((out, found.as_json()), (transcript, found.transcript())):
        if path is not None:
            write_text(path, json_text(content) + "\n", private=True)


@party.command()
def demo(
    name: Annotated[
        str, typer.Argument(help="Which example: hospitals, ring, rings, shamir, verified, private, patients.")
    ] = "hospitals",
    out: Annotated[Path, typer.Option(help="New folder for keys, files and results.")] = Path("party-demo"),
) -> None:
    """Start all parties of an example as processes on this machine, and show what each of them got and saw.

    Example:  tacit party demo hospitals
    """
    import subprocess
    import sys

    from ..errors import TacitError
    from ..multiparty.demo import HOSPITALS, prepare_demo

    agreement = prepare_demo(name, out, say=print)
    command = [sys.executable, "-m", "tacit", "party", "join", str(agreement)]
    print(f"\neach hospital runs:  tacit party join {agreement} --as NAME --data NAME.csv\n")
    started = {
        one: subprocess.Popen(
            [*command, "--as", one, "--data", str(out / f"{one}.csv"), "--out", str(out / f"{one}.json")],
            stdout=subprocess.PIPE,
            text=True,
        )
        for one in HOSPITALS
    }
    said = {one: process.communicate()[0] for one, process in started.items()}
    failed = [one for one, process in started.items() if process.returncode]
    if failed:
        raise TacitError(
            f"{', '.join(failed)} did not finish", code="invalid_parameter", fix="see what they said above"
        )
    for one, text in said.items():
        print(f"--- {one}\n{text}")


def _read_rows(files: list[Path], name: str) -> pl.DataFrame:
    """The rows of all files of a party, which must have the same columns."""
    import polars as pl

    from ..errors import TacitError
    from ..release.read import read

    try:
        frames: list[pl.DataFrame] = [read(path, engine="polars").to_native() for path in files]
    except TacitError as problem:
        raise problem.with_location(
            f"party {name!r}, {problem.where}" if problem.where else f"party {name!r}"
        ) from None
    for path, frame in zip(files, frames, strict=True):
        if frame.schema != frames[0].schema:
            raise TacitError(
                f"{str(path)!r} has other columns than {str(files[0])!r}, or other kinds of values in them",
                code="invalid_parameter",
                fix="give files of the same form",
                where=f"party {name!r}",
            )
    return pl.concat(frames)
