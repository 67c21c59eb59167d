"""What the server refuses: every check of the security table, without a browser."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import aiohttp
import pytest

from odm_tui.errors import BadArgument
from odm_tui.web.settings import PublicAddress
from tests.support.web.serving import PATIENCE, Served, serve


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


def test_a_browser_that_opens_the_address_again_keeps_its_screens(served: Served) -> None:
    cookies = served.log_in()
    again = served.request(f"/?token={served.token}", cookies)
    assert again.status == 303
    assert again.headers["Set-Cookie"].startswith(f"{cookies['Cookie']};")


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


@pytest.mark.parametrize(
    "kind",
    [
        "multipart/form-data",
        "multipart/form-data; boundary=x",
        "application/x-www-form-urlencoded; charset=none",
    ],
)
def test_a_form_that_can_not_be_read_is_refused(served: Served, kind: str) -> None:
    form = {**served.log_in(), "Content-Type": kind, "Origin": served.origin}
    assert served.request("/operator", form, "POST", "--x\r\nnonsense\r\n\r\n--").status == 400


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


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00secret",
        b"GET / HTTP/1.1\r\nHost: <script>secret</script>\x00\r\n\r\n",
        b"GET /" + b"secret" * 3000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: secret\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
    ids=["version", "tls", "zero byte", "long", "length", "two lengths"],
)
def test_an_unreadable_request_gets_the_security_headers_and_no_echo(served: Served, sent: bytes) -> None:
    reply = served.send_raw(sent)
    assert reply.status == 400
    assert "default-src 'none'" in reply.headers["Content-Security-Policy"]
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    assert "secret" not in reply.text
    assert "could not read this request" in reply.text


def test_what_is_unreadable_leaves_nothing_of_itself_in_the_log(tmp_path: Path) -> None:
    with serve(tmp_path) as server:
        server.send_raw(b"GET / HTTP/1.1\r\nHost: secret\x00\r\n\r\n")
        server.process.terminate()
        _, errors = server.process.communicate(timeout=PATIENCE)
    assert "Traceback" not in errors
    assert "secret" not in errors


@pytest.mark.parametrize("header", ["Host", "Origin"])
def test_a_header_that_stands_twice_is_refused(served: Served, header: str) -> None:
    own = {"Host": f"127.0.0.1:{served.port}", "Origin": served.origin}
    lines = [f"{name}: {value}" for name, value in own.items()]
    lines += [f"{header}: {own[header] if header == 'Host' else 'http://evil.example'}"]
    lines += [f"Cookie: {served.log_in()['Cookie']}", "Connection: Upgrade", "Upgrade: websocket"]
    lines += ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]
    reply = served.send_raw("\r\n".join([f"GET /ws?tab={'b' * 32} HTTP/1.1", *lines, "", ""]).encode())
    assert reply.status in (400, 403, 421)


def test_two_sockets_of_one_tab_open_one_screen(tmp_path: Path) -> None:
    with serve(tmp_path, "--bank", "led") as server:
        opened = asyncio.run(_open_at_once(server, server.log_in(), ["c" * 32] * 3))
        assert len(opened) == 1


def test_no_more_screens_than_allowed_start_at_once(tmp_path: Path) -> None:
    with serve(tmp_path, "--bank", "led", "--sessions", "2") as server:
        opened = asyncio.run(_open_at_once(server, server.log_in(), [f"{at:032d}" for at in range(6)]))
        assert len(opened) == 2


async def _open_at_once(server: Served, cookies: Mapping[str, str], tabs: Sequence[str]) -> list[int]:
    """Open a socket for each of these tabs at the same time; the screens once every socket was drawn on or closed."""
    headers = {**cookies, "Origin": server.origin}
    async with aiohttp.ClientSession(headers=headers) as client, AsyncExitStack() as stack:

        async def open_one(tab: str) -> None:
            url = f"{server.origin}/ws?tab={tab}&width=80&height=24&own-bank=1"
            socket = await stack.enter_async_context(client.ws_connect(url))
            await socket.receive(timeout=PATIENCE)

        await asyncio.gather(*(open_one(tab) for tab in tabs))
        return server.screens()


def test_another_operator_in_the_same_tab_gets_a_screen_of_his_own(tmp_path: Path) -> None:
    with serve(tmp_path, "--bank", "led") as server:
        cookies = server.log_in("Ada")
        first = asyncio.run(_open_at_once(server, cookies, ["d" * 32]))
        form = {"Origin": server.origin, "Content-Type": "application/x-www-form-urlencoded"}
        assert server.request("/operator", {**cookies, **form}, "POST", "operator=Grace").status == 303
        second = asyncio.run(_open_at_once(server, cookies, ["d" * 32]))
        assert set(second) - set(first)


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
