"""The HTTP face of a desk: one path for each thing that an account can do."""

from __future__ import annotations

import asyncio
import functools
import json
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException

from .. import views
from ..account import Account, account_of
from ..desk import Desk, Pending
from ..refusal import Refusal
from ..reply import Reply
from ..request import Request as Question
from ..request import amount
from . import models
from .grid import Grid
from .guard import Guard, refused
from .page import page_routes
from .status import STATUS
from .strict import strict_json
from .workers import Workers

ABOUT = """\
Questions about data that stay where they are. Send your key as `Authorization: Bearer KEY`.

Every refusal is JSON with `code`, `sentence` and `hint`; it never depends on the data. Answers leave on a time grid."""


def guarded(desk: Desk, workers: Workers) -> Guard:
    """The whole server as an ASGI app."""
    grid = Grid(desk.service.grid)
    app = api(desk, workers, grid)
    paths = frozenset(route.path for route in app.routes if hasattr(route, "path"))
    return Guard(app, grid, paths=paths, tls=desk.service.tls is not None)


def api(desk: Desk, workers: Workers, grid: Grid) -> FastAPI:
    """The paths, without the layer that guards them."""
    app = FastAPI(
        title="Tacit query service",
        version="1",
        description=ABOUT,
        docs_url=None,
        redoc_url=None,
        responses=_refusals(),
    )
    app.exception_handlers |= {Refusal: _refused, RequestValidationError: _invalid, HTTPException: _no_path}
    _asking(app, desk, workers, grid)
    _reading(app, desk, workers)
    app.router.routes.extend(page_routes())
    return app


def _asking(app: FastAPI, desk: Desk, workers: Workers, grid: Grid) -> None:
    body = {
        "requestBody": {"required": True, "content": {"application/json": {"schema": _schema(models.QuestionModel)}}}
    }

    @app.post("/cost", response_model=models.PreviewModel, openapi_extra=body, summary="Price and accuracy, unspent")
    async def cost(request: Request) -> Response:
        """What a question would cost and how good its answer would be. Nothing is spent, nothing is read."""
        account, question = _who(desk, request), await _question(request)
        return _sent((await workers.run(lambda: desk.cost(account, question))).as_json())

    @app.post("/query", response_model=models.ReplyModel, openapi_extra=body, summary="Ask, and be charged")
    async def query(request: Request) -> Response:
        """The answer; charged before it is computed, never given back. What was answered before is free."""
        account, question = _who(desk, request), await _question(request)
        while not isinstance(found := await workers.run(lambda: desk.ask(account, question)), Pending | Reply):
            outcome = await asyncio.shield(asyncio.wrap_future(found))  # no thread waits for another's answer
            await workers.run(functools.partial(desk.join, account, question, outcome))
        if isinstance(found, Pending):
            found = await _settled(found, request.scope["tacit.arrival"])
        return _sent(found.as_json())

    async def _settled(pending: Pending, arrival: float) -> Reply:
        try:
            await grid.until_middle(arrival)
            return await workers.always(lambda: desk.settle(pending))
        except BaseException:
            desk.abandon(pending)
            raise

    @app.post("/dummy", response_model=models.ReplyModel, openapi_extra=body, summary="Try on made-up data")
    async def dummy(request: Request) -> Response:
        """The same question on made-up data within the declared bounds, with the same noise. Free, and not kept."""
        account, question = _who(desk, request), await _question(request)
        return _sent((await workers.run(lambda: desk.dummy(account, question))).as_json())


def _reading(app: FastAPI, desk: Desk, workers: Workers) -> None:
    @app.get("/account", response_model=models.AccountModel, summary="Whose key it is")
    async def account(request: Request) -> Response:
        """Name, role and projects."""
        return _sent(views.own(_who(desk, request)))

    @app.get("/datasets", response_model=models.DatasetsModel, summary="What can be asked")
    async def datasets(request: Request) -> Response:
        """What the owner declares of each data set."""
        return _sent(views.datasets(desk, _who(desk, request)))

    @app.get("/budget", response_model=models.BudgetsModel, summary="What is left")
    async def budget(request: Request) -> Response:
        """Limit, spent and left under every cap that concerns the account."""
        account = _who(desk, request)
        return _sent(await workers.run(lambda: views.budget(desk, account)))

    @app.get("/history", response_model=models.HistoryModel, summary="What was asked")
    async def history(
        request: Request,
        before: Annotated[int | None, Query(ge=1, le=2**53, description="Lines below this number.")] = None,
        limit: Annotated[int, Query(ge=1, le=views.MOST_LINES, description="So many lines.")] = 100,
    ) -> Response:
        """Lines of the ledger, newest first: an analyst's own; owner and auditor see all."""
        account = _who(desk, request)
        return _sent(await workers.run(lambda: views.history(desk, account, before=before, limit=limit)))

    @app.get("/verify", response_model=models.VerifiedModel, summary="Check the ledger")
    async def verify(
        request: Request,
        head: Annotated[
            str | None, Query(max_length=64, description="A hash noted earlier that must still be there.")
        ] = None,
    ) -> Response:
        """Walk over the whole chain, for owner and auditor; the first broken line is named."""
        account = _who(desk, request)
        return _sent(await workers.run(lambda: views.verify(desk, account, head)))


def _who(desk: Desk, request: Request) -> Account:
    kind, _, key = request.headers.get("authorization", "").partition(" ")
    account = account_of(key.strip() if kind.lower() == "bearer" else None, desk.service.accounts.values())
    request.scope["tacit.account"] = account.name
    return account


async def _question(request: Request) -> Question:
    given = strict_json(await request.body())
    try:
        found = models.QuestionModel.model_validate(given)
    except ValidationError as problem:
        raise _explained(problem.errors()[0]) from None
    return Question(sql=found.sql, spend=amount(found.spend), project=found.project)


def _explained(error: Any) -> Refusal:
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


def _sent(value: Any, status: int = 200) -> Response:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return Response(text.encode("utf-8", "replace"), status, media_type="application/json")


async def _refused(_: Request, refusal: Exception) -> Response:
    assert isinstance(refusal, Refusal)
    status, headers, body = refused(refusal)
    return Response(body, status, headers={name.decode(): value.decode() for name, value in headers})


async def _invalid(_: Request, problem: Exception) -> Response:
    assert isinstance(problem, RequestValidationError)
    name = str(problem.errors()[0]["loc"][-1])[:40]
    return _sent(Refusal("bad_request", f"{name!r} is not what it should be", fix="see /openapi.json").as_json(), 400)


async def _no_path(_: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    what = "there is no such path" if problem.status_code == 404 else "this path does not take that"
    return _sent(Refusal("bad_request", what, fix="see /openapi.json").as_json(), problem.status_code)


def _refusals() -> dict[int | str, dict[str, Any]]:
    """Every status that a refusal can have, with its codes."""
    codes: dict[int, list[str]] = {}
    for code, status in STATUS.items():
        codes.setdefault(status, []).append(code)
    return {status: {"model": models.RefusalModel, "description": ", ".join(names)} for status, names in codes.items()}


def _schema(model: type[BaseModel]) -> dict[str, Any]:
    return model.model_json_schema()
