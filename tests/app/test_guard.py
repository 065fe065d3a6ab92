"""Who is let in: over real sockets, a request without the cookie, from another origin or host gets nothing."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.app.studio import Studio, started

from tacit.plan.load import from_text

SECRET = "sensitive-name"


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    folder = tmp_path_factory.mktemp("guard")
    (folder / "people.csv").write_text(f"name,zip\n{SECRET},N1\nother,N2\n")
    found = started([sys.executable, "-m", "tacit", "studio", "people.csv", "--no-browser"], folder)
    yield found
    found.process.terminate()
    found.process.wait(timeout=30)


@pytest.fixture(scope="module")
def cookie(studio: Studio) -> str:
    """What the browser gets for the token, once."""
    status, headers, _ = asked(studio, "GET", studio.address.removeprefix(studio.origin))
    assert status == 303 and headers["location"] == "/"
    said = headers["set-cookie"]
    assert "HttpOnly" in said and "SameSite=Strict" in said
    again, _, _ = asked(studio, "GET", studio.address.removeprefix(studio.origin))
    assert again == 403, "the token works once"
    return said.partition(";")[0]


def asked(
    studio: Studio, method: str, path: str, body: bytes = b"", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    place = urlsplit(studio.origin)
    connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=30)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body=body if method != "GET" else None, headers=given)
    answer = connection.getresponse()
    found = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    connection.close()
    return found


def test_the_page_is_there_for_who_has_the_cookie(studio: Studio, cookie: str) -> None:
    status, headers, body = asked(studio, "GET", "/data", cookie=cookie)
    assert status == 200 and b"<main" in body
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert headers["cross-origin-resource-policy"] == "same-origin" and headers["cache-control"] == "no-store"


@pytest.mark.parametrize("other", ["a/b=1", 'last={"page": 1}', "two words=1", "none"])
def test_the_cookies_of_other_servers_on_this_machine_do_not_matter(studio: Studio, cookie: str, other: str) -> None:
    """A browser sends them along, because a cookie belongs to a host and not to a port."""
    for both in (f"{other}; {cookie}", f"{cookie}; {other}"):
        assert asked(studio, "GET", "/data", cookie=both)[0] == 200


def test_the_name_of_a_tab_leads_to_its_page_and_what_leads_nowhere_says_so_in_the_frame(
    studio: Studio, cookie: str
) -> None:
    for tab, there in (("explore", "/map"), ("Groups", "/hierarchies")):
        status, headers, _ = asked(studio, "GET", f"/{tab}", cookie=cookie)
        assert (status, headers["location"]) == (303, there)
    for path in ("/nothing", "/data/nothing"):
        status, _, body = asked(studio, "GET", path, cookie=cookie)
        assert status == 404 and b"There is no such page" in body


PATHS = ("/", "/data", "/panel/look", "/events", "/assets/studio.css", "/out/plan.toml", "/nothing")


@pytest.mark.parametrize("path", PATHS)
def test_without_the_cookie_there_is_nothing(studio: Studio, cookie: str, path: str) -> None:
    for given in ({}, {"cookie": cookie[:-3] + "xyz"}, {"cookie": "tacit-studio="}, {"authorization": "Bearer x"}):
        status, _, body = asked(studio, "GET", path, **given)
        assert status == 403
        assert SECRET.encode() not in body and b"people.csv" not in body


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"host": "evil.example"},
        {"host": "localhost.evil.example:80"},
    ],
)
def test_another_origin_gets_nothing_even_with_the_cookie(studio: Studio, cookie: str, headers: dict[str, str]) -> None:
    for method, path in (("GET", "/data"), ("GET", "/events"), ("POST", "/do/undo"), ("PUT", "/drop/x.csv")):
        assert asked(studio, method, path, cookie=cookie, **headers)[0] == 403
    assert not (studio.folder / "data").exists()


def test_a_change_needs_an_origin(studio: Studio, cookie: str) -> None:
    before = (studio.folder / "plan.toml").read_text()
    assert asked(studio, "POST", "/do/undo", cookie=cookie)[0] == 403
    assert asked(studio, "PUT", "/drop/x.csv", cookie=cookie)[0] == 403
    assert (studio.folder / "plan.toml").read_text() == before
    assert asked(studio, "POST", "/do/dismiss", cookie=cookie, origin=studio.origin)[0] == 422  # let in, and wrong


@pytest.mark.parametrize(
    "path",
    [
        "/out/../people.csv",
        "/out/%2e%2e/people.csv",
        "/out/.studio/history.json",
        "/out/plan/%2e%2e/%2e%2e/people.csv",
        "/out/plan/kept.txt",
        "/out/plan/public/%2e%2e/kept.txt",
        "/out/plan/%2e%2e/.studio/history.json",
        "/out/groups/%2e%2e/.studio/history.json",
        "/assets/..%2frun.py",
    ],
)
def test_no_path_leads_out_of_the_output(studio: Studio, cookie: str, path: str) -> None:
    for folder in ("out/public", "groups"):
        (studio.folder / folder).mkdir(parents=True, exist_ok=True)
    (studio.folder / "out/kept.txt").write_text(SECRET)
    status, _, body = asked(studio, "GET", path, cookie=cookie)
    assert status in (303, 404) and SECRET.encode() not in body


def test_a_plan_that_is_saved_can_be_run_from_anywhere(studio: Studio, cookie: str, tmp_path: Path) -> None:
    status, headers, body = asked(studio, "GET", "/out/plan.toml", cookie=cookie)
    assert status == 200 and "attachment" in str(headers).lower()
    inside, saved = (tomllib.loads(text) for text in ((studio.folder / "plan.toml").read_text(), body.decode()))
    whole = (studio.folder / inside["data"]["path"]).resolve()
    assert saved == inside | {"data": inside["data"] | {"path": whole.as_posix()}} and whole.is_file()
    (tmp_path / "plan.toml").write_bytes(body)
    assert from_text(body.decode(), folder=tmp_path, draft=True).data_path == whole


def test_what_no_browser_sends_is_refused_without_a_word_of_the_machine(studio: Studio, cookie: str) -> None:
    """A wrong token or cookie in any letters, a NUL in a path, a form of millions of fields, a name of 300 letters."""
    for path, given in (
        ("/?token=%C3%A9", {}),
        ("/data", {"cookie": "tacit-studio=\xe9"}),
        ("/data", {"cookie": '[]={";'}),
    ):
        assert asked(studio, "GET", path, **given)[0] == 403
    assert asked(studio, "GET", "/out/plan/public/%00", cookie=cookie)[0] == 404
    for path, body in (
        ("/edit/role", b"a=" + b"x" * 5_000_000),
        ("/ask/look", b"a&" * 200_000),
        ("/edit/open", b"path=" + b"x" * 5000),
        ("/edit/open", b"path=a%00b"),
    ):
        status, _, said = asked(studio, "POST", path, body, cookie=cookie, origin=studio.origin)
        answer = json.loads(said)
        assert status == 422 and ("notice" in answer) != ("problems" in answer)
        notices = json.loads((studio.folder / ".studio/notices.json").read_text())
        told = answer["problems"]["path"] if "problems" in answer else notices[-1]["problem"]["what"]
        assert ("there is no file" if path == "/edit/open" else "the form is too large") in told
    before = (studio.folder / "plan.toml").read_text()
    for name, kept in (("x" * 300 + ".csv", "x" * 80 + ".csv"), ("%22%0d%0a%3Cb%3E%00.csv", "____b__.csv")):
        assert asked(studio, "PUT", f"/drop/{name}", b"zip\nN1\n", cookie=cookie, origin=studio.origin)[0] == 200
        assert (studio.folder / "data" / kept).read_bytes() == b"zip\nN1\n"
    for _ in range(2):
        assert asked(studio, "POST", "/do/undo", cookie=cookie, origin=studio.origin)[0] == 200
    assert (studio.folder / "plan.toml").read_text() == before


def test_a_form_about_what_another_window_took_away_is_told_to_be_late(studio: Studio, cookie: str) -> None:
    form = b"dimension=zip&tree=own&version=0"
    status, _, said = asked(studio, "POST", "/edit/table_tree", form, cookie=cookie, origin=studio.origin)
    assert status == 409 and json.loads(said)["version"] > 0
    told = json.loads((studio.folder / ".studio/notices.json").read_text())[-1]["problem"]["code"]
    assert told == "stale"


def test_a_file_that_is_dropped_is_never_written_over_another_and_keeps_what_tells_its_format(
    studio: Studio, cookie: str
) -> None:
    folder, long = studio.folder / "data", "y" * 90
    for name, kept in (
        ("a.csv", "a.csv"),
        ("a.csv", "a-2.csv"),
        ("b.csv.gz", "b.csv.gz"),
        ("b.csv.gz", "b-2.csv.gz"),
        (f"{long}.tsv.gz", f"{long[:80]}.tsv.gz"),
    ):
        assert asked(studio, "PUT", f"/drop/{name}", kept.encode(), cookie=cookie, origin=studio.origin)[0] == 200
        assert (folder / kept).read_bytes() == kept.encode()
    there = sorted(folder.iterdir())
    for name in ("photo.png", "patients", "..", ".csv"):
        assert asked(studio, "PUT", f"/drop/{name}", b"x", cookie=cookie, origin=studio.origin)[0] in (303, 404, 422)
    assert sorted(folder.iterdir()) == there


def test_an_upload_that_breaks_off_leaves_nothing(studio: Studio, cookie: str) -> None:
    folder = studio.folder / "data"
    folder.mkdir(exist_ok=True)
    there = sorted(folder.iterdir())
    place = urlsplit(studio.origin)
    head = f"PUT /drop/half.csv HTTP/1.1\r\nHost: {place.netloc}\r\nOrigin: {studio.origin}\r\nCookie: {cookie}\r\n"
    with socket.create_connection((str(place.hostname), place.port), timeout=30) as half:
        half.sendall(f"{head}Content-Length: 9000000\r\n\r\n".encode() + b"x" * 300_000)
        until(lambda: len(list(folder.iterdir())) > len(there))
    until(lambda: sorted(folder.iterdir()) == there)


def test_who_goes_away_before_the_answer_does_not_end_the_studio(studio: Studio) -> None:
    """A second write to a connection that was closed is a signal that ends a process, unless it is ignored."""
    place = urlsplit(studio.origin)
    for _ in range(10):
        with socket.create_connection((str(place.hostname), place.port), timeout=30) as gone:
            os.kill(studio.process.pid, signal.SIGSTOP)
            gone.sendall(f"GET /data HTTP/1.1\r\nHost: {place.netloc}\r\n\r\n".encode())
        os.kill(studio.process.pid, signal.SIGCONT)
    assert asked(studio, "GET", "/data")[0] == 403 and studio.process.poll() is None


def until(holds: Callable[[], bool]) -> None:
    """Wait for the server to have done something."""
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_what_the_studio_keeps_is_for_its_owner(studio: Studio) -> None:
    kept = studio.folder / ".studio"
    assert kept.stat().st_mode & 0o077 == 0
    assert [file for file in kept.rglob("*") if file.is_file() and file.stat().st_mode & 0o077] == []


def test_it_listens_on_the_loopback_address_alone(studio: Studio) -> None:
    port = urlsplit(studio.origin).port
    assert urlsplit(studio.origin).hostname == "127.0.0.1"
    outside = socket.gethostbyname(socket.gethostname())
    if not outside.startswith("127."):
        with socket.socket() as other:
            other.settimeout(2)
            assert other.connect_ex((outside, int(port or 0))) != 0


def test_a_websocket_is_refused(studio: Studio, cookie: str) -> None:
    status, *_ = asked(
        studio,
        "GET",
        "/events",
        cookie=cookie,
        connection="Upgrade",
        upgrade="websocket",
        origin="http://evil.example",
        sec_websocket_key="x3JJHMbDL1EzLkh9GBhXDw==",
        sec_websocket_version="13",
    )
    assert status in (400, 403)


def test_two_studios_do_not_share_a_project(studio: Studio, cookie: str) -> None:
    second = subprocess.run(
        [sys.executable, "-m", "tacit", "studio", "--project", str(studio.folder), "--no-browser"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert second.returncode == 2
    assert "another studio has the project" in second.stderr and "--project" in second.stderr
