"""Hierarchies of IP addresses: the networks that they belong to, wider and wider."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv6Address, IPv6Network
from typing import Any

import narwhals as nw
import polars as pl

from ...errors import TacitError
from ..engines.table import Type
from .base import TOP
from .recipe import Tally
from .table import TableHierarchy

NARROWEST, NARROWEST6 = 31, 127
"""Bits of the narrowest networks with more than one address, IPv4 and IPv6."""
WIDEST = 8
"""Bits below which a network would be a fraction of the whole net and not a place in it."""
PART = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
"""ASCII digits: the regular expressions of some engines count those of other scripts too."""
ADDRESS = rf"^{PART}(\.{PART}){{3}}$"


def address_hierarchy(lengths: tuple[int, ...]) -> Addresses | Addresses6:
    """Networks from the number of bits or, up to 3, of parts of the address that each level keeps, narrowest first.

    ``(24, 16, 8)`` and ``(3, 2, 1)`` are the same of IPv4; with a number above 31 the addresses are those of IPv6.
    """
    falling = all(a > b for a, b in zip(lengths, lengths[1:], strict=False))
    parts = bool(lengths) and 1 <= lengths[-1] <= lengths[0] <= 3
    if not falling or not parts and not (lengths and WIDEST <= lengths[-1] <= lengths[0] <= NARROWEST6):
        raise TacitError(
            f"kept bits {list(lengths)} do not fall from {NARROWEST} (IPv6: {NARROWEST6}) to {WIDEST} or more",
            code="out_of_range",
            fix="e.g. ip = [24, 16, 8] bits or ip = [3, 2, 1] parts of IPv4 addresses, ip = [64, 48, 32] of IPv6",
        )
    bits = tuple(8 * length for length in lengths) if parts else lengths
    return Addresses6(bits) if bits[0] > NARROWEST else Addresses(bits)


@dataclass(frozen=True, slots=True)
class Addresses:
    """The network of an IPv4 address: with 16 bits 172.169.2.132 becomes 172.169.0.0, then ``*``."""

    bits: tuple[int, ...]

    @property
    def height(self) -> int:
        """The number of the top level."""
        return len(self.bits) + 1

    def check_type(self, column: str, type: Type) -> None:
        """Addresses are text."""
        _check_text(column, type)

    def expression(self, column: str, level: int) -> nw.Expr:
        """The address with its last bits 0; what is no IPv4 address becomes missing, which the caller must notice."""
        whole, rest = divmod(self.bits[level - 1], 8)
        address = nw.when(nw.col(column).str.contains(ADDRESS)).then(nw.col(column))
        kept = address.str.replace_all(r"(\.\d{1,3}){" + str(4 - whole) + "}$", "")
        if not rest:
            return nw.concat_str([kept, nw.lit(".0" * (4 - whole))])
        part = address.str.replace_all(r"^(\d{1,3}\.){" + str(whole) + "}", "").str.replace_all(r"\..*$", "")
        number = part.cast(nw.Int64)
        masked = (number - number % (1 << (8 - rest))).cast(nw.String)
        return nw.concat_str([kept, nw.lit("."), masked, nw.lit(".0" * (3 - whole))])

    def domain(self, present: pl.Series) -> pl.Series:
        """The values present."""
        return present

    def spec(self) -> Mapping[str, Any]:
        """``{"ip": bits}``."""
        return {"ip": list(self.bits)}


@dataclass(frozen=True, slots=True)
class Addresses6:
    """The network of an IPv6 address: with 32 bits 2001:db8:1::7 becomes 2001:db8::, then ``*``.

    An address can be written in many ways, which no engine reads: the networks of those present are listed once, so
    that this is a recipe. O(different addresses) time and memory.
    """

    bits: tuple[int, ...]

    @property
    def height(self) -> int:
        """The number of the top level."""
        return len(self.bits) + 1

    def check_type(self, column: str, type: Type) -> None:
        """Addresses are text."""
        _check_text(column, type)

    def grow(self, column: str, tally: Tally) -> TableHierarchy:
        """The addresses that occur with their networks."""
        values = tally([column])["0"].to_list()
        rows, odd = [], 0
        for value in values:
            try:
                number = int(IPv6Address(value))
            except AddressValueError:
                odd += 1
                continue
            rows.append((value, *(str(IPv6Network((number, bits), strict=False)[0]) for bits in self.bits), TOP))
        if odd or not rows:
            raise TacitError(
                f"has {odd} different values that are no IPv6 addresses" if odd else "has no address",
                code="wrong_type",
                column=column,
                fix="correct or remove them; for IPv4 addresses give at most 31 bits, e.g. ip = [24, 16]",
            )
        return TableHierarchy(tuple(rows))

    def spec(self) -> Mapping[str, Any]:
        """``{"ip": bits}``."""
        return {"ip": list(self.bits)}


def _check_text(column: str, type: Type) -> None:
    if type != "text":
        raise TacitError(f"holds {type}, not IP addresses", code="wrong_kind", column=column, fix="read it as text")
