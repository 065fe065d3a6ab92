"""The files of the page: served as what they are, and free of what would let text become code (catalogue: H-07)."""

from __future__ import annotations

import re

import pytest

from tacit.query.server.page import page_files

from .desks import desk
from .serving import http, served

FILES = page_files()
SCRIPTS = {path: content.decode() for path, (content, kind) in FILES.items() if path.endswith(".js")}


def test_every_file_is_served_without_a_key_and_as_what_it_is(tmp_path):
    found = desk(tmp_path / "ledger.db")
    with served(found) as url, http(url, None) as nobody:
        for path, (content, kind) in FILES.items():
            answer = nobody.get(path)
            assert answer.status_code == 200 and answer.content == content, path
            assert answer.headers["content-type"].split(";")[0] == kind
            assert "default-src 'self'" in answer.headers["content-security-policy"]
        for path in ("/page/", "/page/files.py", "/page/../app.py", "/page/%2e%2e/app.py", "/page/scripts/none.js"):
            assert nobody.get(path).status_code == 404
    found.close()


@pytest.mark.parametrize("path", SCRIPTS)
def test_no_script_makes_code_or_html_of_text(path):
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|localStorage|document\.cookie|setAttribute\(\"style"
    assert not re.findall(forbidden, SCRIPTS[path])
    assert not re.findall(r"https?://", SCRIPTS[path])


def test_the_page_has_nothing_inline_and_loads_every_script_at_once():
    page = FILES["/"][0].decode()
    assert not re.findall(r"<style|\sstyle=|\son\w+=|<script(?![^>]*src=)|https?://", page)
    preloaded = set(re.findall(r'modulepreload" href="([^"]+)"', page))
    assert preloaded == set(SCRIPTS) - {"/page/scripts/main.js"}, "a script that is not named here is waited for"


def test_scripts_are_small():
    assert max(len(text.splitlines()) for text in SCRIPTS.values()) < 150
