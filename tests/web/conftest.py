"""One browser for all tests of a module; each test has profiles of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.support.web.browser import Tab, launch_chromium
from tests.support.web.serving import Served, serve


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A running Chromium."""
    with sync_playwright() as playwright:
        chromium = launch_chromium(playwright)
        yield chromium
        chromium.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser profile of its own, as large as a laptop's window."""
    profile = browser.new_context(viewport={"width": 1100, "height": 700})
    yield profile
    profile.close()


@pytest.fixture
def tab(context: BrowserContext) -> Tab:
    """An empty tab."""
    return Tab(context)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """A server with the LED bank and a state folder of its own."""
    with serve(tmp_path, "--bank", "led") as server:
        yield server


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Start servers with options of their own."""
    from contextlib import ExitStack

    with ExitStack() as running:
        yield lambda *options: running.enter_context(serve(tmp_path, *options))


@pytest.fixture
def browser_pair(browser: Browser) -> Iterator[tuple[Tab, Tab]]:
    """Tabs of two browser profiles, as on two machines."""
    profiles = [browser.new_context(), browser.new_context()]
    yield Tab(profiles[0]), Tab(profiles[1])
    for profile in profiles:
        profile.close()


@pytest.fixture
def crm() -> Iterator[str]:
    """The address of a page of another site, on a name of its own."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Send a page with a link."""
            body = b"<!doctype html><title>CRM</title><a href='#'>Ask</a>"
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://localhost:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join()
