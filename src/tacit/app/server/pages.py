"""From a name to HTML: pages, and the panels in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from shlex import quote
from typing import Any
from urllib.parse import unquote, urlencode

from jinja2 import ChoiceLoader, Environment, PackageLoader, PrefixLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import Response

from ...report.marks import mark_verdict, tie_percent_signs
from ...report.words import count_phrase, format_percent, to_prose
from ...result import format_fact
from ..page_error import in_clicks
from ..pages import ALL as PAGES
from ..pages import View
from ..pages.pending_suggestions import left_to_take
from ..panels import ALL as PANELS
from ..project.project import DOCUMENTS, Project
from ..texts import texts
from ..work.scheduler import PanelScheduler


@dataclass(frozen=True, slots=True)
class NextStep:
    """The key of the words, and where the step is taken."""

    key: str
    href: str


ROLES, MISSING = NextStep("roles", "/data#columns"), NextStep("missing", "/data#missing-values")

RISK, REQUIRE, RELEASE = (
    NextStep("risk", "/risk"),
    NextStep("require", "/release"),
    NextStep("release", "/release#go-title"),
)

PROTECT, FIRST, MORE = (
    NextStep("protect", "/protect"),
    NextStep("first", "/protect#add"),
    NextStep("more", "/protect#add"),
)

ANOTHER, ATTACK = NextStep("another", "/data#open-another"), NextStep("attack", "/risk#attacks-made")


def find_next_step(
    page: str,
    raw: Mapping[str, Any],
    status: Mapping[str, Any] | None,
    attacks: Mapping[str, Any] | None = None,
    *,
    unread: bool = False,
    broken: bool = False,
) -> NextStep | None:
    """The next step after what a page is for; none where the job ends, and none before a file is open.

    ``status`` is what is known of the requirements, or None while they are being checked, ``attacks`` the same of those
    that attacks decide on. ``unread``: the file cannot be read; ``broken``: nothing can be checked, and it is told why.
    """
    if not raw:
        return None
    if unread:
        return ANOTHER
    if page == "tables":
        return None
    if not raw.get("roles", {}).get("quasi"):
        return ROLES
    if status and status.get("asks"):
        return MISSING
    if broken:
        return None
    if not raw.get("require"):
        return {"data": RISK, "hierarchies": RISK, "release": None}.get(page, REQUIRE)
    states = _requirement_states(status, attacks)
    if states == {"holds"}:
        return RELEASE if page != "release" else None
    if states == {"holds", "attack"} or states == {"attack"}:
        return ATTACK
    if page != "protect":
        return PROTECT
    return MORE if raw.get("protect") else FIRST


def _requirement_states(status: Mapping[str, Any] | None, attacks: Mapping[str, Any] | None) -> set[str]:
    """The states of all requirements; "attack" is that of one on attacks which were not made yet."""
    judged = {one["name"]: one["state"] for one in (attacks or {}).get("verdicts", [])}
    lights = (status or {}).get("lights", [])
    return {judged.get(one["name"], "attack") if one["state"] == "attack" else one["state"] for one in lights}


LISTED, AHEAD = 50, 10
"""States of the history that a page shows, and how many of them at least come after the present one."""

REPORT = "report"
"""Where the templates of reports stand among ours: of them the table is laid out here, too."""

KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


class Pages:
    """Lays out the project as it stands; nothing is computed here."""

    def __init__(self, project: Project, desk: PanelScheduler) -> None:
        self._project, self._desk = project, desk

    def preload_templates(self) -> None:
        """Have all templates ready, so that the first look at a page is as fast as the next."""
        for name in _jinja_environment().list_templates(filter_func=lambda name: not name.startswith(REPORT)):
            _jinja_environment().get_template(name)

    def page(self, name: str, query: Mapping[str, str]) -> str | None:
        """A whole page, or None for one that there is not."""
        if name not in PAGES:
            return None
        view = View(self._project, self._desk, query)
        ready = bool(view.raw or view.table) or not PAGES[name].needs_data
        context = dict(PAGES[name].context(view)) if ready else {}
        template = f"pages/{name}.html" if ready else "pages/none.html"
        context |= self._next_step_context(name, view)
        return _jinja_environment().get_template(template).render(**self._shared_context(view), page=name, **context)

    def _next_step_context(self, name: str, view: View) -> dict[str, Any]:
        """The next step, and the panel that may change it when it is there."""
        if not view.raw:
            return {"onward": None, "waits": ""}
        status, attacks = self._desk.found("status"), self._desk.found("attacks")
        unread = self._desk.show("look").state == "failed"
        broken = self._desk.show("status").state == "failed"
        found = find_next_step(name, view.raw, status, attacks, unread=unread, broken=broken)
        return {"onward": found, "waits": "status" if status is None else "attacks" if attacks is None else ""}

    def not_found(self) -> str:
        """What stands at an address that leads nowhere: the frame, and the ways back."""
        shared = self._shared_context(View(self._project, self._desk, {}))
        return _jinja_environment().get_template("pages/unknown.html").render(**shared, page="", onward=None, waits="")

    def panel(self, name: str, question: Mapping[str, Any], query: Mapping[str, str] | None = None) -> str:
        """A panel as it stands; working on it begins when it is not there yet. ``query`` is that of the page around it."""
        return self._laid_out(name, question, self._shared_context(View(self._project, self._desk, query or {})))

    def _laid_out(self, name: str, question: Mapping[str, Any], shared: Mapping[str, Any]) -> str:
        now = self._desk.show(name, question)
        context = {
            **shared,
            "panel_name": name,
            "now": now,
            "found": now.found,
            "question": dict(question),
            "address": f"/panel/{name}?{urlencode(question)}",
            "asked": PANELS[name].asked,
            "template": f"panels/{name}.html",
        }
        return _jinja_environment().get_template("panel.html").render(**context)

    def asset(self, name: str) -> Response:
        """A style sheet, script or picture of the pages."""
        file = files(__package__.rpartition(".")[0]) / "assets" / name
        kind = next((kind for ending, kind in KINDS.items() if name.endswith(ending)), None)
        if kind is None or not file.is_file():
            return Response("no such file", 404)
        return Response(file.read_bytes(), media_type=kind)

    def _shared_context(self, view: View) -> dict[str, Any]:
        """What every template has."""
        history = self._project.history
        shared: dict[str, Any] = {
            "say": texts(),
            "view": view,
            "raw": view.raw,
            "columns": view.columns,
            "pages": tuple(PAGES),
            "version": self._project.version,
            "history": history.descriptions,
            "listed": _history_range(len(history), history.position, view.query.get("history") == "all"),
            "place": history.position,
            "notices": tuple(self._project.notices),
            "variants": tuple(self._project.variants),
            "documents": self._project.documents,
            "project_name": self._project.folder.name,
            "command": self._command_line(),
        }
        shared["panel"] = lambda name, **question: Markup(self._laid_out(name, question, shared))
        return shared

    def _command_line(self) -> str:
        """The same by command line."""
        commands = [
            f"tacit {verb} {quote(f'{self._project.folder.name}/{DOCUMENTS[name]}')}"
            for name, verb in (("plan", "release"), ("table", "table protect"))
            if self._project.documents.get(name)
        ]
        return "\n".join(commands)


def _history_range(states: int, place: int, every: bool) -> tuple[int, int]:
    """The states that are shown, from and to: all, or so many as can be looked over, with the present one among them."""
    last = states if every else min(states, max(place + AHEAD, LISTED))
    return 0 if every else max(0, last - LISTED), last


@cache
def _jinja_environment() -> Environment:
    found = Environment(
        loader=ChoiceLoader(
            [PackageLoader(__package__.rpartition(".")[0]), PrefixLoader({REPORT: PackageLoader("tacit.report")})]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {
        "tied": tie_percent_signs,
        "marked": mark_verdict,
        "readable": to_prose,
        "percent": format_percent,
        "shown": format_fact,
        "quoted": quote,
        "unquoted": unquote,
    }
    found.globals |= {"counted": count_phrase, "in_clicks": in_clicks, "left_to_take": left_to_take}
    return found
