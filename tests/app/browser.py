"""A page as a browser reads it: which controls a form has, and what it sends when it is submitted."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from urllib.parse import parse_qs, urlencode

NUMBER = re.compile(r"-?([0-9]+(\.[0-9]+)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
"""What a field for a number may begin with: what HTML calls a valid floating-point number."""


class Page(HTMLParser):
    """The controls of a page with what stands in them, its labels and ids; rejects what a strict CSP would block."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.sent: list[tuple[str, str]] = []
        self.controls: list[dict[str, str | None]] = []
        self.ids: list[str] = []
        self.labelled: list[str] = []
        self.described: list[str] = []
        self._select: dict[str, str | None] | None = None
        self._options: list[tuple[str, bool]] = []
        self._area: str | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        assert len(given) == len(attrs), f"an attribute is doubled in {tag}"
        assert tag not in ("script", "style"), "the policy lets no inline script or style through"
        assert not any(name == "style" or name.startswith("on") for name in given)
        self.ids += [given["id"] or ""] if "id" in given else []
        self.described += (given.get("aria-describedby") or "").split()
        self.labelled += [given["for"] or ""] if "for" in given else []
        if tag in ("input", "select", "textarea"):
            self.controls.append({"tag": tag, **given})
        if tag == "input":
            self._input(given)
        elif tag == "select":
            self._select, self._options = given, []
        elif tag == "option":
            self._options.append((given.get("value") or "", "selected" in given))
        elif tag == "textarea":
            self._area = ""

    def _input(self, given: dict[str, str | None]) -> None:
        kind, name, value = given.get("type", "text"), given["name"] or "", given.get("value") or ""
        if kind == "checkbox":
            self.sent += [(name, value)] if "checked" in given else []
        elif given.get("inputmode") in ("decimal", "numeric"):
            assert not value or NUMBER.fullmatch(value), "nobody would know it as a number"
            self.sent.append((name, value))
        else:
            self.sent.append((name, re.sub("[\r\n]", "", value)))

    def handle_data(self, data: str) -> None:
        if self._area is not None:
            self._area += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "select" and self._select is not None:
            chosen = [value for value, selected in self._options if selected] or [self._options[0][0]]
            self.sent.append((self._select["name"] or "", chosen[-1]))
            self._select = None
        if tag == "textarea" and self._area is not None:
            text = self._area.removeprefix("\n")
            self.sent.append((self.controls[-1]["name"] or "", text.replace("\n", "\r\n")))
            self._area = None

    def submitted(self) -> dict[str, list[str]]:
        """What the server gets."""
        return parse_qs(urlencode(self.sent), keep_blank_values=True)
