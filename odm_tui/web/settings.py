"""The settings of ``odm-tui serve``, and the one address under which the server answers."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from odm_tui.errors import BadArgument

LOOPBACK = "127.0.0.1"
"""The only address that the server listens on. A proxy on the same machine makes it public."""


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """How to serve: which bank, where the data are, and the limits of a session."""

    port: int = 8734
    bank: str | None = None
    state_dir: str | None = None
    store: str | None = None
    theme: str | None = None
    public_url: str | None = None
    max_sessions: int = 20
    idle_seconds: float = 30 * 60
    reconnect_seconds: float = 60
    """How long a screen waits for its tab after the network was lost."""
    closed_seconds: float = 5
    """How long a screen waits for its tab after the tab was closed or reloaded."""


@dataclass(frozen=True, slots=True)
class PublicAddress:
    """The address in the browser: its origin, and the values of the Host header that belong to it.

    >>> PublicAddress.local(8734).origin
    'http://127.0.0.1:8734'
    >>> sorted(PublicAddress.local(8734).hosts)
    ['127.0.0.1:8734', 'localhost:8734']
    >>> PublicAddress.parse("https://ask.example.org/").hosts
    frozenset({'ask.example.org'})
    """

    origin: str
    hosts: frozenset[str]
    behind_proxy: bool = False

    @property
    def is_secure(self) -> bool:
        """Whether the browser reaches it by HTTPS."""
        return self.origin.startswith("https:")

    @property
    def origins(self) -> frozenset[str]:
        """The values of the Origin header that pages of this server send."""
        scheme = self.origin.partition(":")[0]
        return frozenset(f"{scheme}://{host}" for host in self.hosts)

    @classmethod
    def local(cls, port: int) -> PublicAddress:
        """The address on this machine."""
        return cls(f"http://{LOOPBACK}:{port}", frozenset({f"{LOOPBACK}:{port}", f"localhost:{port}"}))

    @classmethod
    def parse(cls, url: str) -> PublicAddress:
        """The address that a proxy publishes; raise BadArgument if it is more or less than scheme and host."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            parts, port = urlsplit(""), None
        extra = parts.path not in ("", "/") or parts.query or parts.fragment or parts.username is not None
        if parts.scheme not in ("http", "https") or not parts.hostname or extra:
            raise BadArgument(
                f"--behind-proxy {url!r} is not a public address. Name scheme and host only, such as "
                "https://ask.example.org."
            )
        name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        default = 443 if parts.scheme == "https" else 80
        host = name if port in (None, default) else f"{name}:{port}"
        return cls(f"{parts.scheme}://{host}", frozenset({host}), behind_proxy=True)
