"""Run ``odm-tui serve`` as a user does, and send it requests without a browser."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.terminal.terminal import reset_signals

PATIENCE = 60.0
"""Seconds after which something that should come counts as missing; nothing ever takes this long."""


@dataclass(frozen=True)
class Reply:
    """What a server answers."""

    status: int
    headers: Mapping[str, str]
    text: str


class Served:
    """A running server."""

    def __init__(self, process: subprocess.Popen[str], state: Path) -> None:
        assert process.stdout is not None
        self.process, self.state = process, state
        line = process.stdout.readline()
        assert line, f"the server did not start: {process.stderr.read() if process.stderr else ''}"
        announced: dict[str, Any] = json.loads(line)
        self.url, self.port, self.token = announced["url"], announced["port"], announced["token"]
        self.origin = f"http://127.0.0.1:{self.port}"

    def request(
        self,
        path: str,
        headers: Mapping[str, str] | None = None,
        method: str = "GET",
        body: str | None = None,
    ) -> Reply:
        """Send one request, exactly with these headers, and do not follow a redirection."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            sent = {"Host": f"127.0.0.1:{self.port}", **(headers or {})}
            if body is not None:
                sent["Content-Length"] = str(len(body.encode()))
            for name, value in sent.items():
                connection.putheader(name, value)
            connection.endheaders(body.encode() if body is not None else None)
            response = connection.getresponse()
            return Reply(
                response.status, dict(response.getheaders()), response.read().decode("utf-8", "replace")
            )
        finally:
            connection.close()

    def send_raw(self, request: bytes) -> Reply:
        """Send these bytes, and read the answer."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as connection:
            connection.sendall(request)
            response = http.client.HTTPResponse(connection)
            response.begin()
            if response.status == 101:  # a web socket, which has no end
                return Reply(101, dict(response.getheaders()), "")
            return Reply(
                response.status, dict(response.getheaders()), response.read().decode("utf-8", "replace")
            )

    def log_in(self, operator: str | None = "Ada") -> dict[str, str]:
        """The cookie of a browser that has opened the address, and has told a name."""
        reply = self.request(f"/?token={self.token}")
        assert reply.status == 303
        cookies = {"Cookie": reply.headers["Set-Cookie"].partition(";")[0]}
        if operator is not None:
            form = {"Origin": self.origin, "Content-Type": "application/x-www-form-urlencoded"}
            assert (
                self.request("/operator", {**cookies, **form}, "POST", f"operator={operator}").status == 303
            )
        return cookies

    def upgrade(self, cookies: Mapping[str, str], origin: str | None, **query: str) -> Reply:
        """Ask for a web socket; only the refusals are of interest."""
        words = "&".join(f"{key}={value}" for key, value in {"tab": "a" * 32, **query}.items())
        headers = {
            **cookies,
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        }
        if origin is not None:
            headers["Origin"] = origin
        return self.request(f"/ws?{words}", headers)

    def events(self, bank: str, kind: str | None = None) -> list[dict[str, Any]]:
        """The events in the log of a bank, in order."""
        log = self.state / f"{bank}.log.jsonl"
        if not log.exists():
            return []
        events = [json.loads(line) for line in log.read_text().split("\n") if line.strip()]
        return [event for event in events if kind is None or event.get("event") == kind]

    def screens(self) -> list[int]:
        """The process ids of the screens that this server has started, without their workers."""
        return children_of(self.process.pid)


def children_of(parent: int) -> list[int]:
    """The process ids of the children of a process."""
    found = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True, check=False
    )
    return [int(word) for word in found.stdout.split() if Path(f"/proc/{word}").exists()]


@contextmanager
def serve(folder: Path, *options: str) -> Iterator[Served]:
    """Run a server with a state folder of its own on a free port; it is gone afterwards."""
    state = folder / "state"
    variables = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "odm_tui",
            "serve",
            "--port",
            "0",
            "--json",
            "--state-dir",
            str(state),
            *options,
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**variables, "ODM_TUI_CONFIG": str(folder / "config.toml")},
        preexec_fn=reset_signals,
    )
    try:
        yield Served(process, state)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
