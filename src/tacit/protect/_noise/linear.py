"""Noise that is a linear function of independent draws, added row by row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...seed import BLOCK
from .draws import add_draws, standard_draws


def block_slices(start: int, count: int) -> Iterator[slice]:
    """The rows of a batch whose first row has the number ``start``, cut where the streams of draws begin anew."""
    place = 0
    while place < count:
        end = min(count, place + BLOCK - (start + place) % BLOCK)
        yield slice(place, end)
        place = end


@dataclass(frozen=True, eq=False)
class Piece:
    """Rows whose draws come from one block: the number of the first, their groups, and how much wider their noise is."""

    start: int
    group: np.ndarray | None
    widen: np.ndarray | None

    def of(self, numbers: np.ndarray) -> np.ndarray | float:
        """Numbers by group, for the rows."""
        return float(numbers[0]) if self.group is None else numbers[self.group]


@dataclass(frozen=True, eq=False)
class LinearNoise:
    """x' = x + L·z, or centre + (x + L·z − centre) · shrink, with L, centre and shrink of the group of the row.

    ``factors`` has a matrix L for each group, ``seeds`` one stream for each of its columns.
    """

    law: str
    seeds: tuple[bytes, ...]
    factors: np.ndarray
    centre: np.ndarray | None = None
    shrink: np.ndarray | None = None

    def add_to(
        self,
        values: Sequence[np.ndarray],
        start: int,
        group: np.ndarray | None = None,
        *,
        widen: np.ndarray | None = None,
        reuse: bool = False,
    ) -> list[np.ndarray]:
        """The columns with noise; ``widen`` multiplies the noise of every row. O(n · columns · streams) time.

        Products and sums are taken element by element: a matrix product rounds in another way for another batch. With
        ``reuse`` a column that is a copy (and so may be written to) is changed in place where that can be done.
        """
        plain = group is None and widen is None and self.centre is None
        made = [
            part
            if reuse and plain and part.flags.writeable and len(self._streams_of(column)) == 1
            else np.empty(len(part))
            for column, part in enumerate(values)
        ]
        for rows in block_slices(start, len(values[0])):
            piece = Piece(
                start + rows.start, None if group is None else group[rows], None if widen is None else widen[rows]
            )
            parts: dict[int, np.ndarray] = {}
            for column, out in enumerate(made):
                used = self._streams_of(column)
                if plain and len(used) == 1:
                    scale = float(self.factors[0, column, used[0]])
                    add_draws(
                        self.law, self.seeds[used[0]], piece.start, values[column][rows], scale=scale, out=out[rows]
                    )
                    continue
                for place in used:
                    if place not in parts:
                        parts[place] = standard_draws(self.law, self.seeds[place], piece.start, len(out[rows]))
                self._fill_column(column, values[column][rows], parts, piece, out[rows])
        return made

    def _streams_of(self, column: int) -> list[int]:
        return [place for place in range(len(self.seeds)) if self.factors[:, column, place].any()]

    def _fill_column(
        self, column: int, values: np.ndarray, parts: Mapping[int, np.ndarray], piece: Piece, out: np.ndarray
    ) -> None:
        room = np.empty(len(out))
        for count, place in enumerate(self._streams_of(column)):
            np.multiply(parts[place], piece.of(self.factors[:, column, place]), out=room if count else out)
            if count:
                np.add(out, room, out=out)
        if piece.widen is not None:
            np.multiply(out, piece.widen, out=out)
        np.add(values, out, out=out)
        if self.centre is not None and self.shrink is not None:
            middle = piece.of(self.centre[:, column])
            np.subtract(out, middle, out=out)
            np.multiply(out, piece.of(self.shrink[:, column]), out=out)
            np.add(out, middle, out=out)
