"""Answer requests that are no HTTP: with the same headers as every other answer, and without quoting them."""

from __future__ import annotations

import logging
from typing import Any

from aiohttp import web
from aiohttp.web_protocol import RequestHandler

from odm_tui.web.access import SECURITY_HEADERS
from odm_tui.web.pages import render_message_page

_log = logging.getLogger("odm_tui.web")


class GuardedRunner(web.AppRunner):
    """Run an application whose connections also guard what never reaches the application."""

    async def _make_server(self) -> web.Server:
        made = await super()._make_server()
        return _GuardedServer(
            made.request_handler, request_factory=made.request_factory, access_log=None, logger=_log
        )


class _GuardedServer(web.Server):
    def __call__(self) -> RequestHandler:
        return _GuardedConnection(self, loop=self._loop, **self._kwargs)


class _GuardedConnection(RequestHandler):
    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Answer a request that can't be read; the log gets neither its text nor a traceback."""
        if request.writer.output_size > 0:
            raise ConnectionError
        text = render_message_page("That did not work", "The server could not read this request.")
        response = web.Response(text=text, status=status, content_type="text/html", headers=SECURITY_HEADERS)
        response.force_close()
        return response

    def log_exception(self, *args: Any, **kw: Any) -> None:
        """Write the kind of the error to the log, and nothing of what was sent."""
        error = kw.get("exc_info")
        _log.error("A connection failed: %s.", type(error).__name__)
