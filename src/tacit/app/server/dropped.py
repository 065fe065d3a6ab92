"""A file that was dropped into the page, of any size: it is written as it comes."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from ...release.files.formats import format_of
from ..project.disk import DRAFT, kept, placed, settled
from ..project.opening import renewed, start
from ..project.project import Project

__all__ = ["dropped"]

LONGEST = 80
"""Characters of a name that are kept; most systems take 255 bytes."""


async def dropped(project: Project, name: str, content: AsyncIterator[bytes], *, keep: bool = False) -> None:
    """Keep the file in the project's folder ``data`` and open it; one of that name is never overwritten.

    With ``keep`` it takes the place of the one before, and all that was said of that holds for it.
    """
    plain = re.sub(r"[^\w.\- ]", "_", Path(name).name).lstrip(".")
    format_of(Path(plain))  # before gigabytes are on their way
    folder = project.folder / "data"
    with kept(project.folder):
        folder.mkdir(mode=0o700, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=folder, prefix=DRAFT)
    try:
        with kept(project.folder):
            with os.fdopen(handle, "wb") as file:
                async for part in content:
                    await asyncio.to_thread(file.write, part)  # a disk may be slower than the page must be
                await asyncio.to_thread(settled, file)
            target = _free(folder, plain)
            placed(Path(draft), target)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
    if keep and project.raw():
        project.change(f"opened {target.name}, for the same job", renewed(project, target))
    else:
        project.change(f"opened {target.name}", start(project, target))


def _free(folder: Path, name: str) -> Path:
    """A name that no file has yet: patients.csv, patients-2.csv and so on, with all that tells its format."""
    ending = "".join(Path(name).suffixes[-2:]) if name.lower().endswith(".gz") else Path(name).suffix
    stem = name.removesuffix(ending)[:LONGEST]
    target, number = folder / f"{stem}{ending}", 2
    while target.exists():
        target, number = folder / f"{stem}-{number}{ending}", number + 1
    return target
