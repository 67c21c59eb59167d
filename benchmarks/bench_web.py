"""Screens in the browser: memory and start of many sessions on one server, without the browser's own share."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import aiohttp

from benchmarks.table import Row
from tests.support.web.serving import Served, children_of, serve

SESSIONS = 20


def rows() -> Iterator[Row]:
    """Open many screens on one server, and measure them while all are open."""
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder), "--bank", "led") as server:
        empty = _megabytes([server.process.pid])
        took, sessions = asyncio.run(_open_all(server))
        yield Row("memory of the server without a session", empty, "MB")
        yield Row(f"memory per session with {SESSIONS} open (screen and worker)", sessions / SESSIONS, "MB")
        yield Row("first screen of one session", took[0], "s")
        yield Row(f"first screen of the slowest of {SESSIONS} that start together", max(took[1:]), "s")


async def _open_all(server: Served) -> tuple[list[float], float]:
    """The seconds to each first screen, the first one alone; and the megabytes of all of them."""
    headers = {**server.log_in(), "Origin": server.origin}
    done = asyncio.Event()
    async with aiohttp.ClientSession(headers=headers) as client:

        async def open_one(number: int, shown: asyncio.Future[float]) -> None:
            start = perf_counter()
            url = f"{server.origin}/ws?tab={number:032d}&width=100&height=30&own-bank=1"
            async with asyncio.timeout(120), client.ws_connect(url) as socket:
                async for message in socket:
                    if message.type is aiohttp.WSMsgType.BINARY and b"LED digit" in message.data:
                        shown.set_result(perf_counter() - start)
                        break
                await done.wait()

        loop = asyncio.get_running_loop()
        shown = [loop.create_future() for _ in range(SESSIONS)]
        opened = [asyncio.create_task(open_one(0, shown[0]))]
        await shown[0]
        opened += [asyncio.create_task(open_one(at, shown[at])) for at in range(1, SESSIONS)]
        took = await asyncio.gather(*shown)
        screens = server.screens()
        used = _megabytes([*screens, *(worker for screen in screens for worker in children_of(screen))])
        done.set()
        await asyncio.gather(*opened)
    return took, used


def _megabytes(processes: list[int]) -> float:
    """The memory of some processes; what they share counts once among those that share it."""
    lines = (line for pid in processes for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines())
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
