"""Read what a form of a page sends."""

from __future__ import annotations

from aiohttp import web
from aiohttp.http_exceptions import BadHttpMessage


async def read_form(request: web.Request) -> dict[str, str]:
    """The texts in a form; raise HTTPBadRequest if it can't be read."""
    try:
        form = await request.post()
    except (ValueError, LookupError, BadHttpMessage, web.RequestPayloadError):
        raise web.HTTPBadRequest from None
    return {key: value for key, value in form.items() if isinstance(value, str)}
