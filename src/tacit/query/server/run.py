"""Start the server on a socket of its own, and end it in peace.

Connections that cost nothing but a descriptor: their number is bounded, and a request's head must come in time.

Without a key anybody can open a connection and send half a request. Such a connection is closed after some seconds, and one
above the number that the process has descriptors for at once: running out of them would be the end for everybody.
"""

from __future__ import annotations

import asyncio
import functools
import json
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any, NoReturn, TypeVar

from fastapi import FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException

from ...errors import Cancelled, TacitError
from .. import views
from ..account import Account, account_of
from ..query_service import Pending, QueryService
from ..refusal import Refusal
from ..reply import Reply
from ..request import Request as Question
from ..request import parse_amount
from ..service import Service
from . import models
from .grid import TimeGrid
from .guard import Guard, refusal_response
from .page import page_routes
from .status import STATUS

WAITING = 512
"""Connections that may wait to be accepted."""

PATIENCE = 10.0
"""Seconds in which the head of a request must have come, counted from the connection or from its first byte."""

SPARE = 64
"""Descriptors for everything but connections: ledger, engines, files of the page."""

WANTED = 4096

ABOUT = """\
Questions about data that stay where they are. Send your key as `Authorization: Bearer KEY`.

Every refusal is JSON with `code`, `sentence` and `hint`; it never depends on the data. Answers leave on a time grid."""

Found = TypeVar("Found")

DIGITS = 40
"""Digits of a number."""


def open_socket(service: Service, port: int | None = None) -> socket.socket:
    """A socket that listens where the service file says; port 0 is any free one."""
    wanted = service.port if port is None else port
    try:
        family = socket.getaddrinfo(service.host, wanted, type=socket.SOCK_STREAM)[0][0]
        found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # else asyncio sets no TCP_NODELAY
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((service.host, wanted))
        found.listen(WAITING)
    except (OSError, OverflowError):
        raise TacitError(
            f"the address {service.host}:{wanted} cannot be listened on",
            code="invalid_service",
            fix="is another service running there? choose another with --port",
        ) from None
    return found


def service_address(service: Service, at: socket.socket) -> str:
    """The address that analysts use."""
    host = f"[{service.host}]" if ":" in service.host else service.host
    return f"{'https' if service.tls else 'http'}://{host}:{at.getsockname()[1]}"


def serve(desk: QueryService, at: socket.socket, *, ready: Callable[[], None] = lambda: None) -> None:
    """Answer until SIGTERM or SIGINT; what was begun is brought to its end.

    ``ready`` is called when questions are taken, and a signal from then on ends the service in peace.
    """
    import uvicorn

    workers, tls = Workers(), desk.service.tls
    config = uvicorn.Config(
        build_guarded_app(desk, workers),
        http=bounded_protocol(allow_descriptors() - SPARE),
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        backlog=WAITING,
        timeout_keep_alive=20,
        timeout_graceful_shutdown=int(desk.service.time_limit) + 5,
        ssl_certfile=str(tls.certificate) if tls else None,
        ssl_keyfile=str(tls.key) if tls else None,
    )
    try:
        _load_config(config)
        server = uvicorn.Server(config)
        startup = server.startup

        async def started(sockets: list[socket.socket] | None = None) -> None:
            await startup(sockets=sockets)
            ready()

        server.startup = started
        server.run(sockets=[at])
    except (Cancelled, KeyboardInterrupt):
        pass  # the signal, given on to whoever waited for it before; everything has ended by now
    finally:
        workers.close()
        desk.close()


def _load_config(config: object) -> None:
    """Read certificate and key now, where a mistake in them can still be told."""
    try:
        config.load()  # type: ignore[attr-defined]  # uvicorn has no types here
    except OSError:  # ssl.SSLError is one
        raise TacitError(
            "certificate and key cannot be used together",
            code="malformed_file",
            fix="give both as PEM files of one pair",
            where="service.tls",
        ) from None


def allow_descriptors() -> int:
    """The number of descriptors that the process may have, raised as far as it may be."""
    try:
        import resource
    except ImportError:  # where there is no such limit
        return WANTED
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return WANTED
    if soft < WANTED:
        soft = WANTED if hard == resource.RLIM_INFINITY else min(WANTED, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return max(soft, 2 * SPARE)


def bounded_protocol(most: int, patience: float = PATIENCE) -> Any:
    """Uvicorn's protocol with at most so many connections, each of which sends the head of a request in time."""
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Bounded(H11Protocol):  # type: ignore[misc]  # uvicorn has no types here
        _deadline: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            if len(self.connections) > most:
                transport.abort()
            else:
                self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            self._forget()
            super().connection_lost(exc)

        def _watch(self) -> None:
            """Begin to wait for a head, or stop: its request is there."""
            if self.cycle is not None and not self.cycle.response_complete:
                self._forget()
            elif self._deadline is None:
                self._deadline = asyncio.get_running_loop().call_later(patience, self._close_late)

        def _forget(self) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None

        def _close_late(self) -> None:
            self._deadline = None
            if self.cycle is None or self.cycle.response_complete:
                self.transport.close()

    return Bounded


def build_guarded_app(desk: QueryService, workers: Workers) -> Guard:
    """The whole server as an ASGI app."""
    grid = TimeGrid(desk.service.grid)
    app = build_api(desk, workers, grid)
    paths = frozenset(route.path for route in app.routes if hasattr(route, "path"))
    return Guard(app, grid, paths=paths, tls=desk.service.tls is not None)


def build_api(desk: QueryService, workers: Workers, grid: TimeGrid) -> FastAPI:
    """The paths, without the layer that guards them."""
    app = FastAPI(
        title="Tacit query service",
        version="1",
        description=ABOUT,
        docs_url=None,
        redoc_url=None,
        responses=_refusal_responses(),
    )
    app.exception_handlers |= {
        Refusal: _handle_refusal,
        RequestValidationError: _handle_validation_error,
        HTTPException: _no_path,
    }
    _add_question_routes(app, desk, workers, grid)
    _add_read_routes(app, desk, workers)
    app.router.routes.extend(page_routes())
    return app


def _add_question_routes(app: FastAPI, desk: QueryService, workers: Workers, grid: TimeGrid) -> None:
    body = {
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": _json_schema(models.QuestionModel)}},
        }
    }

    @app.post("/cost", response_model=models.PreviewModel, openapi_extra=body, summary="Price and accuracy, unspent")
    async def cost(request: Request) -> Response:
        """What a question would cost and how good its answer would be. Nothing is spent, nothing is read."""
        account, question = _authenticate_request(desk, request), await _parse_question(request)
        return _json_response((await workers.run(lambda: desk.cost(account, question))).as_json())

    @app.post("/query", response_model=models.ReplyModel, openapi_extra=body, summary="Ask, and be charged")
    async def query(request: Request) -> Response:
        """The answer; charged before it is computed, never given back. What was answered before is free."""
        account, question = _authenticate_request(desk, request), await _parse_question(request)
        while not isinstance(found := await workers.run(lambda: desk.ask(account, question)), Pending | Reply):
            outcome = await asyncio.shield(asyncio.wrap_future(found))  # no thread waits for another's answer
            await workers.run(functools.partial(desk.join_outcome, account, question, outcome))
        if isinstance(found, Pending):
            found = await _settled(found, request.scope["tacit.arrival"])
        return _json_response(found.as_json())

    async def _settled(pending: Pending, arrival: float) -> Reply:
        try:
            await grid.until_middle(arrival)
            return await workers.run_always(lambda: desk.settle(pending))
        except BaseException:
            desk.abandon(pending)
            raise

    @app.post("/dummy", response_model=models.ReplyModel, openapi_extra=body, summary="Try on made-up data")
    async def dummy(request: Request) -> Response:
        """The same question on made-up data within the declared bounds, with the same noise. Free, and not kept."""
        account, question = _authenticate_request(desk, request), await _parse_question(request)
        return _json_response((await workers.run(lambda: desk.dummy(account, question))).as_json())


def _add_read_routes(app: FastAPI, desk: QueryService, workers: Workers) -> None:
    @app.get("/account", response_model=models.AccountModel, summary="Whose key it is")
    async def account(request: Request) -> Response:
        """Name, role and projects."""
        return _json_response(views.describe_account(_authenticate_request(desk, request)))

    @app.get("/datasets", response_model=models.DatasetsModel, summary="What can be asked")
    async def datasets(request: Request) -> Response:
        """What the owner declares of each data set."""
        return _json_response(views.list_datasets(desk, _authenticate_request(desk, request)))

    @app.get("/budget", response_model=models.BudgetsModel, summary="What is left")
    async def budget(request: Request) -> Response:
        """Limit, spent and left under every cap that concerns the account."""
        account = _authenticate_request(desk, request)
        return _json_response(await workers.run(lambda: views.list_budgets(desk, account)))

    @app.get("/history", response_model=models.HistoryModel, summary="What was asked")
    async def history(
        request: Request,
        before: Annotated[int | None, Query(ge=1, le=2**53, description="Lines below this number.")] = None,
        limit: Annotated[int, Query(ge=1, le=views.MOST_LINES, description="So many lines.")] = 100,
    ) -> Response:
        """Lines of the ledger, newest first: an analyst's own; owner and auditor see all."""
        account = _authenticate_request(desk, request)
        return _json_response(await workers.run(lambda: views.list_history(desk, account, before=before, limit=limit)))

    @app.get("/verify", response_model=models.VerifiedModel, summary="Check the ledger")
    async def verify(
        request: Request,
        head: Annotated[
            str | None, Query(max_length=64, description="A hash noted earlier that must still be there.")
        ] = None,
    ) -> Response:
        """Walk over the whole chain, for owner and auditor; the first broken line is named."""
        account = _authenticate_request(desk, request)
        return _json_response(await workers.run(lambda: views.verify_ledger(desk, account, head)))


def _authenticate_request(desk: QueryService, request: Request) -> Account:
    kind, _, key = request.headers.get("authorization", "").partition(" ")
    account = account_of(key.strip() if kind.lower() == "bearer" else None, desk.service.accounts.values())
    request.scope["tacit.account"] = account.name
    return account


async def _parse_question(request: Request) -> Question:
    given = strict_json(await request.body())
    try:
        found = models.QuestionModel.model_validate(given)
    except ValidationError as problem:
        raise _validation_refusal(problem.errors()[0]) from None
    return Question(sql=found.sql, spend=parse_amount(found.spend), project=found.project)


def _validation_refusal(error: Any) -> Refusal:
    key = str(error["loc"][-1] if error["type"] == "extra_forbidden" else error["loc"][0])[:40]
    what = (
        "is unknown"
        if error["type"] == "extra_forbidden"
        else "is missing"
        if error["type"] == "missing"
        else "is of a wrong kind"
    )
    return Refusal(
        "bad_request",
        f"the key {key!r} {what}",
        fix="send sql (text), spend (number or text) and, if needed, project (text)",
    )


def _json_response(value: Any, status: int = 200) -> Response:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return Response(text.encode("utf-8", "replace"), status, media_type="application/json")


async def _handle_refusal(_: Request, refusal: Exception) -> Response:
    assert isinstance(refusal, Refusal)
    status, headers, body = refusal_response(refusal)
    return Response(body, status, headers={name.decode(): value.decode() for name, value in headers})


async def _handle_validation_error(_: Request, problem: Exception) -> Response:
    assert isinstance(problem, RequestValidationError)
    name = str(problem.errors()[0]["loc"][-1])[:40]
    return _json_response(
        Refusal("bad_request", f"{name!r} is not what it should be", fix="see /openapi.json").as_json(), 400
    )


async def _no_path(_: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    what = "there is no such path" if problem.status_code == 404 else "this path does not take that"
    return _json_response(Refusal("bad_request", what, fix="see /openapi.json").as_json(), problem.status_code)


def _refusal_responses() -> dict[int | str, dict[str, Any]]:
    """Every status that a refusal can have, with its codes."""
    codes: dict[int, list[str]] = {}
    for code, status in STATUS.items():
        codes.setdefault(status, []).append(code)
    return {status: {"model": models.RefusalModel, "description": ", ".join(names)} for status, names in codes.items()}


def _json_schema(model: type[BaseModel]) -> dict[str, Any]:
    return model.model_json_schema()


class Workers:
    """``threads`` questions at once, ``waiting`` more in the queue."""

    def __init__(self, threads: int = 8, waiting: int = 120) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="tacit-query")
        self._room = threads + waiting

    async def run(self, work: Callable[[], Found]) -> Found:
        """Do it in a thread; refused when too much is waiting, before anything was done."""
        if self._room <= 0:
            raise Refusal("busy", "too many questions are waiting", fix="ask again in a moment")
        self._room -= 1
        try:
            return await self.run_always(work)
        finally:
            self._room += 1

    async def run_always(self, work: Callable[[], Found]) -> Found:
        """Do it in a thread, however many wait: what was begun is brought to its end."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    def close(self) -> None:
        """Wait for what runs; what waits is not begun."""
        self._pool.shutdown(wait=True, cancel_futures=True)


def strict_json(body: bytes) -> dict[str, Any]:
    """The object in a body; decimals as they were typed, everything doubtful refused.

    >>> strict_json(b'{"spend": 0.1}')
    {'spend': Decimal('0.1')}
    """
    try:
        found = json.loads(
            body.decode("utf-8"),
            parse_float=_parse_decimal,
            parse_int=_parse_int,
            parse_constant=_reject_constant,
            object_pairs_hook=_unique_keys,
        )
    except (ValueError, RecursionError, InvalidOperation) as problem:
        if isinstance(problem, Refusal):
            raise
        raise _bad_request_error(
            "the body is not JSON in UTF-8", 'send e.g. {"sql": "SELECT COUNT(*) FROM patients", "spend": 0.1}'
        ) from None
    if not isinstance(found, dict):
        raise _bad_request_error(
            "the body is no JSON object", 'send e.g. {"sql": "SELECT COUNT(*) FROM patients", "spend": 0.1}'
        )
    return found


def _bad_request_error(what: str, fix: str) -> Refusal:
    return Refusal("bad_request", what, fix=fix)


def _check_digits(text: str) -> str:
    if len(text) > DIGITS:
        raise _bad_request_error(f"a number has more than {DIGITS} digits", "send plain numbers")
    return text


def _parse_decimal(text: str) -> Decimal:
    return Decimal(_check_digits(text))


def _parse_int(text: str) -> int:
    return int(_check_digits(text))


def _reject_constant(text: str) -> NoReturn:
    raise _bad_request_error(f"{text} is no number", "send a finite number")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _bad_request_error("a key stands twice in the body", "give each key once")
    return found
