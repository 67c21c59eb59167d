"""What the server refuses: every check of the security table, without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from odm_tui.errors import BadArgument
from odm_tui.web.settings import PublicAddress
from tests.support.web.serving import Served, serve


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(tmp_path_factory.mktemp("served"), "--bank", "led") as server:
        yield server


def test_the_address_has_a_long_token(served: Served) -> None:
    assert served.url == f"{served.origin}/?token={served.token}"
    assert len(served.token) >= 40


@pytest.mark.parametrize("token", ["", "x", "ä", "a" * 43])
def test_a_wrong_token_gets_no_cookie(served: Served, token: str) -> None:
    from urllib.parse import quote

    reply = served.request(f"/?token={quote(token)}")
    assert reply.status == 403
    assert "Set-Cookie" not in reply.headers
    assert "<main" not in reply.text


def test_the_token_becomes_a_cookie_and_leaves_the_address(served: Served) -> None:
    reply = served.request(f"/?token={served.token}&bank=led&case=T-1")
    assert reply.status == 303
    assert reply.headers["Location"] == "/?bank=led&case=T-1"
    cookie = reply.headers["Set-Cookie"]
    assert served.token not in cookie
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}


@pytest.mark.parametrize("path", ["/", "/?bank=led", "/operator", "/alive", "/ws?tab=" + "a" * 32])
def test_without_a_cookie_there_is_no_screen(served: Served, path: str) -> None:
    reply = served.request(path)
    assert "<main" not in reply.text
    assert reply.status == 403 or "refresh" in reply.text  # the page that asks the browser for its cookie
    assert served.request("/?hop=1").status == 403


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:{port}", "", "127.0.0.1:{port}."],
)
def test_another_host_is_refused_everywhere(served: Served, host: str) -> None:
    headers = {**served.log_in(), "Host": host.format(port=served.port)}
    for path in ("/", "/static/page.js", "/ws", "/alive"):
        assert served.request(path, headers).status in (400, 421)


def test_forwarded_headers_count_for_nothing_without_a_proxy(served: Served) -> None:
    forged = {"Host": "evil.example", "X-Forwarded-Host": f"127.0.0.1:{served.port}"}
    assert served.request("/", {**served.log_in(), **forged}).status == 421


@pytest.mark.parametrize(
    "origin",
    [
        None,
        "null",
        "http://evil.example",
        "http://127.0.0.1",
        "http://127.0.0.1:1",
        "https://127.0.0.1:{port}",
    ],
)
def test_a_socket_needs_the_exact_origin(served: Served, origin: str | None) -> None:
    cookies = served.log_in()
    given = None if origin is None else origin.format(port=served.port)
    assert served.upgrade(cookies, given).status == 403


def test_a_socket_needs_a_cookie_and_an_operator(served: Served) -> None:
    assert served.upgrade({}, served.origin).status == 403
    assert served.upgrade({"Cookie": f"odm_tui_{served.port}=guessed"}, served.origin).status == 403
    assert served.upgrade(served.log_in(operator=None), served.origin).status == 403


@pytest.mark.parametrize("tab", ["", "short", "x" * 65, "../../../../etc/passwd"])
def test_a_socket_needs_the_name_of_a_tab(served: Served, tab: str) -> None:
    assert served.upgrade(served.log_in(), served.origin, tab=tab).status == 400


def test_the_operator_is_set_by_our_own_page_only(served: Served) -> None:
    form = {
        **served.log_in(),
        "Content-Type": "application/x-www-form-urlencoded",
        "Origin": "http://evil.example",
    }
    assert served.request("/operator", form, "POST", "operator=Eve").status == 403


@pytest.mark.parametrize("name", ["", "%20%20", "x" * 65, "a%07b"])
def test_a_name_that_is_none_is_asked_for_again(served: Served, name: str) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded", "Origin": served.origin}
    reply = served.request("/operator", {**served.log_in(None), **form}, "POST", f"operator={name}")
    assert reply.status == 400
    assert "printable characters" in reply.text


def test_every_answer_has_the_security_headers(served: Served) -> None:
    cookies = served.log_in()
    for reply in (
        served.request("/", cookies),
        served.request("/nothing", cookies),
        served.request("/static/page.js"),
    ):
        policy = reply.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "http" not in policy
        assert "unsafe-eval" not in policy
        assert "'unsafe-inline'" not in policy.partition("script-src")[2].partition(";")[0]
        assert reply.headers["X-Content-Type-Options"] == "nosniff"
        assert reply.headers["Referrer-Policy"] == "same-origin"


def test_only_listed_files_can_be_read(served: Served) -> None:
    for path in ("../server.py", "%2e%2e/server.py", "..%2fserver.py", "page.js/", "", "textual.js%00"):
        assert served.request(f"/static/{path}").status in (400, 404)


@pytest.mark.parametrize("bank", ["/etc/passwd", "../led", "nope", "led.toml", "~/x.toml"])
def test_a_link_names_a_listed_bank_and_no_path(served: Served, bank: str) -> None:
    reply = served.request(f"/?bank={bank}", served.log_in())
    assert reply.status == 400
    assert "Unknown bank" in reply.text


def test_hostile_text_in_a_link_stays_text(served: Served) -> None:
    from urllib.parse import quote

    cookies = served.log_in()
    hostile = '"><script>alert(1)</script><img src=x>'
    page = served.request(f"/?case={quote(hostile)}", cookies).text
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page  # in the title, as text
    page = served.request(f"/?bank={quote(hostile)}", cookies).text
    assert "<script>alert" not in page


def test_a_case_is_short_and_printable(served: Served) -> None:
    for case in ("x" * 81, "a%1bb"):
        assert served.request(f"/?case={case}", served.log_in()).status == 400


def test_the_name_is_asked_once_and_remembered_in_a_cookie(served: Served) -> None:
    cookies = served.log_in(operator=None)
    assert "Who is asking?" in served.request("/", cookies).text
    remembered = {"Cookie": f"{cookies['Cookie']}; odm_tui_operator=Ada%20L"}
    assert "<main" in served.request("/", remembered).text


def test_a_taken_port_is_one_sentence(served: Served, tmp_path: Path) -> None:
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, "-m", "odm_tui", "serve", "--port", str(served.port)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 73
    assert done.stderr.startswith(f"Can't listen on port {served.port}: ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "url", ["ask.example.org", "ftp://x", "https://x/path", "https://u@x", "https://", "http://x:y"]
)
def test_a_public_address_is_scheme_and_host(url: str) -> None:
    with pytest.raises(BadArgument, match="--behind-proxy"):
        PublicAddress.parse(url)


def test_behind_a_proxy_only_the_public_address_counts(tmp_path: Path) -> None:
    with serve(tmp_path, "--behind-proxy", "https://ask.example.org") as server:
        assert server.url == f"https://ask.example.org/?token={server.token}"
        path = f"/?token={server.token}"
        assert server.request(path).status == 421
        assert server.request(path, {"Host": "ask.example.org", "X-Forwarded-Proto": "http"}).status == 421
        forwarded = {"X-Forwarded-Host": "ask.example.org", "X-Forwarded-Proto": "https"}
        reply = server.request(path, forwarded)
        assert reply.status == 303
        assert "Secure" in reply.headers["Set-Cookie"]
        cookies = {"Cookie": reply.headers["Set-Cookie"].partition(";")[0]}
        assert server.upgrade({**cookies, **forwarded}, f"http://127.0.0.1:{server.port}").status == 403
