"""A small client: the same calls as the service has paths, answers as values that cannot be changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast, get_args
from urllib.parse import urlsplit

from ..dp.cost import Cost
from ..errors import TacitError
from .libraries import require_libraries
from .loopback import is_loopback
from .refusal import Code, Refusal

if TYPE_CHECKING:
    import polars as pl


Spend = str | int | float | Decimal | Fraction | None


@dataclass(frozen=True, slots=True)
class QueryResponse:
    """An answer (or the preview of one, then without rows) as it came.

    ``accuracy`` has the half-width of a 95 % interval of the noise, or None: for every value of every row, and in a
    preview, where it is known beforehand, for every column.
    """

    said: Mapping[str, Any]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names, in the order of the question."""
        return tuple(self.said["columns"])

    @property
    def accuracy(self) -> tuple[Any, ...]:
        """The half-widths: rows of them, or those of a preview."""
        return tuple(tuple(row) if isinstance(row, list) else row for row in self.said["accuracy"])

    @property
    def cost(self) -> Cost:
        """What the answer costs, or cost when it was first given."""
        return Cost.from_json(self.said["cost"])

    @property
    def charged(self) -> Cost:
        """What was taken from the budgets for this request."""
        return Cost.from_json(self.said["charged"])

    @property
    def notes(self) -> tuple[str, ...]:
        """What else one should know."""
        return tuple(self.said["notes"])

    @property
    def refusal(self) -> Refusal | None:
        """Of a preview: why the question would be refused now."""
        given = self.said.get("refusal")
        return None if given is None else _parse_refusal(given)

    def rows(self) -> list[tuple[Any, ...]]:
        """The rows; an interval is a pair."""
        return [tuple(_list_to_tuple(value) for value in row) for row in self.said.get("rows", [])]

    def frame(self) -> pl.DataFrame:
        """The rows as a Polars frame; an interval is a list of two."""
        import polars as pl

        rows = [[_interval_to_floats(value) for value in row] for row in self.said.get("rows", [])]
        return pl.DataFrame(rows, schema=list(self.columns), orient="row", infer_schema_length=None)


class Client:
    """An account's way to a service.

        with Client("http://127.0.0.1:8470", key=key) as service:
            answer = service.query("SELECT sex, AVG(rent) AS rent FROM patients GROUP BY sex", spend="0.1")
            print(answer.frame(), answer.charged)

    Parameters
    ----------
    url
        Where the service is. Beyond loopback only ``https``: the key would travel in the clear.
    key
        The API key.
    certificate
        A PEM file to trust, where the service's certificate is not signed by a known authority.
    timeout
        Seconds to wait for an answer.
    """

    def __init__(self, url: str, *, key: str, certificate: str | Path | None = None, timeout: float = 120) -> None:
        import ssl

        require_libraries("httpx")
        import httpx

        _check_address(url, key)
        try:
            trusted: Any = True if certificate is None else ssl.create_default_context(cafile=str(certificate))
        except OSError:
            raise TacitError(
                f"the certificate {str(certificate)!r} cannot be read",
                code="cannot_read",
                fix="give the path of a PEM file",
            ) from None
        headers = {"Authorization": f"Bearer {key}"}
        self._http = httpx.Client(base_url=url, headers=headers, verify=trusted, timeout=timeout, trust_env=False)

    def account(self) -> dict[str, Any]:
        """Name, role and projects of the account."""
        return self._send_request("GET", "/account")

    def datasets(self) -> list[dict[str, Any]]:
        """What can be asked, as the owner declares it."""
        return cast(list[dict[str, Any]], self._send_request("GET", "/datasets")["datasets"])

    def cost(self, sql: str, *, spend: Spend = None, project: str | None = None) -> QueryResponse:
        """What a question would cost and how good its answer would be; nothing is spent."""
        return QueryResponse(self._post_question("/cost", sql, spend, project))

    def query(self, sql: str, *, spend: Spend = None, project: str | None = None) -> QueryResponse:
        """The answer, charged; what was answered before is free."""
        return QueryResponse(self._post_question("/query", sql, spend, project))

    def dummy(self, sql: str, *, spend: Spend = None, project: str | None = None) -> QueryResponse:
        """The same question on made-up data; free."""
        return QueryResponse(self._post_question("/dummy", sql, spend, project))

    def budget(self) -> list[dict[str, Any]]:
        """For each data set its caps: limit, spent and left."""
        return cast(list[dict[str, Any]], self._send_request("GET", "/budget")["budgets"])

    def history(self, *, before: int | None = None, limit: int = 100) -> list[dict[str, Any]]:
        """Lines of the ledger, newest first."""
        more = {} if before is None else {"before": before}
        return cast(
            list[dict[str, Any]], self._send_request("GET", "/history", params={"limit": limit} | more)["entries"]
        )

    def verify(self, head: str | None = None) -> dict[str, Any]:
        """Whether the chain of the ledger holds, for owner and auditor."""
        return self._send_request("GET", "/verify", params={} if head is None else {"head": head})

    def _post_question(self, path: str, sql: str, spend: Spend, project: str | None) -> dict[str, Any]:
        given = {"sql": sql, "spend": None if spend is None else str(spend), "project": project}
        return self._send_request("POST", path, json={key: value for key, value in given.items() if value is not None})

    def _send_request(self, method: str, path: str, **more: Any) -> dict[str, Any]:
        import httpx

        try:
            answer = self._http.request(method, path, **more)
            said = answer.json()
        except (httpx.HTTPError, ValueError) as problem:
            raise TacitError(
                f"the service at {self._http.base_url} does not answer as it should",
                code="invalid_service",
                fix=_suggest_remedy(problem),
            ) from None
        if answer.status_code != 200:
            raise _parse_refusal(said)
        return cast(dict[str, Any], said)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _check_address(url: str, key: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise TacitError(f"{url!r} is no address of a service", code="wrong_type", fix="e.g. http://127.0.0.1:8470")
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        raise TacitError("the key would travel in the clear", code="invalid_service", fix=f"use https://{parts.netloc}")
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise TacitError(
            "this is no API key",
            code="wrong_type",
            fix="use the one that the owner of the service gave you, without spaces",
        )


def _suggest_remedy(problem: Exception) -> str:
    """What to do about a service that cannot be reached or understood."""
    import httpx

    if isinstance(problem, httpx.ConnectError) and "CERTIFICATE_VERIFY_FAILED" in str(problem):
        return (
            "its certificate is not trusted: give the one that the owner handed out (certificate=…, --certificate FILE)"
        )
    if isinstance(problem, httpx.TimeoutException):
        return "it took too long: ask again, which costs nothing if the question was answered meanwhile"
    return "check the address, http or https, and that it runs (tacit serve SERVICE.toml)"


def _parse_refusal(said: Any) -> Refusal:
    """The refusal that the service sent."""
    given = said if isinstance(said, dict) else {}
    code = given.get("code") if given.get("code") in get_args(Code) else "failed"
    sentence, hint = (str(given.get(name, "no reason was given")) for name in ("sentence", "hint"))
    return Refusal(cast(Code, code), sentence, fix=hint)


def _interval_to_floats(value: Any) -> Any:
    return [float(end) for end in value] if isinstance(value, list) else value


def _list_to_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
