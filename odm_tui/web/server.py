"""The web server: pages, the login, and the socket between a browser tab and its screen."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from urllib.parse import quote, unquote, urlencode

from aiohttp import WSMsgType, web

from odm_tui.errors import CannotWrite, OdmError
from odm_tui.web.access import SECURITY_HEADERS, Access, Login
from odm_tui.web.assets import find_assets
from odm_tui.web.forms import read_form
from odm_tui.web.links import find_open_interview, read_link
from odm_tui.web.operators import find_operator_pseudonym, read_operator
from odm_tui.web.pages import (
    render_hop_page,
    render_message_page,
    render_operator_page,
    render_terminal_page,
)
from odm_tui.web.settings import LOOPBACK, PublicAddress, ServeSettings
from odm_tui.web.tabs import CloseCode, Tab, TabKey, TabRegistry, close_socket, say_goodbye
from odm_tui.web.unreadable import GuardedRunner

_OPERATOR_COOKIE = "odm_tui_operator"
_OWN_BANK = "own-bank"
"""Stands in the address of a socket for the bank that the server was started with, whose path stays private."""
_YEAR = 365 * 24 * 3600
_IDLE_CHECK = 1.0
"""Seconds between two checks for idle screens."""
_LARGEST_MESSAGE = 1 << 18
_SIGNED_OUT = "Open the address that odm-tui serve has printed. It is new each time the server is started."
_NO_SCREEN = "The server could not open another screen. Try again when somebody has finished."
_log = logging.getLogger("odm_tui.web")

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Server:
    """Serve the screens to browsers."""

    def __init__(self, settings: ServeSettings) -> None:
        self.settings = settings
        self.assets = find_assets()
        self.tabs = TabRegistry(settings)
        self.access = Access(PublicAddress.local(settings.port), settings.port)
        self._runner: GuardedRunner | None = None
        self._sweeping: asyncio.Task[None] | None = None

    async def start(self) -> int:
        """Listen on the port, or on any free one for port 0; the port."""
        app = web.Application(middlewares=[self._guard], client_max_size=1 << 14)
        app.add_routes(
            [
                web.get("/", self._index),
                web.get("/operator", self._operator_form),
                web.post("/operator", self._set_operator),
                web.get("/alive", self._alive),
                web.get("/ws", self._socket),
                web.get("/static/{name}", self._asset),
            ]
        )
        app.on_response_prepare.append(_add_security_headers)
        self._runner = GuardedRunner(app, handle_signals=False, shutdown_timeout=1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, LOOPBACK, self.settings.port)
        try:
            await site.start()
        except OSError as error:
            await self._runner.cleanup()
            raise CannotWrite(
                f"Can't listen on port {self.settings.port}: {error.strerror}. Choose another one with --port, or "
                "any free one with --port 0."
            ) from None
        port = int(self._runner.addresses[0][1])
        public = self.settings.public_url
        address = PublicAddress.local(port) if public is None else PublicAddress.parse(public)
        self.access = Access(address, port)
        self._sweeping = asyncio.create_task(self._sweep())
        return port

    async def stop(self) -> None:
        """End every screen and stop listening, within a few seconds."""
        if self._sweeping is not None:
            self._sweeping.cancel()
        await self.tabs.stop_all()
        if self._runner is not None:
            await self._runner.cleanup()

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_IDLE_CHECK)
            self.tabs.stop_idle()

    # -- the guard in front of every request ---------------------------------------------------------------------

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse requests for other hosts; turn errors into a page without details."""
        if not self.access.is_own_host(request.headers):
            return _page("Wrong address", "This server answers only under its own address.", 421)
        try:
            return await handler(request)
        except web.HTTPException as error:
            if error.status < 400:
                raise
            return _page(error.reason, "There is nothing here.", error.status)
        except OdmError as error:
            return _page("That did not work", str(error), 400)
        except (asyncio.CancelledError, ConnectionError):
            raise
        except Exception as error:
            _log.error("A request failed: %s.", type(error).__name__)  # no values: they may be answers
            return _page("That did not work", "The server could not answer. Load the page again.", 500)

    # -- pages --------------------------------------------------------------------------------------------------------

    async def _index(self, request: web.Request) -> web.StreamResponse:
        """The terminal; before it the login, and the form for the operator's name."""
        link = read_link(request.query)
        if "token" in request.query:
            return self._log_in(request, link)
        login = self.access.find_login(request.cookies)
        if login is None:
            if "hop" in request.query:
                return _page("Signed out", _SIGNED_OUT, 403)
            return _html(render_hop_page(link))
        if login.operator is None:
            login.operator = read_operator(unquote(request.cookies.get(_OPERATOR_COOKIE, "")))
        if login.operator is None:
            return _html(render_operator_page(link))
        title = " · ".join([link[key] for key in ("case", "bank") if key in link] + ["odm-tui"])
        if "bank" not in link and self.settings.bank is not None and "inbox" not in request.query:
            link[_OWN_BANK] = "1"
        return _html(render_terminal_page(title, link))

    def _log_in(self, request: web.Request, link: Mapping[str, str]) -> web.Response:
        """Exchange the token for a cookie, and take it out of the address.

        A browser that is logged in stays so: another login would cut its open tabs off from their screens.
        """
        if not self.access.is_token(request.query["token"]):
            return _page("Wrong address", _SIGNED_OUT, 403)
        login = self.access.find_login(request.cookies) or self.access.create_login()
        response = web.Response(status=303, headers={"Location": f"/?{urlencode(link)}" if link else "/"})
        self._set_cookie(response, self.access.cookie, login.id)
        return response

    def _set_cookie(self, response: web.Response, name: str, value: str, seconds: int | None = None) -> None:
        secure = self.access.address.is_secure
        response.set_cookie(
            name, value, httponly=True, samesite="Strict", secure=secure, path="/", max_age=seconds
        )

    async def _operator_form(self, request: web.Request) -> web.StreamResponse:
        """The form, to change the name."""
        login = self._require_login(request)
        return _html(render_operator_page(read_link(request.query), login.operator or ""))

    async def _set_operator(self, request: web.Request) -> web.StreamResponse:
        """Take the name from the form."""
        login = self._require_login(request)
        if not self.access.is_own_origin(request.headers):
            raise web.HTTPForbidden
        form = await read_form(request)
        link = read_link(form)
        typed = form.get("operator", "")
        name = read_operator(typed)
        if name is None:
            problem = "A name has 1 to 64 printable characters."
            return _html(render_operator_page(link, typed[:64], problem), 400)
        login.operator = name
        response = web.Response(status=303, headers={"Location": f"/?{urlencode(link)}" if link else "/"})
        self._set_cookie(response, _OPERATOR_COOKIE, quote(name), _YEAR)
        return response

    async def _alive(self, request: web.Request) -> web.StreamResponse:
        """Whether the cookie still counts; the page asks after a lost connection."""
        self._require_login(request)
        return web.Response(status=204)

    async def _asset(self, request: web.Request) -> web.StreamResponse:
        """A script, a style or a font."""
        asset = self.assets.get(request.match_info["name"])
        if asset is None:
            raise web.HTTPNotFound
        body = await asyncio.to_thread(asset.path.read_bytes)
        headers = {"Content-Type": asset.content_type, "Cache-Control": "no-cache"}
        return web.Response(body=body, headers=headers)

    def _require_login(self, request: web.Request) -> Login:
        login = self.access.find_login(request.cookies)
        if login is None:
            raise web.HTTPForbidden
        return login

    # -- the socket -------------------------------------------------------------------------------------------------

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        """Connect a tab with its screen until one of them ends."""
        login = self._require_login(request)
        if not self.access.is_own_origin(request.headers) or login.operator is None:
            raise web.HTTPForbidden
        name = request.query.get("tab", "")
        if not (name.isascii() and name.isalnum() and 16 <= len(name) <= 64):
            raise web.HTTPBadRequest
        link = read_link(request.query)
        if _OWN_BANK in request.query and self.settings.bank is not None:
            link.setdefault("bank", self.settings.bank)
        socket = web.WebSocketResponse(heartbeat=10, max_msg_size=_LARGEST_MESSAGE, compress=False)
        await socket.prepare(request)
        key = TabKey(login.id, login.operator, name)
        tab = await self._connect(socket, key, request.query, link)
        if tab is None:
            return socket
        try:
            await _receive_all(socket, tab)
        finally:
            # 1000 and 1001 mean that the page was closed or left; everything else is a lost connection.
            closed = socket.close_code in (1000, 1001)
            self.tabs.detach(key, tab, socket, closed_by_page=closed)
        return socket

    async def _connect(
        self, socket: web.WebSocketResponse, key: TabKey, query: Mapping[str, str], link: Mapping[str, str]
    ) -> Tab | None:
        """Show the screen of this tab on the socket, a new one if it has none; None if there can't be one."""
        size = _read_size(query)
        async with self.tabs.opening:
            tab = self.tabs.find(key) or self.tabs.take_back(key, link)
            if tab is None:
                if "again" in query or self.tabs.is_full:
                    await close_socket(socket, CloseCode.GONE if "again" in query else CloseCode.FULL)
                    return None
                try:
                    await self.tabs.wait_for_left_case(key, link)
                    options = await self._make_options(key.operator, link)
                    tab = await self.tabs.open(key, options, *size, link)
                except (OdmError, OSError) as error:
                    await say_goodbye(socket, str(error) if isinstance(error, OdmError) else _NO_SCREEN)
                    return None
                tab.socket = socket
                return tab
        await tab.attach(socket, *size)
        return tab

    async def _make_options(self, operator: str, link: Mapping[str, str]) -> dict[str, object]:
        """The options of a new screen; a link to a case goes on with the operator's interview of it."""
        pseudonym = await asyncio.to_thread(find_operator_pseudonym, self.settings.state_dir, operator)
        open_interview = await asyncio.to_thread(
            find_open_interview, link, self.settings.state_dir, pseudonym
        )
        return {
            "state_dir": self.settings.state_dir,
            "theme": self.settings.theme,
            "store": self.settings.store,
            "operator": pseudonym,
            "resume": open_interview,
            **link,
        }


async def run_server(settings: ServeSettings, announce: Callable[[Access, int], None]) -> None:
    """Serve until SIGINT or SIGTERM. ``announce`` is told the address as soon as the server listens."""
    server = Server(settings)
    port = await server.start()
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # an event loop without signals, on Windows
            loop.add_signal_handler(number, stopped.set)
    try:
        announce(server.access, port)
        await stopped.wait()
    finally:
        await server.stop()


async def _receive_all(socket: web.WebSocketResponse, tab: Tab) -> None:
    """Pass every message of the page on to the screen."""
    async for message in socket:
        if message.type is WSMsgType.TEXT:
            with suppress(ValueError, RecursionError):
                await tab.receive(json.loads(message.data))


async def _add_security_headers(_: web.Request, response: web.StreamResponse) -> None:
    for name, value in SECURITY_HEADERS.items():
        response.headers.setdefault(name, value)


def _html(text: str, status: int = 200) -> web.Response:
    return web.Response(text=text, status=status, content_type="text/html")


def _page(heading: str, text: str, status: int) -> web.Response:
    return _html(render_message_page(heading, text), status)


def _read_size(query: Mapping[str, str]) -> tuple[int, int]:
    """The size of the terminal in cells."""
    sizes = (query.get("width", ""), query.get("height", ""))
    width, height = (
        int(text) if text.isascii() and text.isdecimal() and len(text) < 5 else 0 for text in sizes
    )
    return width or 80, height or 24
