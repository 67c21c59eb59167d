"""The HTML pages of the server. Everything that comes from outside is escaped."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from urllib.parse import urlencode

_FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="dark">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/static/page.css">
{head}</head>
<body{attributes}>
{body}
</body>
</html>
"""


def render_terminal_page(title: str, query: Mapping[str, str]) -> str:
    """The page with the terminal; its scripts do the rest."""
    head = '<link rel="stylesheet" href="/static/xterm.css">\n<script src="/static/page.js" defer></script>\n'
    body = """<main id="terminal" class="textual-terminal"></main>
<nav id="keys" aria-label="Answers and keys" hidden></nav>
<div id="notice" role="status" aria-live="polite" hidden><p></p><button type="button" hidden></button></div>
<noscript><p class="card">This page needs JavaScript from this server.</p></noscript>"""
    return _render(title, body, head, f' data-query="{escape(urlencode(query), quote=True)}"')


def render_operator_page(query: Mapping[str, str], name: str = "", problem: str = "") -> str:
    """The form that asks for the operator's name."""
    hidden = "".join(
        f'<input type="hidden" name="{escape(key, quote=True)}" value="{escape(value, quote=True)}">'
        for key, value in query.items()
    )
    error = f'<p class="problem" role="alert">{escape(problem)}</p>' if problem else ""
    body = f"""<form class="card" method="post" action="/operator">
<h1>Who is asking?</h1>
<p>Your name tells your interviews from those of others. The log keeps a pseudonym of it, not the name.</p>
{error}<label>Name <input name="operator" value="{escape(name, quote=True)}" maxlength="64" required autofocus
 autocomplete="nickname"></label>
{hidden}<button>Start</button>
</form>"""
    return _render("Who is asking? · odm-tui", body)


def render_message_page(heading: str, text: str) -> str:
    """A page with one message."""
    body = f'<section class="card"><h1>{escape(heading)}</h1><p>{escape(text)}</p></section>'
    return _render(f"{heading} · odm-tui", body)


def render_hop_page(query: Mapping[str, str]) -> str:
    """A page that loads itself again.

    A browser does not send the cookie with a link from another site. It does with a link from this page.
    """
    target = escape(f"/?{urlencode({**query, 'hop': '1'})}", quote=True)
    head = f'<meta http-equiv="refresh" content="0; url={target}">\n'
    return _render("odm-tui", f'<p class="card"><a href="{target}">Continue</a></p>', head)


def _render(title: str, body: str, head: str = "", attributes: str = "") -> str:
    return _FRAME.format(title=escape(title), head=head, body=body, attributes=attributes)
