"""Decide who may do what: the token, the logins behind the cookie, and the checks of Host and Origin."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hmac import compare_digest
from typing import TYPE_CHECKING

from odm_tui.web.settings import PublicAddress

if TYPE_CHECKING:
    from multidict import MultiMapping

_MOST_LOGINS = 1000
"""How many logins are remembered; the one that was used longest ago is forgotten first."""

SECURITY_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; "
        "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Headers of every response. Inline styles are allowed because the terminal in the page creates some."""


@dataclass(slots=True)
class Login:
    """A browser that has shown the token. Its tabs share the operator."""

    id: str
    operator: str | None = None
    """The operator's name as it was typed; only its pseudonym is written to the log."""


class Access:
    """Check tokens, cookies and headers."""

    def __init__(self, address: PublicAddress, port: int, token: str | None = None) -> None:
        self.address = address
        self.token = token or secrets.token_urlsafe(32)
        self.cookie = f"odm_tui_{port}"
        """The name of the cookie. It has the port in it, because browsers share cookies between ports."""
        self._logins: OrderedDict[str, Login] = OrderedDict()

    @property
    def url(self) -> str:
        """The address to open, token included."""
        return f"{self.address.origin}/?token={self.token}"

    def is_token(self, given: str) -> bool:
        """Whether this is the token; takes the same time for every wrong one."""
        return compare_digest(given.encode("utf-8", "replace"), self.token.encode())

    def create_login(self) -> Login:
        """A new login, for a browser that has shown the token."""
        login = Login(secrets.token_urlsafe(32))
        self._logins[login.id] = login
        while len(self._logins) > _MOST_LOGINS:
            self._logins.popitem(last=False)
        return login

    def find_login(self, cookies: Mapping[str, str]) -> Login | None:
        """The login that the cookie names; None if there is none."""
        login = self._logins.get(cookies.get(self.cookie, ""))
        if login is not None:
            self._logins.move_to_end(login.id)
        return login

    def is_own_host(self, headers: MultiMapping[str]) -> bool:
        """Whether the request was sent to this server's own address, and not to a name that points here.

        Behind a proxy, the address that the browser used is in X-Forwarded-Host and X-Forwarded-Proto. Without a
        proxy, these headers are ignored: anybody can send them.
        """
        if self.address.behind_proxy:
            schemes = headers.getall("X-Forwarded-Proto", [])
            if any(scheme != self.address.origin.partition(":")[0] for scheme in schemes):
                return False
            if forwarded := headers.getall("X-Forwarded-Host", []):
                return _is_one_of(forwarded, self.address.hosts)
        return _is_one_of(headers.getall("Host", []), self.address.hosts)

    def is_own_origin(self, headers: MultiMapping[str]) -> bool:
        """Whether the request comes from a page of this server. One without Origin, or with two of them, does not."""
        return _is_one_of(headers.getall("Origin", []), self.address.origins)


def _is_one_of(values: Sequence[str], allowed: Collection[str]) -> bool:
    """Whether a header stands in the request exactly once, with one of these values."""
    return len(values) == 1 and values[0].lower() in allowed
